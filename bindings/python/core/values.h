// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/values.h: Python objects as tenon_values, for the time of one call.
#ifndef TENON_BINDINGS_PYTHON_VALUES_H
#define TENON_BINDINGS_PYTHON_VALUES_H

#include <cstdlib>
#include <memory>
#include <vector>

#include "bindings/python/core/core.h"

namespace tenon::python {

// What lists among the values point to. Short ones need no allocation.
class Memory {
 public:
  // Keeps an object alive for as long.
  void keep(Ref object) { objects_.push_back(std::move(object)); }

  // `count` 64-bit words, or NULL when there is no memory.
  int64_t* take(Py_ssize_t count) {
    const auto needed = static_cast<size_t>(count);
    if (needed <= kInline - used_) {
      used_ += needed;
      return inline_ + used_ - needed;
    }
    more_.emplace_back(static_cast<int64_t*>(std::malloc(needed * sizeof(int64_t))), std::free);
    return more_.back().get();
  }

 private:
  static constexpr size_t kInline = 32;
  int64_t inline_[kInline];
  size_t used_ = 0;
  std::vector<std::unique_ptr<int64_t, void (*)(void*)>> more_;
  std::vector<Ref> objects_;
};

enum class Converted { Yes, No, Failed };  // Failed: an exception is set

// A number, of Python or of NumPy, as a weak scalar.
Converted number_value(PyObject* object, tenon_value& out);
// A tensor or a number.
Converted operand_value(PyObject* object, tenon_value& out);

// ---- operands.cc --------------------------------------------------------------------------------

// The tensors beside numbers and lists of numbers, which say what dtype those have.
struct Beside {
  tenon_dtype dtype = TENON_DTYPE_NONE;  // that of those that count, together
  bool promotes = true;                  // operands of several dtypes may meet
  bool known = false;                    // is there one, so that there is a device?
  tenon_device device{};

  // False with an exception set.
  bool see(tenon_context* context, tenon_tensor* tensor, bool counts);
};

// A tensor for what NumPy would take for an array: a list of numbers, an array, what has a buffer
// or `__array__`. None of these: no reference, and no exception.
Ref tensor_beside(PyObject* object, const Beside& beside);
// A list of tensors for one of tensors, arrays and lists of numbers; a number alone is none of
// these.
Ref tensors_beside(tenon_context* context, PyObject* list, Beside beside);
// Is there nothing but numbers in nested lists?
bool holds_numbers(PyObject* list);

// ---- values.cc ----------------------------------------------------------------------------------

// A list or tuple of tensors.
Converted tensors_value(PyObject* object, Memory& memory, tenon_value& out);
// One integer, `count` times if that is not 0, or a list or tuple of integers.
Converted ints_value(PyObject* object, int32_t count, Memory& memory, tenon_value& out);
// Whatever a value can hold, chosen by the object's own type: for named options.
Converted any_value(PyObject* object, Memory& memory, tenon_value& out);
Converted text_value(PyObject* object, tenon_value& out);

// A number as Python's.
PyObject* number_object(const tenon_value& value);

// Options by name: what tenon_<...>_create takes.
struct Options {
  std::vector<tenon_string> names;
  std::vector<tenon_value> values;
  Memory memory;

  uint32_t count() const { return static_cast<uint32_t>(names.size()); }

  // `what` stands in the message. False with an exception set.
  bool read(const char* what, PyObject* dictionary);
};

}  // namespace tenon::python

#endif  // TENON_BINDINGS_PYTHON_VALUES_H
