// SPDX-License-Identifier: Apache-2.0
// backends/cuda/geometry.h: shapes and strides of N operands as a kernel's parameter.
#pragma once

#include <tenon/sdk/plugin/kernel.hpp>

#include <algorithm>
#include <array>

#include "launch.h"
#include "portable.h"

namespace tenon::cuda {

// One shape and the strides, in elements, of N operands that have it; below 2^31 elements. The
// dimensions are row-major; those of size 1 are left out.
template <int N>
struct Geometry {
  uint32_t count = 1;  // of elements
  int32_t rank = 0;
  Divisor size[TENON_MAX_RANK];
  int64_t stride[N][TENON_MAX_RANK];

  // Offsets, in elements, of the element with that row-major number.
  __device__ __forceinline__ void offsets(uint32_t number, int64_t (&out)[N]) const {
#pragma unroll
    for (int o = 0; o < N; ++o) out[o] = 0;
      // The loop's end is a constant, so that nothing is indexed by a variable in registers.
#pragma unroll
    for (int d = TENON_MAX_RANK - 1; d >= 0; --d) {
      if (d >= rank) continue;
      const uint32_t rest = size[d].divide(number);
      const uint32_t index = number - rest * size[d].value;
      number = rest;
#pragma unroll
      for (int o = 0; o < N; ++o) out[o] += static_cast<int64_t>(index) * stride[o][d];
    }
  }
};

// Shapes and strides on the host, of any size, which geometries are made of.
template <int N>
struct Layout {
  int32_t rank = 0;
  int64_t shape[TENON_MAX_RANK] = {};
  int64_t stride[N][TENON_MAX_RANK] = {};

  int64_t count() const {
    int64_t total = 1;
    for (int32_t d = 0; d < rank; ++d) total *= shape[d];
    return total;
  }
  void push(int64_t size, const std::array<int64_t, N>& strides) {
    if (size == 1) return;
    shape[rank] = size;
    for (size_t o = 0; o < N; ++o) stride[o][rank] = strides[o];
    ++rank;
  }
  Geometry<N> geometry() const {
    Geometry<N> g{};
    g.count = static_cast<uint32_t>(count());
    g.rank = rank;
    for (int32_t d = 0; d < rank; ++d) {
      g.size[d] = Divisor(static_cast<uint32_t>(shape[d]));
      for (int o = 0; o < N; ++o) g.stride[o][d] = stride[o][d];
    }
    return g;
  }
};

// Calls body(Layout, offsets) for parts of `whole` of at most `most` elements each, in row-major
// order; offsets are where the part begins in each operand, in elements.
template <int N>
using PartFn = void (*)(void* body, const Layout<N>& part, const std::array<int64_t, N>& offsets);

template <int N>
void cut_parts(const Layout<N>& whole, const std::array<int64_t, N>& offsets, int64_t most,
               PartFn<N> body_fn, void* body) {
  if (whole.count() == 0) return;
  if (whole.count() <= most) return body_fn(body, whole, offsets);
  // The first dimension is the largest that can be cut without changing the order.
  const int64_t inner = whole.count() / whole.shape[0];
  const int64_t step = std::max<int64_t>(1, most / inner);
  for (int64_t begin = 0; begin < whole.shape[0]; begin += step) {
    const int64_t size = std::min(step, whole.shape[0] - begin);
    std::array<int64_t, N> at = offsets;
    for (size_t o = 0; o < N; ++o) at[o] += begin * whole.stride[o][0];
    Layout<N> part = whole;
    part.shape[0] = size;
    if (size == 1) {
      part = {};
      for (int32_t d = 1; d < whole.rank; ++d) {
        std::array<int64_t, N> strides{};
        for (size_t o = 0; o < N; ++o) strides[o] = whole.stride[o][d];
        part.push(whole.shape[d], strides);
      }
    }
    cut_parts<N>(part, at, most, body_fn, body);
  }
}

// One copy of the cutting serves the bodies of all kernels, of which there are more than a
// thousand.
template <int N, class Body>
void for_parts(const Layout<N>& whole, const std::array<int64_t, N>& offsets, Body&& body,
               int64_t most = kMaxElements) {
  using Callable = std::remove_reference_t<Body>;
  const PartFn<N> call = [](void* erased, const Layout<N>& part, const std::array<int64_t, N>& at) {
    (*static_cast<Callable*>(erased))(part, at);
  };
  cut_parts<N>(whole, offsets, most, call, const_cast<void*>(static_cast<const void*>(&body)));
}

// The layout of operands of one shape; a view of rank 0 pairs with any.
template <int N>
Layout<N> layout_of(std::span<const int64_t> shape, const std::array<const tenon_view*, N>& views) {
  Layout<N> layout;
  for (size_t d = 0; d < shape.size(); ++d) {
    std::array<int64_t, N> strides{};
    for (size_t o = 0; o < N; ++o) strides[o] = views[o]->rank == 0 ? 0 : views[o]->strides[d];
    layout.push(shape[d], strides);
  }
  return layout;
}

inline std::span<const int64_t> shape_of(const tenon_view& view) {
  return {view.shape, static_cast<size_t>(view.rank)};
}

inline bool is_row_major(const tenon_view& view) {
  int64_t expected = 1;
  for (int32_t d = view.rank - 1; d >= 0; --d) {
    if (view.shape[d] != 1 && view.strides[d] != expected) return false;
    expected *= view.shape[d];
  }
  return true;
}

}  // namespace tenon::cuda
