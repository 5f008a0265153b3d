// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/handles.cc: lists of tensors in and out.
#include "bindings/python/core/handles.h"

namespace tenon::python {

bool read_tensors(const char* what, const char* operand, PyObject* list, bool none_allowed,
                  std::vector<tenon_tensor*>& out) {
  if (list == Py_None) return true;
  if (!PyList_Check(list) && !PyTuple_Check(list)) {
    refuse_type(what, operand, "a list of tensors", list, "");
    return false;
  }
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list); ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(list, i);
    const bool none = none_allowed && item == Py_None;
    if (!none && !is_tensor(item)) {
      refuse_type(what, operand, "tensors", item, "");
      return false;
    }
    out.push_back(none ? nullptr : as_tensor(item)->handle);
  }
  return true;
}

PyObject* list_of(const std::vector<tenon_tensor*>& handles) {
  Ref list(PyList_New(static_cast<Py_ssize_t>(handles.size())));
  for (size_t i = 0; i < handles.size(); ++i) {
    PyObject* object = handles[i] ? wrap(handles[i]) : Py_NewRef(Py_None);
    if (list && object) PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), object);
    if (!object) list = Ref();
  }
  return list.release();
}

bool tensor_argument(PyObject* object, const char* what) {
  if (is_tensor(object)) return true;
  refuse_type(what, "x", "a tensor", object, "");
  return false;
}

}  // namespace tenon::python
