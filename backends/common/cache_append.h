// SPDX-License-Identifier: Apache-2.0
// backends/common/cache_append.h: cache_append in host memory. How elements are copied is each
// backend's own.
#pragma once

#include <algorithm>
#include <array>

#include "common/sight.h"

namespace tenon::backends {

// Calls copy(shape, to, rows) for each sequence, a batch of one: rows go to `to`. Checks all starts
// before.
template <class Copy>
void cache_append_with(const sdk::Launch& l, const Copy& copy) {
  enum Slot : uint32_t { kCache, kRows, kStart };
  const std::span<const int64_t> cache = l.shape(kCache), rows = l.shape(kRows);
  const size_t axis = cache.size() - 2;
  const SequenceNumbers starts(l, kStart, "start", cache[axis] - rows[axis], "cache",
                               "start + positions of rows is to be at most those of the cache");
  std::array<int64_t, TENON_MAX_RANK> shape{};
  std::ranges::copy(rows, shape.begin());
  shape[0] = 1;
  const sdk::Strided whole = sdk::strided(l.view(kCache));
  sdk::Strided from = sdk::strided(l.view(kRows));
  for (int64_t b = 0; b < rows[0]; ++b, from.data += from.step[0]) {
    sdk::Strided to = whole;
    to.data += b * to.step[0] + starts.at(b, 0) * to.step[axis];
    copy(std::span(shape.data(), rows.size()), to, from);
  }
}

}  // namespace tenon::backends
