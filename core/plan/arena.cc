// SPDX-License-Identifier: Apache-2.0
// core/plan/arena.cc: intervals of launches get offsets in one block of memory.
#include "core/plan/arena.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace tenon::plan {

uint64_t least_bytes(std::span<const Interval> intervals) {
  uint32_t end = 0;
  for (const Interval& each : intervals) end = std::max(end, each.last + 2);
  std::vector<int64_t> changes(end, 0);
  for (const Interval& each : intervals) {
    changes[each.first] += static_cast<int64_t>(each.bytes);
    changes[each.last + 1] -= static_cast<int64_t>(each.bytes);
  }
  int64_t live = 0;
  int64_t most = 0;
  for (const int64_t change : changes) most = std::max(most, live += change);
  return static_cast<uint64_t>(most);
}

namespace {

// Whether the first of two is placed before the second; ties go by their numbers.
using Before = bool (*)(const Interval& a, const Interval& b);

uint64_t length(const Interval& each) { return uint64_t{each.last} - each.first + 1; }

constexpr Before kOrders[] = {
    [](const Interval& a, const Interval& b) { return a.bytes > b.bytes; },
    [](const Interval& a, const Interval& b) { return a.bytes * length(a) > b.bytes * length(b); },
    [](const Interval& a, const Interval& b) { return length(a) > length(b); },
    [](const Interval& a, const Interval& b) { return a.first < b.first; },
    [](const Interval& a, const Interval& b) { return a.last > b.last; },
};

// Each goes into the smallest gap, between those placed that it meets, which is large enough.
uint64_t place_in(std::span<const Interval> intervals, std::span<const uint32_t> order,
                  std::vector<uint64_t>& offsets) {
  std::vector<uint32_t> placed;  // by offset
  placed.reserve(order.size());
  uint64_t total = 0;
  for (const uint32_t number : order) {
    const Interval& each = intervals[number];
    uint64_t end = 0;  // of those before, which it meets
    uint64_t best = UINT64_MAX;
    uint64_t smallest = UINT64_MAX;
    for (const uint32_t other : placed) {
      if (!intervals[other].meets(each)) continue;
      const uint64_t begin = offsets[other];
      if (begin >= end + each.bytes && begin - end < smallest) {
        smallest = begin - end;
        best = end;
      }
      end = std::max(end, begin + intervals[other].bytes);
    }
    if (best == UINT64_MAX) best = end;
    offsets[number] = best;
    total = std::max(total, best + each.bytes);
    const auto after =
        std::upper_bound(placed.begin(), placed.end(), best,
                         [&](uint64_t offset, uint32_t other) { return offset < offsets[other]; });
    placed.insert(after, number);
  }
  return total;
}

}  // namespace

uint64_t place(std::span<Interval> intervals) {
  const uint64_t least = least_bytes(intervals);
  std::vector<uint32_t> order(intervals.size());
  std::vector<uint64_t> offsets(intervals.size());
  uint64_t best = UINT64_MAX;
  for (const Before before : kOrders) {
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return before(intervals[a], intervals[b]); });
    const uint64_t total = place_in(intervals, order, offsets);
    if (total >= best) continue;
    best = total;
    for (size_t i = 0; i < intervals.size(); ++i) intervals[i].offset = offsets[i];
    if (best == least) break;
  }
  return intervals.empty() ? 0 : best;
}

}  // namespace tenon::plan
