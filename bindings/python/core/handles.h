// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/handles.h: objects of the C API other than tensors, as capsules, and lists
// of tensors.
#ifndef TENON_BINDINGS_PYTHON_HANDLES_H
#define TENON_BINDINGS_PYTHON_HANDLES_H

#include <algorithm>
#include <cstddef>
#include <vector>

#include "bindings/python/core/values.h"

namespace tenon::python {

// A text as a template's argument.
template <size_t length>
struct Name {
  char text[length];
  constexpr Name(const char (&given)[length]) { std::copy_n(given, length, text); }
};

// A capsule that owns a `T` and says in its name what it is.
template <class T, void (*release)(T*), Name name>
struct Handle {
  // Takes the object over.
  static PyObject* make(T* object) {
    PyObject* capsule = PyCapsule_New(object, name.text, drop);
    if (!capsule) release(object);
    return capsule;
  }

  // NULL with an exception set for anything else.
  static T* get(PyObject* capsule) {
    return static_cast<T*>(PyCapsule_GetPointer(capsule, name.text));
  }

 private:
  static void drop(PyObject* capsule) { release(get(capsule)); }
};

using Dataset = Handle<tenon_dataset, tenon_dataset_release, "dataset">;
using Optimizer = Handle<tenon_optimizer, tenon_optimizer_release, "optimizer">;

// What PyArg_ParseTuple's "s#" fills in.
struct Text {
  const char* data = nullptr;
  Py_ssize_t length = 0;
  uint64_t size() const { return static_cast<uint64_t>(length); }
};

// Handles of a list of tensors, NULL for None if that is allowed; none for None. False with an
// exception set.
bool read_tensors(const char* what, const char* operand, PyObject* list, bool none_allowed,
                  std::vector<tenon_tensor*>& out);
// A list of new tensors, None for NULL. Takes the handles over.
PyObject* list_of(const std::vector<tenon_tensor*>& handles);
// False with an exception set for anything but a tensor.
bool tensor_argument(PyObject* object, const char* what);

inline tenon_tensor* const* data_or_null(const std::vector<tenon_tensor*>& tensors) {
  return tensors.empty() ? nullptr : tensors.data();
}

}  // namespace tenon::python

#endif  // TENON_BINDINGS_PYTHON_HANDLES_H
