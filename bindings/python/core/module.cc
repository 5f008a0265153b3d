// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/module.cc: the extension module tenon._core.
#include <cstring>

#include "bindings/python/core/core.h"

namespace tenon::python {

namespace {

// connect(name=function, ...): the Python functions that this module calls.
PyObject* connect(PyObject*, PyObject* arguments, PyObject* named) {
  if (PyTuple_GET_SIZE(arguments) || !named) {
    PyErr_SetString(PyExc_TypeError, "connect() takes functions by name");
    return nullptr;
  }
  struct Entry {
    const char* name;
    PyObject** place;
  };
#define TENON_PYTHON_HOOK(name) {#name, &state.hooks.name},
  const Entry entries[] = {TENON_PYTHON_HOOKS(TENON_PYTHON_HOOK)};
#undef TENON_PYTHON_HOOK
  for (const Entry& entry : entries) {
    PyObject* function = PyDict_GetItemString(named, entry.name);
    if (!function) return PyErr_Format(PyExc_TypeError, "connect() needs %s=", entry.name);
    Py_XSETREF(*entry.place, Py_NewRef(function));
  }
  Py_RETURN_NONE;
}

PyMethodDef connect_methods[] = {
    {"connect", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(connect)),
     METH_VARARGS | METH_KEYWORDS, "connect(name=function, ...)"},
    {nullptr, nullptr, 0, nullptr}};

bool add_version(PyObject* module) {
  const Ref text(PyUnicode_FromFormat("%d.%d.%d", TENON_VERSION_MAJOR, TENON_VERSION_MINOR,
                                      TENON_VERSION_PATCH));
  return text && PyModule_AddObjectRef(module, "version", text.get()) == 0;
}

bool fill(PyObject* module) {
  const PyMethodDef* const tables[] = {
      connect_methods, runtime_methods,  random_methods,  buffer_methods,    nested_methods,
      operand_methods, autograd_methods, object_methods,  data_methods,      loader_methods,
      dlpack_methods,  custom_methods,   history_methods, tokenizer_methods, exchange_methods,
      process_methods, xla_methods};
  for (const PyMethodDef* table : tables) {
    if (PyModule_AddFunctions(module, const_cast<PyMethodDef*>(table)) < 0) return false;
  }
  return add_version(module) && add_dtypes(module) && add_op_type(module) &&
         add_tensor_type(module) && add_layer_tensor_type(module) && add_exchange_types(module) &&
         add_gated_type(module);
}

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "tenon._core",
                          "Tenon's C API as Python objects; the package `tenon` is made of it.",
                          -1,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

}  // namespace

}  // namespace tenon::python

PyMODINIT_FUNC PyInit__core(void) {
  PyObject* module = PyModule_Create(&tenon::python::definition);
  if (module && !tenon::python::fill(module)) Py_CLEAR(module);
  return module;
}
