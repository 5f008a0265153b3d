// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/nested.cc: tensors from nested lists of numbers.
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "bindings/python/core/values.h"

namespace tenon::python {

namespace {

bool is_list(PyObject* object) { return PyList_Check(object) || PyTuple_Check(object); }

// The numbers of a nested list in row-major order, and what they have in common.
struct Numbers {
  std::vector<int64_t> shape;
  std::vector<tenon_value> values;
  bool all_bool = true;
  bool any_float = false;

  bool read(PyObject* object);

 private:
  bool read_level(PyObject* object, size_t depth);
};

// expected  -1: a number
bool refuse_shape(size_t depth, int64_t expected, Py_ssize_t found) {
  const std::string what = expected < 0 ? "a number" : std::to_string(expected) + " elements";
  const std::string wanted = what + " at depth " + std::to_string(depth) + ", like its neighbours";
  const std::string got = found < 0      ? "a number"
                          : expected < 0 ? "a list"
                                         : std::to_string(found) + " elements";
  refuse("value", "tensor", "data", wanted.c_str(), got.c_str(), "lists must be rectangular");
  return false;
}

bool Numbers::read_level(PyObject* object, size_t depth) {
  if (depth == shape.size()) {
    if (is_list(object)) return refuse_shape(depth, -1, PySequence_Fast_GET_SIZE(object));
    tenon_value value{};
    const Converted converted = operand_value(object, value);
    if (converted == Converted::Failed) return refuse_large("tensor", "data") != nullptr;
    if (converted == Converted::No || value.tag == TENON_VALUE_TENSOR) {
      refuse_type("tensor", "data", "a number, a nested list of numbers, or a buffer", object,
                  "tenon.stack([...]) joins tensors");
      return false;
    }
    all_bool = all_bool && value.tag == TENON_VALUE_BOOL;
    any_float = any_float || value.tag == TENON_VALUE_F64;
    values.push_back(value);
    return true;
  }
  const Py_ssize_t count = is_list(object) ? PySequence_Fast_GET_SIZE(object) : -1;
  if (count != shape[depth]) return refuse_shape(depth, shape[depth], count);
  for (Py_ssize_t i = 0; i < count; ++i) {
    // The conversion of an element may have changed the list.
    const Py_ssize_t now = PySequence_Fast_GET_SIZE(object);
    if (now != count) return refuse_shape(depth, count, now);
    const Ref item(Py_NewRef(PySequence_Fast_GET_ITEM(object, i)));
    if (!read_level(item.get(), depth + 1)) return false;
  }
  return true;
}

bool Numbers::read(PyObject* object) {
  // Nothing of the caller's runs here.
  for (PyObject* level = object; is_list(level); level = PySequence_Fast_GET_ITEM(level, 0)) {
    if (shape.size() == TENON_MAX_RANK) {
      refuse("value", "tensor", "data", "at most 8 dimensions", "more", "");
      return false;
    }
    shape.push_back(PySequence_Fast_GET_SIZE(level));
    if (shape.back() == 0) break;
  }
  all_bool = true;
  const bool good = read_level(object, 0);
  all_bool = all_bool && !values.empty();
  any_float = any_float || values.empty();
  return good;
}

// Is it in the range of an integer dtype, without its fraction?
bool holds(tenon_dtype dtype, const tenon_value& value) {
  const int bits = static_cast<int>(dtype >> 8 & 0xff);
  const bool is_unsigned = (dtype & 0xff) == 1;
  const int64_t most = INT64_MAX >> (is_unsigned ? 63 - bits : 64 - bits);
  const int64_t least = is_unsigned ? 0 : -most - 1;
  if (value.tag != TENON_VALUE_F64) return least <= value.as.i64 && value.as.i64 <= most;
  const double whole = std::trunc(value.as.f64);  // most + 1 is a power of two
  return static_cast<double>(least) <= whole && whole < static_cast<double>(most) + 1;
}

// Numbers become elements, unlike those of an array, which are cast: they have to fit.
bool check_fit(const std::vector<tenon_value>& values, tenon_dtype dtype) {
  const auto code = dtype & 0xff;
  if (code != 0 && code != 1) return true;  // no integers
  for (const tenon_value& value : values) {
    if (holds(dtype, value)) continue;
    const int bits = static_cast<int>(dtype >> 8 & 0xff);
    const std::string range = code == 1    ? "0 to " + std::to_string((uint64_t{1} << bits) - 1)
                              : bits == 64 ? "-2**63 to 2**63 - 1"
                                           : std::to_string(-(int64_t{1} << (bits - 1))) + " to " +
                                                 std::to_string((int64_t{1} << (bits - 1)) - 1);
    const Ref number(value.tag == TENON_VALUE_F64 ? PyFloat_FromDouble(value.as.f64)
                                                  : PyLong_FromLongLong(value.as.i64));
    const Ref text(number ? PyObject_Repr(number.get()) : nullptr);
    const char* const found = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
    if (!found) return false;
    const std::string expected =
        "numbers that " + std::string(find_dtype_info(dtype)->name) + " holds, " + range;
    refuse("value", "tensor", "data", expected.c_str(), found,
           "a wider dtype holds it; x.astype(dtype) wraps integers");
    return false;
  }
  return true;
}

template <class Number>
void* write(const std::vector<tenon_value>& values, std::vector<unsigned char>& out) {
  out.resize(values.size() * sizeof(Number));
  for (size_t i = 0; i < values.size(); ++i) {
    const tenon_value& value = values[i];
    const Number number = value.tag == TENON_VALUE_F64 ? static_cast<Number>(value.as.f64)
                                                       : static_cast<Number>(value.as.i64);
    std::memcpy(out.data() + i * sizeof number, &number, sizeof number);
  }
  return out.data();
}

// from_numbers(data, dtype): float32, int64 or bool, by what the numbers are. Of a dtype that is
// given they are checked to fit it, and floats are float64, so that it is reached with one
// rounding.
PyObject* from_numbers(PyObject*, PyObject* arguments) {
  PyObject* data = nullptr;
  PyObject* given = nullptr;
  tenon_context* context = context_of_thread();
  if (!context || !PyArg_ParseTuple(arguments, "OO", &data, &given)) return nullptr;
  const bool wide = given != Py_None;
  const tenon_dtype target = wide ? dtype_from(given) : 0;
  Numbers numbers;
  if ((wide && target == 0) || !numbers.read(data)) return nullptr;
  if (wide && !check_fit(numbers.values, target)) return nullptr;
  std::vector<unsigned char> bytes;
  tenon_dtype dtype = TENON_DTYPE_I64;
  if (numbers.all_bool) {
    dtype = TENON_DTYPE_BOOL;
    write<uint8_t>(numbers.values, bytes);
  } else if (!numbers.any_float) {
    write<int64_t>(numbers.values, bytes);
  } else if (wide) {
    dtype = TENON_DTYPE_F64;
    write<double>(numbers.values, bytes);
  } else {
    dtype = TENON_DTYPE_F32;
    write<float>(numbers.values, bytes);
  }
  tenon_tensor* tensor = nullptr;
  const tenon_status status =
      tenon_tensor_create_from(context, dtype, nullptr, static_cast<int32_t>(numbers.shape.size()),
                               numbers.shape.data(), bytes.data(), bytes.size(), &tensor);
  return status == TENON_OK ? wrap(tensor) : fail(context, status);
}

}  // namespace

PyMethodDef nested_methods[] = {
    {"from_numbers", guarded<from_numbers>, METH_VARARGS,
     "from_numbers(data, dtype): a tensor of a number or of nested lists of numbers; they are "
     "checked to fit a dtype that is not None, and not cast to it."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace tenon::python
