// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/values.cc: Python objects as tenon_values.
#include "bindings/python/core/values.h"

#include <cstring>

namespace tenon::python {

namespace {

// NumPy's bool says of itself that it is a float when it is asked for one.
bool is_foreign_bool(PyObject* object) {
  return std::strncmp(Py_TYPE(object)->tp_name, "numpy.bool", 10) == 0;
}

// A number, and not something that holds many.
bool is_scalar_like(PyTypeObject* type) {
  const bool holds_many = (type->tp_as_sequence && type->tp_as_sequence->sq_length) ||
                          (type->tp_as_mapping && type->tp_as_mapping->mp_length);
  return type->tp_as_number && type->tp_as_number->nb_float && !holds_many;
}

Converted integer_value(PyObject* object, tenon_value& out) {
  const long long number = PyLong_AsLongLong(object);
  if (number == -1 && PyErr_Occurred()) return Converted::Failed;
  out.tag = TENON_VALUE_I64;
  out.as.i64 = number;
  return Converted::Yes;
}

bool read_int(PyObject* object, int64_t& out) {
  const Ref number(PyNumber_Index(object));
  out = number ? PyLong_AsLongLong(number.get()) : -1;
  return out != -1 || !PyErr_Occurred();
}

}  // namespace

Converted number_value(PyObject* object, tenon_value& out) {
  out.count = 0;
  if (PyFloat_Check(object)) {
    out.tag = TENON_VALUE_F64;
    out.as.f64 = PyFloat_AS_DOUBLE(object);
    return Converted::Yes;
  }
  if (PyBool_Check(object) || is_foreign_bool(object)) {
    const int truth = PyObject_IsTrue(object);
    if (truth < 0) return Converted::Failed;
    out.tag = TENON_VALUE_BOOL;
    out.as.i64 = truth;
    return Converted::Yes;
  }
  if (PyLong_Check(object)) return integer_value(object, out);
  if (is_tensor(object)) return Converted::No;
  if (PyTypeObject* type = Py_TYPE(object); is_scalar_like(type)) {
    if (type->tp_as_number->nb_index) {
      const Ref index(PyNumber_Index(object));
      return index ? integer_value(index.get(), out) : Converted::Failed;
    }
    out.tag = TENON_VALUE_F64;
    out.as.f64 = PyFloat_AsDouble(object);
    return out.as.f64 == -1 && PyErr_Occurred() ? Converted::Failed : Converted::Yes;
  }
  return Converted::No;
}

Converted operand_value(PyObject* object, tenon_value& out) {
  if (is_tensor(object)) {
    out.tag = TENON_VALUE_TENSOR;
    out.count = 0;
    out.as.tensor = as_tensor(object)->handle;
    return Converted::Yes;
  }
  return number_value(object, out);
}

Converted tensors_value(PyObject* object, Memory& memory, tenon_value& out) {
  if (!PyList_Check(object) && !PyTuple_Check(object)) return Converted::No;
  // Another thread may change a list while the call runs without the GIL.
  Ref items(PySequence_Tuple(object));
  if (!items) return Converted::Failed;
  object = items.get();
  memory.keep(std::move(items));
  const Py_ssize_t count = PyTuple_GET_SIZE(object);
  auto* handles = reinterpret_cast<tenon_tensor**>(memory.take(count));
  if (!handles) {
    PyErr_NoMemory();
    return Converted::Failed;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* item = PyTuple_GET_ITEM(object, i);
    if (!is_tensor(item)) return Converted::No;
    handles[i] = as_tensor(item)->handle;
  }
  out.tag = TENON_VALUE_TENSOR_LIST;
  out.count = static_cast<uint32_t>(count);
  out.as.tensors = handles;
  return Converted::Yes;
}

Converted ints_value(PyObject* object, int32_t count, Memory& memory, tenon_value& out) {
  const bool one = PyIndex_Check(object) && !is_tensor(object);
  if (!one && !PyList_Check(object) && !PyTuple_Check(object)) return Converted::No;
  const Py_ssize_t length = one ? (count ? count : 1) : PySequence_Fast_GET_SIZE(object);
  int64_t* ints = memory.take(length);
  if (!ints) {
    PyErr_NoMemory();
    return Converted::Failed;
  }
  for (Py_ssize_t i = 0; i < length; ++i) {
    // The conversion of an element may have changed the list.
    if (!one && PySequence_Fast_GET_SIZE(object) != length) return Converted::No;
    const Ref item(Py_NewRef(one ? object : PySequence_Fast_GET_ITEM(object, i)));
    if (!PyIndex_Check(item.get())) return Converted::No;
    if (!read_int(item.get(), ints[i])) return Converted::Failed;
  }
  out.tag = TENON_VALUE_INT_LIST;
  out.count = static_cast<uint32_t>(length);
  out.as.ints = ints;
  return Converted::Yes;
}

// A list with a float in it, and numbers beside that.
Converted floats_value(PyObject* object, Memory& memory, tenon_value& out) {
  const Py_ssize_t length = PySequence_Fast_GET_SIZE(object);
  static_assert(sizeof(double) == sizeof(int64_t));
  auto* floats = reinterpret_cast<double*>(memory.take(length));
  if (!floats) {
    PyErr_NoMemory();
    return Converted::Failed;
  }
  for (Py_ssize_t i = 0; i < length; ++i) {
    // The conversion of an element may have changed the list.
    if (PySequence_Fast_GET_SIZE(object) != length) return Converted::No;
    const Ref item(Py_NewRef(PySequence_Fast_GET_ITEM(object, i)));
    if (!PyFloat_Check(item.get()) && !PyLong_Check(item.get())) return Converted::No;
    floats[i] = PyFloat_AsDouble(item.get());
    if (floats[i] == -1 && PyErr_Occurred()) return Converted::Failed;
  }
  out.tag = TENON_VALUE_FLOAT_LIST;
  out.count = static_cast<uint32_t>(length);
  out.as.floats = floats;
  return Converted::Yes;
}

bool has_float(PyObject* list) {
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list); ++i) {
    if (PyFloat_Check(PySequence_Fast_GET_ITEM(list, i))) return true;
  }
  return false;
}

Converted text_value(PyObject* object, tenon_value& out) {
  if (!PyUnicode_Check(object)) return Converted::No;
  Py_ssize_t length = 0;
  out.as.string = PyUnicode_AsUTF8AndSize(object, &length);
  if (!out.as.string) return Converted::Failed;
  out.tag = TENON_VALUE_STRING;
  out.count = static_cast<uint32_t>(length);
  return Converted::Yes;
}

Converted any_value(PyObject* object, Memory& memory, tenon_value& out) {
  if (object == Py_None) {
    out = tenon_value{};
    return Converted::Yes;
  }
  if (PyUnicode_Check(object)) return text_value(object, out);
  if (Py_TYPE(object) == state.dtype_type) {
    out.tag = TENON_VALUE_DTYPE;
    out.count = 0;
    out.as.dtype = dtype_from(object);
    return Converted::Yes;
  }
  if (PyList_Check(object) || PyTuple_Check(object)) {
    return has_float(object) ? floats_value(object, memory, out)
                             : ints_value(object, 0, memory, out);
  }
  return operand_value(object, out);
}

PyObject* number_object(const tenon_value& value) {
  if (value.tag == TENON_VALUE_F64) return PyFloat_FromDouble(value.as.f64);
  return value.tag == TENON_VALUE_BOOL ? PyBool_FromLong(value.as.i64 != 0)
                                       : PyLong_FromLongLong(value.as.i64);
}

bool Options::read(const char* what, PyObject* dictionary) {
  if (dictionary == Py_None) return true;
  if (!PyDict_Check(dictionary)) {
    refuse_type(what, "options", "a dict of names and values", dictionary, "");
    return false;
  }
  PyObject* key = nullptr;
  PyObject* object = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(dictionary, &at, &key, &object);) {
    Py_ssize_t length = 0;
    const char* name = PyUnicode_AsUTF8AndSize(key, &length);
    if (!name) return false;
    tenon_value value{};
    const Converted converted = any_value(object, memory, value);
    if (converted == Converted::Failed) return refuse_large(what, name) != nullptr;
    if (converted == Converted::No) {
      refuse_type(what, name, "a number, text, dtype or list of numbers", object, "");
      return false;
    }
    names.push_back({name, static_cast<uint64_t>(length)});
    values.push_back(value);
  }
  return true;
}

}  // namespace tenon::python
