// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/operands.cc: which dtype numbers and lists of numbers have where tensors are
// expected: the one rule, stated in docs/python.md, that ops, operators and functions follow.
//
// A number never raises a dtype within its kind, and neither do numbers with a point in a list; a
// list of integers is int64 and one of truths bool, as NumPy's, unless all operands must have one
// dtype. What is written has been rounded once: beside float64 no digit is lost.
#include <algorithm>
#include <string>

#include "bindings/python/core/values.h"

namespace tenon::python {

namespace {

// Of numbers, and of dtypes: each may become the next.
enum class Kind { Bool, Int, Float, Unknown };

Kind kind_of(tenon_dtype dtype) {
  switch (dtype & 0xff) {
    case TENON_DTYPE_BOOL & 0xff:
      return Kind::Bool;
    case TENON_DTYPE_F64 & 0xff:
    case TENON_DTYPE_BF16 & 0xff:
      return Kind::Float;
    default:
      return Kind::Int;
  }
}

Kind kind_of(const tenon_value& number) {
  if (number.tag == TENON_VALUE_F64) return Kind::Float;
  return number.tag == TENON_VALUE_BOOL ? Kind::Bool : Kind::Int;
}

// The highest kind among the numbers of nested lists. Unknown: there is something else in them. A
// list may be in itself.
Kind kind_of_list(PyObject* list, int depth = 0) {
  if (depth == TENON_MAX_RANK) return Kind::Unknown;
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(list);
  Kind found = count == 0 ? Kind::Float : Kind::Bool;
  for (Py_ssize_t i = 0; i < count && found != Kind::Unknown; ++i) {
    if (i >= PySequence_Fast_GET_SIZE(list)) return Kind::Unknown;  // a conversion has changed it
    const Ref item(Py_NewRef(PySequence_Fast_GET_ITEM(list, i)));
    Kind kind = Kind::Unknown;
    tenon_value number{};
    if (PyList_Check(item.get()) || PyTuple_Check(item.get())) {
      kind = kind_of_list(item.get(), depth + 1);
    } else if (PyFloat_Check(item.get())) {
      kind = Kind::Float;
    } else if (PyLong_CheckExact(item.get())) {
      kind = Kind::Int;
    } else if (number_value(item.get(), number) == Converted::Yes) {
      kind = kind_of(number);
    }
    found = std::max(found, kind);
  }
  PyErr_Clear();  // what is wrong with a number is said by who makes the tensor
  return found;
}

// As the core does it; tests/python/test_operands.py compares all pairs.
tenon_dtype promote(tenon_dtype a, tenon_dtype b) {
  if (a == b || b == TENON_DTYPE_NONE) return a;
  if (a == TENON_DTYPE_NONE || kind_of(a) < kind_of(b)) return b;
  if (kind_of(a) > kind_of(b)) return a;
  const int32_t bytes[] = {find_dtype_info(a)->bytes, find_dtype_info(b)->bytes};
  if (bytes[0] != bytes[1]) return bytes[0] > bytes[1] ? a : b;
  return kind_of(a) == Kind::Float ? TENON_DTYPE_F32 : TENON_DTYPE_I16;
}

// NONE: what the numbers have alone, which is made at once.
tenon_dtype dtype_of_number(Kind kind, tenon_dtype beside) {
  if (kind == Kind::Float && beside == TENON_DTYPE_F32) return TENON_DTYPE_NONE;
  return beside != TENON_DTYPE_NONE && kind <= kind_of(beside) ? beside : TENON_DTYPE_NONE;
}

tenon_dtype dtype_of_list(Kind kind, const Beside& beside) {
  if (beside.promotes && kind != Kind::Float) return TENON_DTYPE_NONE;
  return dtype_of_number(kind, beside.dtype);
}

Ref call_hook(PyObject* object, PyObject* dtype, PyObject* device) {
  PyObject* const arguments[] = {object, dtype, device};
  Ref made(PyObject_Vectorcall(state.hooks.make_operand, arguments, 3, nullptr));
  return made && is_tensor(made.get()) ? std::move(made) : Ref();
}

// A tensor made by tenon/_tensor.py. What has no device of its own goes to that of the others.
Ref make(PyObject* object, tenon_dtype dtype, const Beside& beside, bool goes) {
  PyObject* wanted = dtype == TENON_DTYPE_NONE ? Py_None : dtype_object(dtype);
  Ref made = wanted ? call_hook(object, wanted, Py_None) : Ref();
  tenon_view view{};
  if (!made || !goes || !beside.known) return made;
  if (!get_view(context_of_thread(), as_tensor(made.get())->handle, view)) return Ref();
  if (view.device.kind == beside.device.kind && view.device.index == beside.device.index) {
    return made;
  }
  const Ref device(Py_BuildValue("Ii", beside.device.kind, beside.device.index));
  return device ? call_hook(made.get(), Py_None, device.get()) : Ref();
}

}  // namespace

bool Beside::see(tenon_context* context, tenon_tensor* tensor, bool counts) {
  tenon_view view{};
  if (!get_view(context, tensor, view)) return false;
  if (!known) device = view.device;
  known = true;
  if (counts) dtype = promote(dtype, view.dtype);
  return true;
}

bool holds_numbers(PyObject* list) { return kind_of_list(list) != Kind::Unknown; }

Ref tensor_beside(PyObject* object, const Beside& beside) {
  // What most objects are that are none, and what must not be taken for one.
  if (object == Py_None || PyUnicode_Check(object) || PyBytes_Check(object) ||
      PyDict_Check(object) || PyCallable_Check(object)) {
    return Ref();
  }
  const bool list = PyList_Check(object) || PyTuple_Check(object);
  const Kind kind = list ? kind_of_list(object) : Kind::Unknown;
  return make(object, list ? dtype_of_list(kind, beside) : TENON_DTYPE_NONE, beside,
              kind != Kind::Unknown);
}

Ref tensors_beside(tenon_context* context, PyObject* list, Beside beside) {
  Ref items(PySequence_List(list));
  const Py_ssize_t count = items ? PyList_GET_SIZE(items.get()) : 0;
  for (const bool lists : {false, true}) {
    for (Py_ssize_t i = 0; i < count; ++i) {
      PyObject* item = PyList_GET_ITEM(items.get(), i);
      if ((PyList_Check(item) || PyTuple_Check(item)) != lists) continue;
      tenon_value number{};
      const bool fits = lists ? holds_numbers(item) : number_value(item, number) == Converted::No;
      if (!fits) PyErr_Clear();
      Ref made = is_tensor(item) ? Ref(Py_NewRef(item))
                 : fits          ? tensor_beside(item, beside)
                                 : Ref();
      if (!made || !beside.see(context, as_tensor(made.get())->handle, true)) return Ref();
      if (PyList_SetItem(items.get(), i, made.release()) < 0) return Ref();
    }
  }
  return items;
}

namespace {

// As the core refuses a number that an integer dtype does not hold.
bool fits(const tenon_value& number, tenon_dtype dtype, const char* function, const char* operand) {
  const DtypeInfo* info = find_dtype_info(dtype);
  if (!info || number.tag != TENON_VALUE_I64 || kind_of(dtype) != Kind::Int) return true;
  const bool is_unsigned = dtype == TENON_DTYPE_U8;
  const int64_t most = INT64_MAX >> (64 - 8 * info->bytes - (is_unsigned ? 1 : 0));
  const int64_t least = is_unsigned ? 0 : -most - 1;
  if (least <= number.as.i64 && number.as.i64 <= most) return true;
  const std::string range =
      std::to_string(least) + " to " + std::to_string(most) + " (" + info->schema + ")";
  refuse("value", function, operand, range.c_str(), std::to_string(number.as.i64).c_str(), "");
  return false;
}

// NULL with an exception set.
Ref as_tensor_of(PyObject* object, const Beside& beside, const char* function, PyObject* name) {
  tenon_value number{};
  const Converted converted = number_value(object, number);
  const char* operand = PyUnicode_AsUTF8(name);
  if (!operand) return Ref();
  if (converted == Converted::Failed) {
    refuse_large(function, operand);
    return Ref();
  }
  if (converted == Converted::Yes) {
    const tenon_dtype dtype = dtype_of_number(kind_of(number), beside.dtype);
    const Ref plain(number_object(number));
    return plain && fits(number, dtype, function, operand) ? make(plain.get(), dtype, beside, true)
                                                           : Ref();
  }
  Ref made = tensor_beside(object, beside);
  if (!made && !PyErr_Occurred()) {
    refuse_type(function, operand, "a tensor or a number", object,
                "tenon.tensor(...) makes a tensor of lists and arrays");
  }
  return made;
}

// The dtype that tensors have together; NONE with an exception set.
tenon_dtype common_of(PyObject* const* tensors, Py_ssize_t count) {
  tenon_context* context = context_of_thread();
  Beside beside;
  for (Py_ssize_t i = 0; context && i < count; ++i) {
    if (!is_tensor(tensors[i])) {
      refuse_type("common", "x", "a tensor", tensors[i], "");
      return TENON_DTYPE_NONE;
    }
    if (!beside.see(context, as_tensor(tensors[i])->handle, true)) return TENON_DTYPE_NONE;
  }
  return beside.dtype;
}

// common(tensor, ...)
PyObject* common(PyObject*, PyObject* const* tensors, Py_ssize_t count) {
  const tenon_dtype dtype = common_of(tensors, count);
  return dtype == TENON_DTYPE_NONE ? nullptr : Py_XNewRef(dtype_object(dtype));
}

// met(tensor, ...): a tuple of them in that dtype.
PyObject* met(PyObject*, PyObject* const* tensors, Py_ssize_t count) {
  const tenon_dtype dtype = common_of(tensors, count);
  PyObject* wanted = dtype == TENON_DTYPE_NONE ? nullptr : dtype_object(dtype);
  Ref found(wanted ? PyTuple_New(count) : nullptr);
  for (Py_ssize_t i = 0; found && i < count; ++i) {
    tenon_view view{};
    if (!get_view(context_of_thread(), as_tensor(tensors[i])->handle, view)) return nullptr;
    PyObject* cast = view.dtype == dtype ? Py_NewRef(tensors[i])
                                         : PyObject_CallMethod(tensors[i], "astype", "O", wanted);
    if (!cast) return nullptr;
    PyTuple_SET_ITEM(found.get(), i, cast);
  }
  return found.release();
}

PyObject* all_numbers(PyObject*, PyObject* lists) { return PyBool_FromLong(holds_numbers(lists)); }

// Those with a dtype of their own come first, then lists, then numbers.
enum class Turn { Own, List, Number };

Turn turn_of(PyObject* object) {
  tenon_value number{};
  if (is_tensor(object) || object == Py_None) return Turn::Own;
  if (PyList_Check(object) || PyTuple_Check(object)) return Turn::List;
  const bool is_number = number_value(object, number) != Converted::No;
  PyErr_Clear();
  return is_number ? Turn::Number : Turn::Own;
}

// operands(function, names, given): a tuple of the same length, tensors for all but None.
PyObject* operands(PyObject*, PyObject* arguments) {
  const char* function = nullptr;
  PyObject* names = nullptr;
  PyObject* given = nullptr;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "sO!O!", &function, &PyTuple_Type, &names,
                                    &PyTuple_Type, &given)) {
    return nullptr;
  }
  const Py_ssize_t count = std::min(PyTuple_GET_SIZE(given), PyTuple_GET_SIZE(names));
  Ref found(PyTuple_New(count));
  if (!found) return nullptr;
  Beside beside;
  for (const Turn turn : {Turn::Own, Turn::List, Turn::Number}) {
    for (Py_ssize_t i = 0; i < count; ++i) {
      PyObject* object = PyTuple_GET_ITEM(given, i);
      if (turn_of(object) != turn) continue;
      Ref tensor = is_tensor(object) || object == Py_None
                       ? Ref(Py_NewRef(object))
                       : as_tensor_of(object, beside, function, PyTuple_GET_ITEM(names, i));
      if (!tensor) return nullptr;
      if (is_tensor(tensor.get()) && !beside.see(context, as_tensor(tensor.get())->handle, true)) {
        return nullptr;
      }
      PyTuple_SET_ITEM(found.get(), i, tensor.release());
    }
  }
  return found.release();
}

}  // namespace

PyMethodDef operand_methods[] = {
    {"met", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(met)), METH_FASTCALL,
     "met(tensor, ...): they in the dtype that they have together."},
    {"common", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(common)), METH_FASTCALL,
     "common(tensor, ...): the dtype that they have together."},
    {"all_numbers", all_numbers, METH_O, "all_numbers(lists): do they hold nothing else?"},
    {"operands", operands, METH_VARARGS, "operands(function, names, given): tensors for them."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace tenon::python
