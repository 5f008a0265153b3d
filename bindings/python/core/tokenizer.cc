// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/tokenizer.cc: text as tokens and back. A text is a str or bytes; what comes
// back is bytes, of which tenon/_tokenizers.py makes a str.
#include <tenon/ext/draft/tokenizers.h>

#include "bindings/python/core/handles.h"

namespace tenon::python {

namespace {

using Tokenizer = Handle<tenon_tokenizer, tenon_tokenizer_release, "tokenizer">;

// The bytes of a str or of bytes, borrowed; false with an exception set for anything else.
bool read_text(PyObject* object, const char* operand, Text& text) {
  if (PyBytes_Check(object)) {
    text.data = PyBytes_AS_STRING(object);
    text.length = PyBytes_GET_SIZE(object);
    return true;
  }
  if (!PyUnicode_Check(object)) {
    refuse_type("tokenizer", operand, "str or bytes", object, "");
    return false;
  }
  text.data = PyUnicode_AsUTF8AndSize(object, &text.length);
  return text.data != nullptr;
}

PyObject* bytes_object(tenon_text* text) {
  const char* data = nullptr;
  uint64_t length = 0;
  tenon_text_get(text, &data, &length);
  PyObject* bytes = PyBytes_FromStringAndSize(data, static_cast<Py_ssize_t>(length));
  tenon_text_release(text);
  return bytes;
}

uint32_t encode_flags(int special, int read_special) {
  return (special ? TENON_TOKENIZER_ADD_SPECIAL : 0) |
         (read_special ? TENON_TOKENIZER_READ_SPECIAL : 0);
}

// ---- making them --------------------------------------------------------------------------------

// A tokenizer of two texts, of which the second may be None, and options. `whose` is whom refused
// options are told of, NULL: the first text. create(context, first, second, options, out)
template <class Create>
PyObject* make_tokenizer(PyObject* arguments, const char* whose, Create&& create) {
  Text first;
  Text second;
  PyObject* given = nullptr;
  Options options;
  tenon_context* context = context_of_thread();
  if (!context ||
      !PyArg_ParseTuple(arguments, "s#z#O", &first.data, &first.length, &second.data,
                        &second.length, &given) ||
      !options.read(whose ? whose : first.data, given)) {
    return nullptr;
  }
  tenon_tokenizer* made = nullptr;
  const tenon_status status =
      run(context, Work::Medium, [&] { return create(context, first, second, options, &made); });
  return status == TENON_OK ? Tokenizer::make(made) : fail(context, status);
}

// create_tokenizer(name, file, options): file is bytes or None
PyObject* create_tokenizer(PyObject*, PyObject* arguments) {
  return make_tokenizer(arguments, nullptr,
                        [](tenon_context* context, const Text& name, const Text& file,
                           const Options& options, tenon_tokenizer** out) {
                          return tenon_tokenizer_create(
                              context, name.data, name.size(), file.data, file.size(),
                              options.names.data(), options.values.data(), options.count(), out);
                        });
}

// load_tokenizer(path, name, options): name is None for the one whose endings fit
PyObject* load_tokenizer(PyObject*, PyObject* arguments) {
  return make_tokenizer(arguments, "load_tokenizer",
                        [](tenon_context* context, const Text& path, const Text& name,
                           const Options& options, tenon_tokenizer** out) {
                          return tenon_tokenizer_load(context, path.data, path.size(), name.data,
                                                      name.size(), options.names.data(),
                                                      options.values.data(), options.count(), out);
                        });
}

// save_tokenizer(tokenizer, path)
PyObject* save_tokenizer(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  Text path;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "Os#", &capsule, &path.data, &path.length)) {
    return nullptr;
  }
  tenon_tokenizer* tokenizer = Tokenizer::get(capsule);
  if (!tokenizer) return nullptr;
  return done(context, run(context, Work::Medium, [&] {
                return tenon_tokenizer_save(context, tokenizer, path.data, path.size());
              }));
}

// ---- the vocabulary -----------------------------------------------------------------------------

// tokenizer_info(tokenizer): (size, unknown, begin, end, pad); -1: none
PyObject* tokenizer_info(PyObject*, PyObject* capsule) {
  tenon_context* context = context_of_thread();
  tenon_tokenizer* tokenizer = context ? Tokenizer::get(capsule) : nullptr;
  if (!tokenizer) return nullptr;
  tenon_tokenizer_info info{};
  info.struct_size = sizeof info;
  const tenon_status status = tenon_tokenizer_get_info(context, tokenizer, &info);
  if (status != TENON_OK) return fail(context, status);
  return Py_BuildValue("Liiii", info.size, info.unknown, info.begin, info.end, info.pad);
}

// get_token(tokenizer, number): (its spelling as bytes, whether it is special)
PyObject* get_token(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  PyObject* given = nullptr;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "OO", &capsule, &given)) return nullptr;
  tenon_tokenizer* tokenizer = Tokenizer::get(capsule);
  if (!tokenizer) return nullptr;
  const Ref whole(PyNumber_Index(given));
  if (!whole) {
    PyErr_Clear();
    return refuse_type("tokenizer", "token", "an integer", given, "");
  }
  const int64_t number = PyLong_AsLongLong(whole.get());
  if (number == -1 && PyErr_Occurred()) return refuse_large("tokenizer", "token");
  tenon_text* spelling = nullptr;
  uint32_t flags = 0;
  const tenon_status status =
      tenon_tokenizer_get_token(context, tokenizer, number, &spelling, &flags);
  if (status != TENON_OK) return fail(context, status);
  const Ref bytes(bytes_object(spelling));
  if (!bytes) return nullptr;
  return PyTuple_Pack(2, bytes.get(), (flags & TENON_TOKEN_SPECIAL) != 0 ? Py_True : Py_False);
}

// find_token(tokenizer, spelling)
PyObject* find_token(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  PyObject* given = nullptr;
  Text spelling;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "OO", &capsule, &given)) return nullptr;
  tenon_tokenizer* tokenizer = Tokenizer::get(capsule);
  if (!tokenizer || !read_text(given, "spelling", spelling)) return nullptr;
  int64_t token = 0;
  const tenon_status status =
      tenon_tokenizer_find_token(context, tokenizer, spelling.data, spelling.size(), &token);
  return status == TENON_OK ? PyLong_FromLongLong(token) : fail(context, status);
}

// ---- encoding and decoding ----------------------------------------------------------------------

// encode_text(tokenizer, text, special, read_special, limit); 0: no limit
PyObject* encode_text(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  PyObject* given = nullptr;
  int special = 0;
  int read_special = 0;
  long long limit = 0;
  Text text;
  tenon_context* context = context_of_thread();
  if (!context ||
      !PyArg_ParseTuple(arguments, "OOppL", &capsule, &given, &special, &read_special, &limit)) {
    return nullptr;
  }
  tenon_tokenizer* tokenizer = Tokenizer::get(capsule);
  if (!tokenizer || !read_text(given, "text", text)) return nullptr;
  tenon_tensor* tokens = nullptr;
  const tenon_status status = run(context, Work::Medium, [&] {
    return tenon_tokenizer_call(context, tokenizer, text.data, text.size(),
                                encode_flags(special, read_special), limit, &tokens);
  });
  return status == TENON_OK ? wrap(tokens) : fail(context, status);
}

// encode_texts(tokenizer, texts, special, read_special, limit, pad, left, to_limit): (tokens,
// mask). A tuple of texts, since nobody can change it meanwhile; pad -1: the tokenizer's own.
PyObject* encode_texts(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  PyObject* given = nullptr;
  int special = 0;
  int read_special = 0;
  long long limit = 0;
  long long pad = 0;
  int left = 0;
  int to_limit = 0;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "OO!ppLLpp", &capsule, &PyTuple_Type, &given,
                                    &special, &read_special, &limit, &pad, &left, &to_limit)) {
    return nullptr;
  }
  tenon_tokenizer* tokenizer = Tokenizer::get(capsule);
  if (!tokenizer) return nullptr;
  std::vector<tenon_string> texts;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(given); ++i) {
    Text text;
    if (!read_text(PyTuple_GET_ITEM(given, i), "texts", text)) return nullptr;
    texts.push_back({text.data, text.size()});
  }
  const uint32_t flags = encode_flags(special, read_special) |
                         (left ? TENON_TOKENIZER_PAD_LEFT : 0) |
                         (to_limit ? TENON_TOKENIZER_PAD_TO_LIMIT : 0);
  std::vector<tenon_tensor*> made(2);
  const tenon_status status = run(context, Work::Medium, [&] {
    return tenon_tokenizer_call_batch(context, tokenizer, texts.data(),
                                      static_cast<uint32_t>(texts.size()), flags, limit, pad,
                                      made.data(), &made[1]);
  });
  if (status != TENON_OK) return fail(context, status);
  const Ref both(list_of(made));
  return both ? PyList_AsTuple(both.get()) : nullptr;
}

// decode_tokens(tokenizer, tokens, skip_special): bytes
PyObject* decode_tokens(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  PyObject* tokens = nullptr;
  int skip_special = 0;
  tenon_context* context = context_of_thread();
  if (!context ||
      !PyArg_ParseTuple(arguments, "OO!p", &capsule, state.tensor_type, &tokens, &skip_special)) {
    return nullptr;
  }
  tenon_tokenizer* tokenizer = Tokenizer::get(capsule);
  if (!tokenizer) return nullptr;
  tenon_text* text = nullptr;
  const tenon_status status = run(context, Work::Medium, [&] {
    return tenon_tokenizer_get_text(context, tokenizer, as_tensor(tokens)->handle,
                                    skip_special ? TENON_TOKENIZER_SKIP_SPECIAL : 0, &text);
  });
  return status == TENON_OK ? bytes_object(text) : fail(context, status);
}

}  // namespace

PyMethodDef tokenizer_methods[] = {
    {"create_tokenizer", guarded<create_tokenizer>, METH_VARARGS, nullptr},
    {"load_tokenizer", guarded<load_tokenizer>, METH_VARARGS, nullptr},
    {"save_tokenizer", save_tokenizer, METH_VARARGS, nullptr},
    {"tokenizer_info", tokenizer_info, METH_O, nullptr},
    {"get_token", get_token, METH_VARARGS, nullptr},
    {"find_token", find_token, METH_VARARGS, nullptr},
    {"encode_text", encode_text, METH_VARARGS, nullptr},
    {"encode_texts", guarded<encode_texts>, METH_VARARGS, nullptr},
    {"decode_tokens", decode_tokens, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace tenon::python
