// SPDX-License-Identifier: Apache-2.0
// tenon/cpp/operators.hpp: operators and methods of tensors, which are ops, and making tensors by
// the names that Python has.
#ifndef TENON_CPP_OPERATORS_HPP
#define TENON_CPP_OPERATORS_HPP

#include <tenon/ops.hpp>

namespace tenon {

// ---- Operators ----------------------------------------------------------------------------------

// At least one side is a tensor, the other one a tensor or a number.
template <class A, class B>
concept OperatorPair = (std::same_as<A, Tensor> && (std::same_as<B, Tensor> || Arithmetic<B>)) ||
                       (Arithmetic<A> && std::same_as<B, Tensor>);

template <class A, class B>
requires OperatorPair<A, B> Tensor operator+(const A& a, const B& b) { return add(a, b); }
template <class A, class B>
requires OperatorPair<A, B> Tensor operator-(const A& a, const B& b) { return sub(a, b); }
template <class A, class B>
requires OperatorPair<A, B> Tensor operator*(const A& a, const B& b) { return mul(a, b); }
template <class A, class B>
requires OperatorPair<A, B> Tensor operator/(const A& a, const B& b) { return div(a, b); }
template <class A, class B>
requires OperatorPair<A, B> Tensor operator%(const A& a, const B& b) { return remainder(a, b); }
// Comparisons go element by element, as all of them.
template <class A, class B>
requires OperatorPair<A, B> Tensor operator==(const A& a, const B& b) { return eq(a, b); }
template <class A, class B>
requires OperatorPair<A, B> Tensor operator!=(const A& a, const B& b) { return ne(a, b); }
template <class A, class B>
requires OperatorPair<A, B> Tensor operator<(const A& a, const B& b) { return lt(a, b); }
template <class A, class B>
requires OperatorPair<A, B> Tensor operator<=(const A& a, const B& b) { return le(a, b); }
template <class A, class B>
requires OperatorPair<A, B> Tensor operator>(const A& a, const B& b) { return gt(a, b); }
template <class A, class B>
requires OperatorPair<A, B> Tensor operator>=(const A& a, const B& b) { return ge(a, b); }
template <class A, class B>
requires OperatorPair<A, B> Tensor operator&(const A& a, const B& b) { return bitwise_and(a, b); }
template <class A, class B>
requires OperatorPair<A, B> Tensor operator|(const A& a, const B& b) { return bitwise_or(a, b); }
template <class A, class B>
requires OperatorPair<A, B> Tensor operator^(const A& a, const B& b) { return bitwise_xor(a, b); }

inline Tensor operator-(const Tensor& x) { return neg(x); }
inline Tensor operator~(const Tensor& x) { return bitwise_not(x); }

// Written into x.
inline Tensor& operator+=(Tensor& x, const Operand& b) {
  add(x, b, into(x));
  return x;
}
inline Tensor& operator-=(Tensor& x, const Operand& b) {
  sub(x, b, into(x));
  return x;
}
inline Tensor& operator*=(Tensor& x, const Operand& b) {
  mul(x, b, into(x));
  return x;
}
inline Tensor& operator/=(Tensor& x, const Operand& b) {
  div(x, b, into(x));
  return x;
}

// ---- Methods ------------------------------------------------------------------------------------

inline Tensor Tensor::reshape(const Ints& shape) const {
  return tenon::reshape(*this, {.shape = shape});
}
inline Tensor Tensor::permute(const Ints& axes) const {
  return tenon::permute(*this, {.axes = axes});
}
inline Tensor Tensor::transpose(std::int64_t axis0, std::int64_t axis1) const {
  return tenon::transpose(*this, {.axis0 = axis0, .axis1 = axis1});
}
inline Tensor Tensor::clone() const { return copy(*this); }
inline Tensor Tensor::contiguous() const {
  return info().flags & TENON_TENSOR_CONTIGUOUS ? *this : copy(*this);
}
inline Tensor Tensor::astype(Dtype wanted) const {
  return dtype() == wanted ? *this : cast(*this, {.dtype = wanted});
}
inline Tensor Tensor::to(const Device& wanted) const {
  if (device() == wanted) return *this;
  return tenon::to(*this, {.kind = wanted.handle().kind, .index = wanted.handle().index});
}

// ---- Making tensors -----------------------------------------------------------------------------

inline Tensor full(const Ints& shape, Number value, Dtype dtype = float32) {
  return full({.shape = shape, .value = value, .dtype = dtype});
}
inline Tensor zeros(const Ints& shape, Dtype dtype = float32) { return full(shape, 0, dtype); }
inline Tensor ones(const Ints& shape, Dtype dtype = float32) { return full(shape, 1, dtype); }
inline Tensor zeros_like(const Tensor& x) { return full_like(x, {.value = 0}); }
inline Tensor ones_like(const Tensor& x) { return full_like(x, {.value = 1}); }
// 0, 1, ... stop - 1
inline Tensor arange(std::int64_t stop, Dtype dtype = int64) {
  return arange({.stop = stop, .dtype = dtype});
}
// Uniform from 0 to 1, and normal with mean 0 and deviation 1.
inline Tensor rand(const Ints& shape, Dtype dtype = float32) {
  return uniform({.shape = shape, .dtype = dtype});
}
inline Tensor randn(const Ints& shape, Dtype dtype = float32) {
  return normal({.shape = shape, .dtype = dtype});
}

namespace detail {

// Numbers that a program spells out: floats are f32, integers i64, as in Python.
template <Arithmetic T>
using Spelt = std::conditional_t<std::same_as<T, bool>, std::uint8_t,
                                 std::conditional_t<std::floating_point<T>, float, std::int64_t>>;

template <Arithmetic T>
Tensor tensor_of(std::initializer_list<std::initializer_list<T>> rows, const Ints& shape) {
  std::vector<Spelt<T>> numbers;
  for (const auto& row : rows) {
    if (row.size() != rows.begin()->size()) {
      refuse(TENON_E_SHAPE, "tensor", "rows",
             "rows of " + std::to_string(rows.begin()->size()) + " numbers",
             "one of " + std::to_string(row.size()));
    }
    numbers.insert(numbers.end(), row.begin(), row.end());
  }
  const Tensor made = Tensor::from(numbers, shape);
  return std::same_as<T, bool> ? made.astype(bool_) : made;
}

}  // namespace detail

// tensor(2.0), tensor({1.0, 2.0}), tensor({{1, 2}, {3, 4}}): floats are f32, integers i64. Tensor::
// from keeps the type of numbers that are there already.
template <Arithmetic T>
Tensor tensor(T number) {
  return detail::tensor_of<T>({{number}}, Ints());
}
template <Arithmetic T>
Tensor tensor(std::initializer_list<T> numbers) {
  return detail::tensor_of<T>({numbers}, static_cast<std::int64_t>(numbers.size()));
}
template <Arithmetic T>
Tensor tensor(std::initializer_list<std::initializer_list<T>> rows) {
  const std::size_t columns = rows.size() ? rows.begin()->size() : 0;
  return detail::tensor_of<T>(
      rows, {static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(columns)});
}

}  // namespace tenon

#endif  // TENON_CPP_OPERATORS_HPP
