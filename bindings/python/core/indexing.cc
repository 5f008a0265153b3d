// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/indexing.cc: x[key] and x[key] = value for keys of integers, slices, None
// and Ellipsis: at most one op for each slice, one for all integers and one for all new dimensions.
//
// Every other key, and whatever is wrong with one, goes to tenon/_indexing.py, which gives the same
// results and has the words of refusals.
#include <algorithm>
#include <array>

#include "bindings/python/core/values.h"

namespace tenon::python {

namespace {

// Of what ops made on the way; the first is somebody else's.
class Chain {
 public:
  Chain(tenon_context* context, tenon_tensor* first) : context_(context), now_(first) {}
  ~Chain() {
    if (owned_) tenon_tensor_release(now_);
  }
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;

  tenon_tensor* now() const { return now_; }
  bool is_new() const { return owned_; }
  tenon_tensor* take() {
    owned_ = false;
    return now_;
  }

  // False with an exception set.
  bool call(const char* name, const tenon_op*& op, const tenon_value* attrs, uint32_t count) {
    tenon_value input{TENON_VALUE_TENSOR, 0, {}};
    input.as.tensor = now_;
    tenon_tensor* made = nullptr;
    if (!find_op(context_, name, op)) return false;
    const tenon_status status = tenon_op_call(context_, op, &input, 1, attrs, count, &made, 1);
    if (status != TENON_OK) {
      fail(context_, status);
      return false;
    }
    if (owned_) tenon_tensor_release(now_);
    now_ = made;
    owned_ = true;
    return true;
  }

 private:
  tenon_context* context_;
  tenon_tensor* now_;
  bool owned_ = false;
};

struct Ops {
  const tenon_op* slice = nullptr;
  const tenon_op* squeeze = nullptr;
  const tenon_op* unsqueeze = nullptr;
  const tenon_op* reshape = nullptr;
  const tenon_op* broadcast_to = nullptr;
  const tenon_op* cast = nullptr;
  const tenon_op* copy = nullptr;
  const tenon_op* full = nullptr;
};
Ops found;

tenon_value integer(int64_t number) {
  tenon_value value{TENON_VALUE_I64, 0, {}};
  value.as.i64 = number;
  return value;
}

// Axes, or the lengths of a shape.
struct Integers {
  std::array<int64_t, TENON_MAX_RANK> numbers{};
  uint64_t count = 0;

  bool push(int64_t number) {
    if (count == numbers.size()) return false;
    numbers[count++] = number;
    return true;
  }
  tenon_value value() const {
    tenon_value list{TENON_VALUE_INT_LIST, static_cast<decltype(list.count)>(count), {}};
    list.as.ints = numbers.data();
    return list;
  }
};

// A slice of one axis as the op has it.
struct Cut {
  int64_t axis;
  tenon_value start;
  tenon_value stop;
  tenon_value step;
};

// An int of Python's own, in 64 bits.
bool read_integer(PyObject* object, int64_t& out) {
  if (!PyLong_CheckExact(object)) return false;
  int overflow = 0;
  out = PyLong_AsLongLongAndOverflow(object, &overflow);
  return overflow == 0;
}

bool read_end(PyObject* object, tenon_value& out) {
  out = {TENON_VALUE_NONE, 0, {}};
  int64_t number = 0;
  if (object == Py_None) return true;
  if (!read_integer(object, number)) return false;
  out = integer(number);
  return true;
}

// What a key asks for.
class Key {
 public:
  // False if it is one for tenon/_indexing.py. No exception is set.
  bool read(const tenon_view& view, PyObject* key) {
    PyObject* const* parts = &key;
    Py_ssize_t count = 1;
    if (PyTuple_CheckExact(key)) {
      count = PyTuple_GET_SIZE(key);
      parts = count == 0 ? &key : &PyTuple_GET_ITEM(key, 0);
    }
    Py_ssize_t indices = 0;
    Py_ssize_t dots = 0;
    for (Py_ssize_t i = 0; i < count; ++i) {
      if (parts[i] == Py_Ellipsis) {
        ++dots;
      } else if (parts[i] != Py_None) {
        ++indices;
      }
    }
    if (dots > 1 || indices > view.rank) return false;
    const int64_t skipped = view.rank - indices;
    int64_t axis = 0;
    int64_t place = 0;  // in the result
    for (Py_ssize_t i = 0; i < count; ++i) {
      PyObject* const part = parts[i];
      if (part == Py_Ellipsis) {
        axis += skipped;
        place += skipped;
      } else if (part == Py_None) {
        if (!added_.push(place++)) return false;
      } else if (PySlice_Check(part)) {
        if (!read_slice(part, axis++)) return false;
        ++place;
      } else if (!read_place(part, view.shape[axis], axis)) {
        return false;
      } else {
        ++axis;
      }
    }
    return true;
  }

  // False with an exception set.
  bool apply(Chain& chain) const {
    for (size_t i = 0; i < n_cuts_; ++i) {
      const Cut& cut = cuts_[i];
      const tenon_value attrs[] = {integer(cut.axis), cut.start, cut.stop, cut.step};
      if (!chain.call("tenon.slice", found.slice, attrs, 4)) return false;
    }
    const tenon_value gone = gone_.value();
    const tenon_value added = added_.value();
    return (gone_.count == 0 || chain.call("tenon.squeeze", found.squeeze, &gone, 1)) &&
           (added_.count == 0 || chain.call("tenon.unsqueeze", found.unsqueeze, &added, 1));
  }

 private:
  bool read_slice(PyObject* part, int64_t axis) {
    const auto* slice = reinterpret_cast<PySliceObject*>(part);
    Cut cut{axis, {}, {}, {}};
    if (!read_end(slice->start, cut.start) || !read_end(slice->stop, cut.stop) ||
        !read_end(slice->step, cut.step)) {
      return false;
    }
    const bool steps = cut.step.tag != TENON_VALUE_NONE;
    if (steps && cut.step.as.i64 == 0) return false;
    if (!steps) cut.step = integer(1);
    if (steps || cut.start.tag != TENON_VALUE_NONE || cut.stop.tag != TENON_VALUE_NONE) {
      cuts_[n_cuts_++] = cut;
    }
    return true;
  }

  bool read_place(PyObject* part, int64_t length, int64_t axis) {
    int64_t place = 0;
    if (!read_integer(part, place) || place < -length || place >= length) return false;
    if (place < 0) place += length;
    cuts_[n_cuts_++] = {axis, integer(place), integer(place + 1), integer(1)};
    return gone_.push(axis);
  }

  std::array<Cut, TENON_MAX_RANK> cuts_;
  size_t n_cuts_ = 0;
  Integers gone_;
  Integers added_;
};

tenon_value shape_value(const tenon_view& view) {
  tenon_value shape{TENON_VALUE_INT_LIST, static_cast<decltype(shape.count)>(view.rank), {}};
  shape.as.ints = view.shape;
  return shape;
}

// `value` as a tensor of target's dtype and shape. False with an exception set.
bool fit(tenon_context* context, Chain& value, const tenon_view& target) {
  tenon_view view{};
  if (!get_view(context, value.now(), view)) return false;
  if (view.dtype != target.dtype) {
    tenon_value dtype{TENON_VALUE_DTYPE, 0, {}};
    dtype.as.dtype = target.dtype;
    if (!value.call("tenon.cast", found.cast, &dtype, 1)) return false;
  }
  // As NumPy: dimensions of length 1 in front do not matter.
  int32_t lead = 0;
  while (view.rank - lead > target.rank && view.shape[lead] == 1) ++lead;
  if (lead > 0) {
    view.rank -= lead;
    view.shape += lead;
    const tenon_value shape = shape_value(view);
    if (!value.call("tenon.reshape", found.reshape, &shape, 1)) return false;
  }
  if (view.rank == target.rank && std::equal(view.shape, view.shape + view.rank, target.shape)) {
    return true;
  }
  const tenon_value shape = shape_value(target);
  return value.call("tenon.broadcast_to", found.broadcast_to, &shape, 1);
}

bool write(tenon_context* context, const char* name, const tenon_op*& op, const tenon_value* input,
           const tenon_value* attrs, uint32_t n_attrs, const tenon_view& view,
           tenon_tensor* target) {
  if (!find_op(context, name, op)) return false;
  int64_t elements = 1;
  for (int32_t i = 0; i < view.rank; ++i) elements *= view.shape[i];
  const tenon_status status = run(context, work_for(elements), [&] {
    return tenon_op_call_into(context, op, input, input ? 1 : 0, attrs, n_attrs, &target, 1);
  });
  if (status != TENON_OK) fail(context, status);
  return status == TENON_OK;
}

bool put(tenon_context* context, tenon_tensor* target, PyObject* object,
         const tenon_value& number) {
  tenon_view view{};
  if (!get_view(context, target, view)) return false;
  if (!is_tensor(object)) {
    tenon_value dtype{TENON_VALUE_DTYPE, 0, {}};
    dtype.as.dtype = view.dtype;
    const tenon_value attrs[] = {shape_value(view), number, dtype};
    return write(context, "tenon.full", found.full, nullptr, attrs, 3, view, target);
  }
  Chain value(context, as_tensor(object)->handle);
  if (!fit(context, value, view)) return false;
  tenon_value input{TENON_VALUE_TENSOR, 0, {}};
  input.as.tensor = value.now();
  return write(context, "tenon.copy", found.copy, &input, nullptr, 0, view, target);
}

// False with an exception set.
bool assign(PyObject* self, PyObject* key, PyObject* value) {
  tenon_context* context = context_of_thread();
  tenon_view view{};
  if (!context || !get_view(context, as_tensor(self)->handle, view)) return false;
  Key wanted;
  tenon_value number{};
  const bool plain = PyLong_CheckExact(value) || PyFloat_CheckExact(value) || PyBool_Check(value);
  if (!(plain || is_tensor(value)) || !wanted.read(view, key) ||
      (plain && number_value(value, number) != Converted::Yes)) {
    PyErr_Clear();
    PyObject* const arguments[] = {self, key, value};
    return static_cast<bool>(Ref(PyObject_Vectorcall(state.hooks.set_item, arguments, 3, nullptr)));
  }
  Chain chain(context, as_tensor(self)->handle);
  return wanted.apply(chain) && put(context, chain.now(), value, number);
}

}  // namespace

PyObject* get_item(PyObject* self, PyObject* key) {
  tenon_context* context = context_of_thread();
  tenon_view view{};
  if (!context || !get_view(context, as_tensor(self)->handle, view)) return nullptr;
  Key wanted;
  if (!wanted.read(view, key)) {
    PyObject* const arguments[] = {self, key};
    return PyObject_Vectorcall(state.hooks.get_item, arguments, 2, nullptr);
  }
  Chain chain(context, as_tensor(self)->handle);
  if (!wanted.apply(chain)) return nullptr;
  return chain.is_new() ? wrap(chain.take()) : Py_NewRef(self);
}

int set_item(PyObject* self, PyObject* key, PyObject* value) {
  if (!value) {
    PyErr_SetString(PyExc_TypeError, "elements of a tensor cannot be deleted");
    return -1;
  }
  if (assign(self, key, value)) return 0;
  reword_write(self, value, nullptr);
  return -1;
}

}  // namespace tenon::python
