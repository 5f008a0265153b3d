// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/data.cc: datasets, and files of named tensors.
#include <tenon/ext/draft/archives.h>
#include <tenon/ext/draft/loaders.h>

#include <memory>

#include "bindings/python/core/handles.h"

namespace tenon::python {

namespace {

// ---- datasets ----------------------------------------------------------------------------------

// create_dataset(name, options)
PyObject* create_dataset(PyObject*, PyObject* arguments) {
  Text name;
  PyObject* given = nullptr;
  Options options;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "s#O", &name.data, &name.length, &given) ||
      !options.read(name.data, given)) {
    return nullptr;
  }
  tenon_dataset* dataset = nullptr;
  const tenon_status status = run(context, Work::Medium, [&] {
    return tenon_dataset_create(context, name.data, name.size(), options.names.data(),
                                options.values.data(), options.count(), &dataset);
  });
  return status == TENON_OK ? Dataset::make(dataset) : fail(context, status);
}

PyObject* dataset_length(PyObject*, PyObject* capsule) {
  tenon_context* context = context_of_thread();
  tenon_dataset* dataset = context ? Dataset::get(capsule) : nullptr;
  if (!dataset) return nullptr;
  int64_t length = 0;
  const tenon_status status = tenon_dataset_get_length(context, dataset, &length);
  return status == TENON_OK ? PyLong_FromLongLong(length) : fail(context, status);
}

// dataset_lengths(dataset): a tensor i64[n], how long each sample is
PyObject* dataset_lengths(PyObject*, PyObject* capsule) {
  tenon_context* context = context_of_thread();
  tenon_dataset* dataset = context ? Dataset::get(capsule) : nullptr;
  if (!dataset) return nullptr;
  int64_t n = 0;
  tenon_status status = tenon_dataset_get_length(context, dataset, &n);
  if (status != TENON_OK) return fail(context, status);
  std::vector<int64_t> lengths(static_cast<size_t>(n));
  tenon_tensor* made = nullptr;
  status = run(context, Work::Medium, [&] {
    const tenon_status asked = tenon_dataset_get_lengths(context, dataset, 0, n, lengths.data());
    if (asked != TENON_OK) return asked;
    return tenon_tensor_create_from(context, TENON_DTYPE_I64, nullptr, 1, &n, lengths.data(),
                                    lengths.size() * sizeof(int64_t), &made);
  });
  return status == TENON_OK ? wrap(made) : fail(context, status);
}

// dataset_fields(dataset): [(name, shape of a sample, dtype), ...]
PyObject* dataset_fields(PyObject*, PyObject* capsule) {
  tenon_context* context = context_of_thread();
  tenon_dataset* dataset = context ? Dataset::get(capsule) : nullptr;
  Ref list(dataset ? PyList_New(0) : nullptr);
  for (uint32_t i = 0; list; ++i) {
    tenon_meta sample{};
    const char* name = nullptr;
    const tenon_status status = tenon_dataset_get_field(context, dataset, i, &sample, &name);
    if (status == TENON_E_NOT_FOUND) break;
    if (status != TENON_OK) return fail(context, status);
    const Ref entry(Py_BuildValue("sNO", name, tuple_of(sample.shape, sample.rank),
                                  dtype_object(sample.dtype)));
    if (!entry || PyList_Append(list.get(), entry.get()) < 0) return nullptr;
  }
  return list.release();
}

// get_samples(dataset, indices, n_fields): a list of tensors, one for each field
PyObject* get_samples(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  PyObject* list = nullptr;
  unsigned n_fields = 0;
  Memory memory;
  tenon_value indices{};
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "OOI", &capsule, &list, &n_fields)) return nullptr;
  tenon_dataset* dataset = Dataset::get(capsule);
  const Converted converted = dataset ? ints_value(list, 0, memory, indices) : Converted::Failed;
  if (converted == Converted::No) {
    return refuse_type("dataset", "indices", "a list of integers", list, "");
  }
  if (converted == Converted::Failed) return refuse_large("dataset", "indices");
  std::vector<tenon_tensor*> fields(n_fields);
  const tenon_status status = run(context, Work::Medium, [&] {
    return tenon_dataset_call(context, dataset, indices.as.ints, indices.count, fields.data(),
                              n_fields);
  });
  return status == TENON_OK ? list_of(fields) : fail(context, status);
}

// ---- archives -----------------------------------------------------------------------------------

using Archive = Handle<tenon_archive, tenon_archive_release, "archive">;

PyObject* text_of(const char* text, uint64_t length) {
  return PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(length), "replace");
}

bool put_text(PyObject* dict, const char* key, uint64_t length, PyObject* value) {
  const Ref name(text_of(key, length));
  return name && value && PyDict_SetItem(dict, name.get(), value) == 0;
}

// A tensor or, of a foreign one, (what it is, shape, archive, index).
PyObject* archive_tensor(tenon_context* context, PyObject* capsule, uint32_t index,
                         const tenon_meta& meta, uint32_t flags) {
  const char* foreign = nullptr;
  uint64_t length = 0;
  tenon_status status =
      tenon_archive_get_foreign(context, Archive::get(capsule), index, &foreign, &length);
  if (status != TENON_OK) return fail(context, status);
  if (length != 0) {
    const Ref words(text_of(foreign, length));
    const Ref shape(PyTuple_New(meta.rank));
    if (!words || !shape) return nullptr;
    for (int32_t i = 0; i < meta.rank; ++i) {
      PyObject* const size = PyLong_FromLongLong(meta.shape[i]);
      if (!size || PyTuple_SetItem(shape.get(), i, size) < 0) return nullptr;
    }
    return Py_BuildValue("OOOI", words.get(), shape.get(), capsule, index);
  }
  tenon_tensor* tensor = nullptr;
  status = tenon_tensor_create_loaded(context, Archive::get(capsule), index, flags, &tensor);
  return status == TENON_OK ? wrap(tensor) : fail(context, status);
}

// Adds the archive's tensors to a dict.
bool read_archive_tensors(tenon_context* context, PyObject* capsule, uint32_t count, uint32_t flags,
                          PyObject* out) {
  for (uint32_t i = 0; i < count; ++i) {
    const char* name = nullptr;
    uint64_t length = 0;
    tenon_meta meta{};
    const tenon_status status =
        tenon_archive_get_entry(context, Archive::get(capsule), i, &name, &length, &meta);
    if (status != TENON_OK) {
      fail(context, status);
      return false;
    }
    const Ref object(archive_tensor(context, capsule, i, meta, flags));
    if (!put_text(out, name, length, object.get())) return false;
  }
  return true;
}

bool read_archive_texts(tenon_context* context, tenon_archive* archive, uint32_t count,
                        PyObject* out) {
  for (uint32_t i = 0; i < count; ++i) {
    const char* key = nullptr;
    const char* text = nullptr;
    uint64_t key_length = 0;
    uint64_t length = 0;
    const tenon_status status =
        tenon_archive_get_metadata(context, archive, i, &key, &key_length, &text, &length);
    if (status != TENON_OK) {
      fail(context, status);
      return false;
    }
    const Ref object(text_of(text, length));
    if (!put_text(out, key, key_length, object.get())) return false;
  }
  return true;
}

// load_archive(path, format, in_memory, copy): (tensors, metadata), two dicts; archive_tensor says
// what stands for a tensor
PyObject* load_archive(PyObject*, PyObject* arguments) {
  Text path;
  Text format;
  int in_memory = 0;
  int copy = 0;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "s#s#pp", &path.data, &path.length, &format.data,
                                    &format.length, &in_memory, &copy)) {
    return nullptr;
  }
  tenon_archive* opened = nullptr;
  tenon_status status = run(context, Work::Medium, [&] {
    return tenon_archive_load(context, path.data, path.size(), format.data, format.size(),
                              in_memory ? TENON_ARCHIVE_IN_MEMORY : 0, &opened);
  });
  if (status != TENON_OK) return fail(context, status);
  const Ref capsule(Archive::make(opened));
  if (!capsule) return nullptr;
  uint32_t n_tensors = 0;
  uint32_t n_texts = 0;
  status = tenon_archive_get_count(context, opened, &n_tensors, &n_texts);
  if (status != TENON_OK) return fail(context, status);
  const Ref tensors(PyDict_New());
  const Ref texts(PyDict_New());
  if (!tensors || !texts ||
      !read_archive_tensors(context, capsule.get(), n_tensors, copy ? TENON_ARCHIVE_COPY : 0,
                            tensors.get()) ||
      !read_archive_texts(context, opened, n_texts, texts.get())) {
    return nullptr;
  }
  return PyTuple_Pack(2, tensors.get(), texts.get());
}

// archive_bytes(archive, index, copy): the bytes of a tensor, u8
PyObject* archive_bytes(PyObject*, PyObject* arguments) {
  PyObject* capsule = nullptr;
  unsigned int index = 0;
  int copy = 0;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "OIp", &capsule, &index, &copy)) return nullptr;
  tenon_archive* const archive = Archive::get(capsule);
  if (!archive) return nullptr;
  tenon_tensor* tensor = nullptr;
  const uint32_t flags = TENON_ARCHIVE_BYTES | (copy ? TENON_ARCHIVE_COPY : 0);
  const tenon_status status = run(context, Work::Medium, [&] {
    return tenon_tensor_create_loaded(context, archive, index, flags, &tensor);
  });
  return status == TENON_OK ? wrap(tensor) : fail(context, status);
}

// Puts a dict of tensors, or of texts, into an archive.
bool fill_archive(tenon_context* context, tenon_archive* archive, PyObject* entries) {
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(entries, &at, &key, &value);) {
    Text name;
    Text text;
    name.data = PyUnicode_AsUTF8AndSize(key, &name.length);
    if (!name.data) return false;
    const bool is_text = PyUnicode_Check(value);
    if (!is_text && !tensor_argument(value, name.data)) return false;
    if (is_text) text.data = PyUnicode_AsUTF8AndSize(value, &text.length);
    if (is_text && !text.data) return false;
    const tenon_status status =
        is_text ? tenon_archive_set_metadata(context, archive, name.data, name.size(), text.data,
                                             text.size())
                : tenon_archive_set_tensor(context, archive, name.data, name.size(),
                                           as_tensor(value)->handle);
    if (status != TENON_OK) {
      fail(context, status);
      return false;
    }
  }
  return true;
}

// save_archive(path, format, tensors, metadata)
PyObject* save_archive(PyObject*, PyObject* arguments) {
  Text path;
  Text format;
  PyObject* tensors = nullptr;
  PyObject* texts = nullptr;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "s#s#O!O!", &path.data, &path.length, &format.data,
                                    &format.length, &PyDict_Type, &tensors, &PyDict_Type, &texts)) {
    return nullptr;
  }
  tenon_archive* made = nullptr;
  const tenon_status status = tenon_archive_create(context, &made);
  if (status != TENON_OK) return fail(context, status);
  const Ref capsule(Archive::make(made));
  if (!capsule || !fill_archive(context, made, tensors) || !fill_archive(context, made, texts))
    return nullptr;
  return done(context, run(context, Work::Medium, [&] {
                return tenon_file_set(context, path.data, path.size(), format.data, format.size(),
                                      made);
              }));
}

}  // namespace

PyMethodDef data_methods[] = {{"create_dataset", guarded<create_dataset>, METH_VARARGS, nullptr},
                              {"dataset_length", dataset_length, METH_O, nullptr},
                              {"dataset_lengths", guarded<dataset_lengths>, METH_O, nullptr},
                              {"dataset_fields", dataset_fields, METH_O, nullptr},
                              {"get_samples", guarded<get_samples>, METH_VARARGS, nullptr},
                              {"load_archive", load_archive, METH_VARARGS, nullptr},
                              {"archive_bytes", archive_bytes, METH_VARARGS, nullptr},
                              {"save_archive", save_archive, METH_VARARGS, nullptr},
                              {nullptr, nullptr, 0, nullptr}};

}  // namespace tenon::python
