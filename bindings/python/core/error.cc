// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/error.cc: failures become exceptions; tenon/_errors.py decides which.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "bindings/python/core/core.h"

namespace tenon::python {

namespace {

// Sets what the hook made as the current exception; an exception of the hook itself stays.
PyObject* raise(PyObject* exception) {
  const Ref made(exception);
  if (made) PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.get())), made.get());
  return nullptr;
}

PyObject* raise_record(const tenon_error& error) {
  const Ref causes(PyTuple_New(error.n_causes));
  if (!causes) return nullptr;
  for (uint32_t i = 0; i < error.n_causes; ++i) {
    PyObject* cause = PyUnicode_DecodeUTF8(
        error.causes[i], static_cast<Py_ssize_t>(std::strlen(error.causes[i])), "replace");
    if (!cause) return nullptr;
    PyTuple_SET_ITEM(causes.get(), i, cause);
  }
  return raise(PyObject_CallFunction(state.hooks.make_error, "isssssssssO", error.status,
                                     tenon_status_get_name(error.status), error.message, error.op,
                                     error.operand, error.expected, error.found, error.plugin,
                                     error.scope, error.hint, causes.get()));
}

}  // namespace

PyObject* fail(tenon_context* context, tenon_status status) {
  // A callback of the program, or a signal's handler, has raised already.
  if (PyErr_Occurred()) {
    drop_late_interrupt(context);
    return nullptr;
  }
  if (status == TENON_E_INTERRUPTED && PyErr_CheckSignals() < 0) {
    drop_late_interrupt(context);
    return nullptr;
  }
  // A busy context keeps no record of the call that it turns away.
  if (status == TENON_E_STATE &&
      tenon_context_get_seed(context, nullptr, nullptr, nullptr) == TENON_E_STATE) {
    return refuse("STATE", "tenon", "call", "one from outside, or from a composition or rule",
                  "one from a kernel or a shape rule, which Tenon is running",
                  "a function with kernel=True computes with NumPy, a shape rule with numbers");
  }
  tenon_error error{};
  error.struct_size = sizeof error;
  if (tenon_context_get_error(context, &error) != TENON_OK || error.status != status) {
    return fail_without_context(status, "the context has no words for this failure");
  }
  return raise_record(error);
}

PyObject* done(tenon_context* context, tenon_status status) {
  if (status != TENON_OK) return fail(context, status);
  Py_RETURN_NONE;
}

PyObject* fail_without_context(tenon_status status, const char* message) {
  tenon_error error{};
  error.status = status;
  error.message = message;
  error.op = error.operand = error.expected = error.found = "";
  error.plugin = error.scope = error.hint = "";
  return raise_record(error);
}

PyObject* refuse(const char* kind, const char* op, const char* operand, const char* expected,
                 const char* found, const char* hint) {
  return raise(PyObject_CallFunction(state.hooks.make_refusal, "ssssss", kind, op, operand,
                                     expected, found, hint));
}

namespace {

// "int", "list of float, str"
std::string type_words(PyObject* object) {
  std::string words = Py_TYPE(object)->tp_name;
  if (!PyList_Check(object) && !PyTuple_Check(object)) return words;
  std::vector<PyTypeObject*> types;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object) && types.size() < 3; ++i) {
    PyTypeObject* type = Py_TYPE(PySequence_Fast_GET_ITEM(object, i));
    if (std::find(types.begin(), types.end(), type) != types.end()) continue;
    words += (types.empty() ? " of " : ", ") + std::string(type->tp_name);
    types.push_back(type);
  }
  return words;
}

}  // namespace

PyObject* refuse_type(const char* op, const char* operand, const char* expected, PyObject* found,
                      const char* hint) {
  return refuse("type", op, operand, expected, type_words(found).c_str(), hint);
}

PyObject* refuse_large(const char* op, const char* operand) {
  if (!PyErr_ExceptionMatches(PyExc_OverflowError)) return nullptr;
  PyErr_Clear();
  return refuse("large", op, operand, "an integer of at most 64 bits", "a larger one", "");
}

void reword_write(PyObject* target, PyObject* value, const char* op) {
  PyObject* type = nullptr;
  PyObject* error = nullptr;
  PyObject* traceback = nullptr;
  PyErr_Fetch(&type, &error, &traceback);
  PyErr_NormalizeException(&type, &error, &traceback);
  const Ref made(PyObject_CallFunction(state.hooks.reword_write, "OOOz", error, target, value, op));
  if (!made || made.get() == error) {
    PyErr_Restore(type, error, traceback);
    return;
  }
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.get())), made.get());
  Py_XDECREF(type);
  Py_XDECREF(error);
  Py_XDECREF(traceback);
}

const char* text_argument(PyObject* object, const char* op, const char* operand,
                          Py_ssize_t* length) {
  if (PyUnicode_Check(object)) return PyUnicode_AsUTF8AndSize(object, length);
  refuse_type(op, operand, "a text", object, "");
  return nullptr;
}

}  // namespace tenon::python
