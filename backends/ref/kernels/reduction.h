// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/reduction.h: one output element for each slice of the input.
#pragma once

#include "common/shapes.h"
#include "kernels/ref.h"

namespace tenon::ref {

using namespace backends;

// Dimensions with their steps in up to two operands.
struct Dims {
  std::array<int64_t, TENON_MAX_RANK> shape{};
  sdk::Strided in;
  sdk::Strided out;
  size_t rank = 0;

  void add(int64_t size, int64_t in_step, int64_t out_step) {
    shape[rank] = size;
    in.step[rank] = in_step;
    out.step[rank] = out_step;
    ++rank;
  }
  std::span<const int64_t> sizes() const { return {shape.data(), rank}; }
};

// The input's dimensions split in two: an output element stands for all of `reduced`.
struct Reduction {
  Dims kept;
  Dims reduced;

  // Elements reduced into each output element.
  int64_t count() const { return sdk::count_of(reduced.sizes()); }

  // Calls body(char* out, const Strided& in) for each output element; `in` walks the elements
  // reduced into it, with shape reduced.sizes().
  template <class Body>
  void for_each(Body&& body) const {
    sdk::walk<2>(kept.sizes(), {kept.out, kept.in}, [&](const sdk::Run<2>& run) {
      for (int64_t i = 0; i < run.count; ++i) {
        const sdk::Strided in{run.data[1] + i * run.step[1], reduced.in.step};
        body(run.data[0] + i * run.step[0], in);
      }
    });
  }
};

inline Reduction reduce(const tenon_view& in, const tenon_view& out, const KeptAs& kept) {
  const sdk::Strided from = sdk::strided(in);
  const sdk::Strided to = sdk::strided(out);
  Reduction r;
  r.kept.in.data = from.data;
  r.kept.out.data = to.data;
  for (size_t d = 0; d < kept.rank; ++d) {
    const int32_t as = kept.dimension[d];
    if (as == kReduced) {
      r.reduced.add(in.shape[d], from.step[d], 0);
    } else {
      r.kept.add(in.shape[d], from.step[d], to.step[static_cast<size_t>(as)]);
    }
  }
  return r;
}

// `axes` has bit d set where dimension d is reduced. `keepdims`: the output has them with size 1.
inline Reduction reduce_axes(const tenon_view& in, const tenon_view& out, uint64_t axes,
                             bool keepdims) {
  return reduce(in, out, kept_beside(in, axes, keepdims));
}

// The sum of `shape` elements, in double or (integers) 64 wrapping bits.
template <class T>
sdk::Wide<T> wide_sum(std::span<const int64_t> shape, const sdk::Strided& in) {
  sdk::Wide<T> sum{};
  sdk::walk<1>(shape, {in}, [&](const sdk::Run<1>& run) {
    for (int64_t i = 0; i < run.count; ++i) {
      sum += static_cast<sdk::Wide<T>>(sdk::load<T>(run.data[0] + i * run.step[0]));
    }
  });
  return sum;
}

}  // namespace tenon::ref
