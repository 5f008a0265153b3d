// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/along.h: indices that name places along an axis.
#pragma once

#include "kernels/rows.h"

namespace tenon::ref {

using IndexTypes = sdk::TypeList<int32_t, int64_t>;
inline constexpr tenon_dtype kIndexDtypes[] = {TENON_DTYPE_I32, TENON_DTYPE_I64};
inline constexpr auto kAnyByIndex = sdk::pairs(sdk::kAllDtypes, kIndexDtypes);

[[noreturn]] inline void refuse_index(const std::string& operand, std::span<const int64_t> shape,
                                      int64_t linear, int64_t index, int64_t size, int64_t least) {
  throw sdk::Failure{TENON_E_DATA,
                     sdk::place_in(operand, shape, linear) + " is " + std::to_string(index) +
                         ", outside the " + std::to_string(size) + " it may name",
                     "indices",
                     std::to_string(least) + " <= index < " + std::to_string(size),
                     std::to_string(index),
                     "check the values that were used as indices"};
}

// Refuses the first index outside [least, size), before anything is written.
template <class I>
void check_indices(const tenon_view& indices, int64_t size, const std::string& operand,
                   int64_t least = 0) {
  const auto shape = sdk::shape_of(indices);
  sdk::walk<1>(shape, {sdk::strided(indices)}, [&](const sdk::Run<1>& run) {
    for (int64_t i = 0; i < run.count; ++i) {
      const int64_t index = sdk::load<I>(run.data[0] + i * run.step[0]);
      if (index >= least && index < size) continue;
      refuse_index(operand, shape, run.first + i, index, size, least);
    }
  });
}

// An operand as its broadcast to `shape` is walked.
inline sdk::Strided broadcast(const tenon_view& view, std::span<const int64_t> shape) {
  const sdk::Strided own = sdk::strided(view);
  sdk::Strided out{own.data, {}};
  const auto rank = static_cast<size_t>(view.rank);
  for (size_t d = 0; d < rank; ++d) {
    if (view.shape[d] != 1) out.step[shape.size() - rank + d] = own.step[d];
  }
  return out;
}

// Packed memory of `shape`, row by row.
inline sdk::Strided packed(std::span<const int64_t> shape, void* memory, int64_t element_size) {
  sdk::Strided out{static_cast<char*>(memory), {}};
  for (size_t d = shape.size(); d-- > 0;) {
    out.step[d] = element_size;
    element_size *= shape[d];
  }
  return out;
}

// The lines of a tensor along an axis: where each begins, and the way along it.
struct Lines {
  sdk::Strided begin;
  int64_t step;

  Lines(sdk::Strided strided, size_t axis) : begin(strided), step(strided.step[axis]) {
    begin.step[axis] = 0;
  }
};

// A place counted from the front; negative indices count from the end.
inline int64_t from_front(int64_t index, int64_t size) { return index < 0 ? index + size : index; }

// Calls body(place, operand) for each index in row-major order: its place in its line, and the
// operand's element at the index. `size` of the axis is for indices that count from the end.
template <class I, class Body>
void each_place(const tenon_view& indices, const Lines& lines, const sdk::Strided& operand,
                Body&& body, int64_t size = 0) {
  sdk::walk<3>(sdk::shape_of(indices), {lines.begin, sdk::strided(indices), operand},
               [&](const sdk::Run<3>& run) {
                 for (int64_t i = 0; i < run.count; ++i) {
                   const int64_t index =
                       from_front(sdk::load<I>(run.data[1] + i * run.step[1]), size);
                   char* line = run.data[0] + i * run.step[0];
                   body(line + index * lines.step, run.data[2] + i * run.step[2], run.first + i);
                 }
               });
}

// sum += value, rounded to T. Truths are joined.
template <class T>
void add_to(char* sum, T value) {
  if constexpr (std::is_same_v<T, sdk::Bool>) {
    sdk::store(sum, sdk::Bool(sdk::load<T>(sum) || value));
  } else {
    using C = sdk::Compute<T>;
    sdk::store(sum, sdk::narrow<T>(C(sdk::load<T>(sum)) + C(value)));
  }
}

}  // namespace tenon::ref
