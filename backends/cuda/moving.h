// SPDX-License-Identifier: Apache-2.0
// backends/cuda/moving.h: elements moved, bit for bit, between any two layouts: what copy, reshape,
// concat and the like are made of. The kernels are in kernels/copy.cu.
//
// On the host a layout is a list of dimensions whose steps are in bytes, with the bytes of an
// element as the last of them. Dimensions are ordered by the destination's steps and merged where
// they continue each other; what then lies together in all operands is moved as the widest unit, up
// to 16 bytes, that sizes, steps and addresses allow.
#pragma once

#include <cstdlib>

#include "geometry.h"

namespace tenon::cuda {

// Dimensions of N operands; more than a tensor has, since ops split dimensions.
template <int N>
struct Dims {
  struct One {
    int64_t size;
    std::array<int64_t, N> step;
  };
  int32_t count = 0;
  One at[2 * TENON_MAX_RANK + 2];

  void push(int64_t size, const std::array<int64_t, N>& step) {
    if (size != 1) at[count++] = {size, step};
  }
  bool empty() const {
    return std::any_of(at, at + count, [](const One& one) { return one.size == 0; });
  }
  One take_last() { return at[--count]; }
  void erase(int32_t d) {
    std::copy(at + d + 1, at + count, at + d);
    --count;
  }
};

// By falling steps of operand 0, and merged if all operands allow it.
template <int N>
Dims<N> collapsed(Dims<N> dims) {
  using One = typename Dims<N>::One;
  std::stable_sort(dims.at, dims.at + dims.count, [](const One& a, const One& b) {
    return std::abs(a.step[0]) > std::abs(b.step[0]);
  });
  Dims<N> merged;
  for (int32_t d = 0; d < dims.count; ++d) {
    const One& inner = dims.at[d];
    if (merged.count > 0) {
      One& outer = merged.at[merged.count - 1];
      bool continues = true;
      for (size_t o = 0; o < N; ++o) continues &= outer.step[o] == inner.step[o] * inner.size;
      if (continues) {
        outer = {outer.size * inner.size, inner.step};
        continue;
      }
    }
    merged.push(inner.size, inner.step);
  }
  return merged;
}

// The widest unit in which operands [0, kMoved), whose steps are bytes, can be moved; `others` are
// addresses and further steps that must be multiples of it. The dimensions become those of units.
template <int kMoved, int N>
int64_t in_units(Dims<N>& dims, std::initializer_list<int64_t> others) {
  const auto divides = [&](int64_t unit) {
    if (unit == 1) return true;
    if (dims.count == 0) return false;
    const auto& inner = dims.at[dims.count - 1];
    bool fits = inner.size % unit == 0;
    for (size_t o = 0; o < N; ++o) fits &= inner.step[o] == (o < kMoved ? 1 : 0);
    for (int32_t d = 0; d + 1 < dims.count; ++d) {
      for (size_t o = 0; o < kMoved; ++o) fits &= dims.at[d].step[o] % unit == 0;
    }
    for (int64_t other : others) fits &= other % unit == 0;
    return fits;
  };
  int64_t unit = 16;
  while (!divides(unit)) unit /= 2;
  if (unit == 1) return unit;
  for (int32_t d = 0; d < dims.count; ++d) {
    const bool is_inner = d + 1 == dims.count;
    for (size_t o = 0; o < kMoved; ++o) dims.at[d].step[o] /= is_inner ? 1 : unit;
  }
  auto& inner = dims.at[dims.count - 1];
  inner.size /= unit;
  if (inner.size == 1) --dims.count;
  return unit;
}

// Calls body.operator()<U>() with the type of a unit.
template <class Body>
void dispatch_unit(int64_t unit, Body&& body) {
  switch (unit) {
    case 1:
      return body.template operator()<uint8_t>();
    case 2:
      return body.template operator()<uint16_t>();
    case 4:
      return body.template operator()<uint32_t>();
    case 8:
      return body.template operator()<uint64_t>();
    default:
      return body.template operator()<uint4>();
  }
}

// Calls body(Layout, offsets) for parts that a geometry can describe.
template <int N, class Body>
void for_launches(const Dims<N>& dims, const std::array<int64_t, N>& offsets, Body&& body,
                  int64_t most = kMaxElements) {
  if (dims.empty()) return;
  if (dims.count > TENON_MAX_RANK) {
    Dims<N> rest = dims;
    rest.erase(0);
    for (int64_t i = 0; i < dims.at[0].size; ++i) {
      std::array<int64_t, N> at = offsets;
      for (size_t o = 0; o < N; ++o) at[o] += i * dims.at[0].step[o];
      for_launches<N>(rest, at, body, most);
    }
    return;
  }
  Layout<N> layout;
  for (int32_t d = 0; d < dims.count; ++d) layout.push(dims.at[d].size, dims.at[d].step);
  for_parts<N>(layout, offsets, body, most);
}

inline int64_t address_of(const void* data) {
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(data));
}

// A view's steps in bytes.
inline int64_t step_of(const tenon_view& view, size_t d) {
  return view.strides[d] * sdk::size_of(view.dtype);
}

// to[...] = from[...] over dimensions whose steps are bytes; the last ones are an element's bytes.
void move_bytes(const sdk::Launch& l, const Dims<2>& dims, void* to, const void* from);

// out[...] = from[...] for a view as large as `out`, which may be a part of the output that begins
// at `to`.
void move_elements(const sdk::Launch& l, const tenon_view& out, void* to, const tenon_view& from);

// Every element of `out` is the one with these bits.
void fill_elements(const sdk::Launch& l, const tenon_view& out, uint64_t bits);

// An attribute's number as an element of that dtype.
uint64_t bits_of(const tenon_value& value, tenon_dtype dtype);

}  // namespace tenon::cuda
