// SPDX-License-Identifier: Apache-2.0
// plugins/ops/shape/slicing.hpp: Python's slice arithmetic, shared by slice and slice_put.
#pragma once

#include <algorithm>
#include <optional>

#include "rules.hpp"

namespace tenon::rules {

// The places start, start + step, ..., `count` of them. With fewer than two, step is 1; with none,
// start is 0: nothing computed from a Range can overflow or leave the axis.
struct Range {
  int64_t start = 0;
  int64_t step = 1;
  int64_t count = 0;

  int64_t last() const { return start + (count - 1) * step; }
};

// x[start:stop:step] of an axis with `size` elements, as CPython's PySlice_AdjustIndices.
inline Range slice_range(int64_t size, std::optional<int64_t> start, std::optional<int64_t> stop,
                         int64_t step) {
  if (step == 0) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "step is zero", "step", "any integer but 0", "0"};
  }
  const bool backward = step < 0;
  // Where a walk in this direction may begin and end; -1 stands before the first element.
  const int64_t lowest = backward ? -1 : 0;
  const int64_t highest = backward ? size - 1 : size;
  const auto place = [&](std::optional<int64_t> given, int64_t otherwise) {
    if (!given) return otherwise;
    const int64_t index = *given < 0 ? *given + size : *given;
    return std::clamp(index, lowest, highest);
  };
  const int64_t first = place(start, backward ? highest : lowest);
  const int64_t end = place(stop, backward ? lowest : highest);
  const int64_t distance = backward ? first - end : end - first;
  if (distance <= 0) return {};
  // -step may not exist, -(step + 1) always does.
  const auto stride =
      backward ? static_cast<uint64_t>(-(step + 1)) + 1 : static_cast<uint64_t>(step);
  const auto count = static_cast<int64_t>((static_cast<uint64_t>(distance) - 1) / stride + 1);
  return {first, count > 1 ? step : 1, count};
}

}  // namespace tenon::rules
