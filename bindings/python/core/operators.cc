// SPDX-License-Identifier: Apache-2.0
// bindings/python/core/operators.cc: Python's operators on tensors: each is a call of one op, with
// numbers on either side, and `x += y` writes into x.
#include <array>

#include "bindings/python/core/values.h"

namespace tenon::python {

namespace {

// The ops that operators stand for, and Python's names for comparisons in their order there.
enum Operator : size_t {
  Lt,
  Le,
  Eq,
  Ne,
  Gt,
  Ge,
  Add,
  Subtract,
  Multiply,
  Divide,
  FloorDivide,
  Remainder,
  Power,
  MatrixMultiply,
  And,
  Or,
  Xor,
  LeftShift,
  RightShift,
  Negate,
  Absolute,
  Invert,
  kOperators
};
constexpr std::array<const char*, kOperators> kNames = {"tenon.lt",
                                                        "tenon.le",
                                                        "tenon.eq",
                                                        "tenon.ne",
                                                        "tenon.gt",
                                                        "tenon.ge",
                                                        "tenon.add",
                                                        "tenon.sub",
                                                        "tenon.mul",
                                                        "tenon.div",
                                                        "tenon.floor_divide",
                                                        "tenon.remainder",
                                                        "tenon.pow",
                                                        "tenon.matmul",
                                                        "tenon.bitwise_and",
                                                        "tenon.bitwise_or",
                                                        "tenon.bitwise_xor",
                                                        "tenon.bitwise_left_shift",
                                                        "tenon.bitwise_right_shift",
                                                        "tenon.neg",
                                                        "tenon.abs",
                                                        "tenon.bitwise_not"};
static_assert(Lt == Py_LT && Le == Py_LE && Eq == Py_EQ && Ne == Py_NE && Gt == Py_GT &&
              Ge == Py_GE);

std::array<const tenon_op*, kOperators> found;

// NULL with an exception set.
const tenon_op* op_of(tenon_context* context, Operator which) {
  return find_op(context, kNames[which], found[which]) ? found[which] : nullptr;
}

// Operands of one operator, and how long it may take with them.
struct Operands {
  tenon_value values[2];
  int64_t elements = 0;
  Ref made;      // a tensor for a list or an array on one side
  bool written;  // the left one is

  // `other` stands on the other side.
  Converted take(tenon_context* context, size_t index, PyObject* object, PyObject* other) {
    if (is_tensor(object)) [[likely]] {
      values[index].tag = TENON_VALUE_TENSOR;
      values[index].count = 0;
      values[index].as.tensor = as_tensor(object)->handle;
      elements += elements_of(context, as_tensor(object));
      return Converted::Yes;
    }
    const Converted converted = number_value(object, values[index]);
    if (converted != Converted::No) [[likely]]
      return converted;
    Beside beside;
    beside.promotes = !written;  // what is written keeps its dtype
    if (is_tensor(other) && !beside.see(context, as_tensor(other)->handle, true)) {
      return Converted::Failed;
    }
    made = tensor_beside(object, beside);
    if (made) return take(context, index, made.get(), other);
    return PyErr_Occurred() ? Converted::Failed : Converted::No;
  }
};

// `target` is NULL, or the tensor that is written.
PyObject* apply(Operator which, PyObject* a, PyObject* b, PyObject* target) {
  tenon_context* context = context_of_thread();
  const tenon_op* op = context ? op_of(context, which) : nullptr;
  if (!op) return nullptr;
  Operands operands;
  operands.written = target != nullptr;
  uint32_t count = 0;
  for (PyObject* each : {a, b}) {
    if (!each) continue;
    const Converted converted = operands.take(context, count++, each, each == a ? b : a);
    if (converted == Converted::No) Py_RETURN_NOTIMPLEMENTED;
    if (converted == Converted::Failed) return refuse_large(kNames[which], each == a ? "a" : "b");
  }
  tenon_tensor* output = target ? as_tensor(target)->handle : nullptr;
  const tenon_status status = run(context, work_for(operands.elements), [&] {
    return target ? tenon_op_call_into(context, op, operands.values, count, nullptr, 0, &output, 1)
                  : tenon_op_call(context, op, operands.values, count, nullptr, 0, &output, 1);
  });
  if (status != TENON_OK) {
    fail(context, status);
    if (target) reword_write(target, b, kNames[which]);
    return nullptr;
  }
  return target ? Py_NewRef(target) : wrap(output);
}

template <Operator which>
PyObject* binary(PyObject* a, PyObject* b) {
  return apply(which, a, b, nullptr);
}

template <Operator which>
PyObject* in_place(PyObject* a, PyObject* b) {
  return apply(which, a, b, a);
}

template <Operator which>
PyObject* unary(PyObject* a) {
  return apply(which, a, nullptr, nullptr);
}

PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return apply(Power, a, b, nullptr);
}

PyObject* power_in_place(PyObject* a, PyObject* b, PyObject*) { return apply(Power, a, b, a); }

PyObject* positive(PyObject* a) { return Py_NewRef(a); }

PyObject* compare(PyObject* a, PyObject* b, int which) {
  return apply(static_cast<Operator>(which), a, b, nullptr);
}

// Equality is elementwise, so tensors are told apart by identity.
Py_hash_t hash(PyObject* self) {
  const auto address = reinterpret_cast<uintptr_t>(self);
  return static_cast<Py_hash_t>(address >> 4);
}

template <class Function>
void* slot(Function* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

PyType_Slot operator_slots[] = {{Py_nb_add, slot(binary<Add>)},
                                {Py_nb_subtract, slot(binary<Subtract>)},
                                {Py_nb_multiply, slot(binary<Multiply>)},
                                {Py_nb_true_divide, slot(binary<Divide>)},
                                {Py_nb_floor_divide, slot(binary<FloorDivide>)},
                                {Py_nb_remainder, slot(binary<Remainder>)},
                                {Py_nb_power, slot(power)},
                                {Py_nb_matrix_multiply, slot(binary<MatrixMultiply>)},
                                {Py_nb_and, slot(binary<And>)},
                                {Py_nb_or, slot(binary<Or>)},
                                {Py_nb_xor, slot(binary<Xor>)},
                                {Py_nb_lshift, slot(binary<LeftShift>)},
                                {Py_nb_rshift, slot(binary<RightShift>)},
                                {Py_nb_inplace_add, slot(in_place<Add>)},
                                {Py_nb_inplace_subtract, slot(in_place<Subtract>)},
                                {Py_nb_inplace_multiply, slot(in_place<Multiply>)},
                                {Py_nb_inplace_true_divide, slot(in_place<Divide>)},
                                {Py_nb_inplace_floor_divide, slot(in_place<FloorDivide>)},
                                {Py_nb_inplace_remainder, slot(in_place<Remainder>)},
                                {Py_nb_inplace_power, slot(power_in_place)},
                                {Py_nb_inplace_and, slot(in_place<And>)},
                                {Py_nb_inplace_or, slot(in_place<Or>)},
                                {Py_nb_inplace_xor, slot(in_place<Xor>)},
                                {Py_nb_inplace_lshift, slot(in_place<LeftShift>)},
                                {Py_nb_inplace_rshift, slot(in_place<RightShift>)},
                                {Py_nb_negative, slot(unary<Negate>)},
                                {Py_nb_positive, slot(positive)},
                                {Py_nb_absolute, slot(unary<Absolute>)},
                                {Py_nb_invert, slot(unary<Invert>)},
                                {Py_tp_richcompare, slot(compare)},
                                {Py_tp_hash, slot(hash)},
                                {0, nullptr}};

}  // namespace tenon::python
