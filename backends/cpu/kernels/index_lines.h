// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/index_lines.h: indices that name places along an axis, and the walk over
// them that keeps their order in each line.
#pragma once

#include <atomic>

#include "kernels/rows_index.h"

namespace tenon::cpu {

template <class Body>
void dispatch_index(tenon_dtype dtype, Body&& body) {
  if (dtype == TENON_DTYPE_I32) return body.template operator()<int32_t>();
  body.template operator()<int64_t>();
}

// Reads indices of either dtype, where two copies of what is done with them would be too much.
class IndexReader {
 public:
  static constexpr int64_t kAtOnce = 256;

  explicit IndexReader(tenon_dtype dtype) : is_long_(dtype == TENON_DTYPE_I64) {}
  int64_t operator()(const char* at) const {
    return is_long_ ? sdk::load<int64_t>(at) : sdk::load<int32_t>(at);
  }
  // Calls body(first, count, indices) for `count` indices, at most kAtOnce at a time.
  template <class Body>
  void in_pieces(const char* at, int64_t step, int64_t count, const Body& body) const {
    int64_t indices[kAtOnce];
    for (int64_t first = 0; first < count; first += kAtOnce) {
      const int64_t n = std::min(kAtOnce, count - first);
      const char* const from = at + first * step;
      if (is_long_) {
        for (int64_t i = 0; i < n; ++i) indices[i] = sdk::load<int64_t>(from + i * step);
      } else {
        for (int64_t i = 0; i < n; ++i) indices[i] = sdk::load<int32_t>(from + i * step);
      }
      body(first, n, static_cast<const int64_t*>(indices));
    }
  }

 private:
  bool is_long_;
};

// Refuses the first index outside [least, size), before anything is written.
template <class I>
void check_indices(const sdk::Launch& l, const tenon_view& indices, int64_t size,
                   const std::string& operand, int64_t least = 0) {
  const auto shape = sdk::shape_of(indices);
  std::atomic<int64_t> first{sdk::count_of(shape)};
  const int64_t count = first;
  sdk::walk_parallel<1>(l, shape, {sdk::strided(indices)}, [&](const sdk::Run<1>& run) {
    // Negative as an integer if any index is below the least, or above the last.
    uint64_t signs = 0;
    const auto loop = [&](auto step) {
      for (int64_t i = 0; i < run.count; ++i) {
        const auto index = static_cast<uint64_t>(int64_t{sdk::load<I>(run.data[0] + i * step)});
        signs |= (index - static_cast<uint64_t>(least)) | (static_cast<uint64_t>(size - 1) - index);
      }
    };
    if (run.step[0] == sizeof(I)) {
      loop(std::integral_constant<int64_t, sizeof(I)>());
    } else {
      loop(run.step[0]);
    }
    const bool outside = static_cast<int64_t>(signs) < 0;
    if (!outside) return;
    for (int64_t i = 0; i < run.count; ++i) {
      const int64_t index = sdk::load<I>(run.data[0] + i * run.step[0]);
      if (index >= least && index < size) continue;
      int64_t known = first;
      while (run.first + i < known && !first.compare_exchange_weak(known, run.first + i)) {
      }
      return;
    }
  });
  if (first == count) return;
  sdk::walk_range<1>(shape, {sdk::strided(indices)}, first, first + 1, [&](const sdk::Run<1>& run) {
    refuse_index(operand, shape, run.first, int64_t{sdk::load<I>(run.data[0])}, size, least);
  });
}

inline void check_indices_of(const sdk::Launch& l, const tenon_view& indices, int64_t size,
                             const std::string& operand, int64_t least = 0) {
  dispatch_index(indices.dtype,
                 [&]<class I>() { check_indices<I>(l, indices, size, operand, least); });
}

// Calls body(run, i, step) for runs that together are all of `shape`: the elements of a run lie at
// i, i + step, ... of the axis. In each line i ascends, on one thread. Threads share the lines.
template <size_t N, class Body>
void each_line(const sdk::Launch& l, std::span<const int64_t> shape, size_t axis,
               const std::array<sdk::Strided, N>& operands, const Body& body) {
  const int64_t length = shape[axis];
  if (sdk::count_of(shape) == 0) return;
  std::array<int64_t, N> along{};
  std::array<int64_t, TENON_MAX_RANK> others{};
  std::array<sdk::Strided, N> across{};
  size_t rank = 0;
  for (size_t o = 0; o < N; ++o) {
    across[o].data = operands[o].data;
    along[o] = operands[o].step[axis];
  }
  for (size_t d = 0; d < shape.size(); ++d) {
    if (d == axis) continue;
    for (size_t o = 0; o < N; ++o) across[o].step[rank] = operands[o].step[d];
    others[rank++] = shape[d];
  }
  const std::span<const int64_t> lines(others.data(), rank);
  // Where the last dimension is another one, runs go along it, for one place of the axis each.
  const bool by_planes = rank > 0 && axis + 1 < shape.size() && others[rank - 1] >= 8;
  const int64_t fewest = by_planes ? 256 : 1;  // shorter runs cost more than threads save
  const int64_t grain = std::max(fewest, sdk::kElementwiseGrain / length);
  l.parallel_for(sdk::count_of(lines), grain, [&](int64_t begin, int64_t end) {
    if (by_planes) {
      for (int64_t i = 0; i < length; ++i) {
        std::array<sdk::Strided, N> plane = across;
        for (size_t o = 0; o < N; ++o) plane[o].data += i * along[o];
        sdk::walk_range<N>(lines, plane, begin, end,
                           [&](const sdk::Run<N>& run) { body(run, i, int64_t{0}); });
      }
      return;
    }
    sdk::walk_range<N>(lines, across, begin, end, [&](const sdk::Run<N>& run) {
      sdk::Run<N> line{0, length, run.data, along};
      for (int64_t r = 0; r < run.count; ++r) {
        body(line, int64_t{0}, int64_t{1});
        for (size_t o = 0; o < N; ++o) line.data[o] += run.step[o];
      }
    });
  });
}

}  // namespace tenon::cpu
