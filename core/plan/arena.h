// SPDX-License-Identifier: Apache-2.0
// core/plan/arena.h: where the temporaries of a plan lie in the one block of memory they share.
#pragma once

#include <cstdint>
#include <span>

namespace tenon::plan {

// Memory that is used from one launch to another; both numbers are of launches that use it.
struct Interval {
  uint64_t bytes = 0;  // a multiple of the alignment that its offset shall have
  uint32_t first = 0;
  uint32_t last = 0;
  uint64_t offset = 0;  // what place() finds
  bool meets(const Interval& other) const { return first <= other.last && other.first <= last; }
};

// The most bytes that are in use at one launch: no arrangement needs less.
[[gnu::cold]] uint64_t least_bytes(std::span<const Interval> intervals);

// Gives each an offset, so that no two that meet share a byte; how many bytes that takes. Greedy,
// in the best of several orders: after Pisarchyk and Lee, "Efficient Memory Management for Deep
// Neural Net Inference", 2020.
[[gnu::cold]] uint64_t place(std::span<Interval> intervals);

}  // namespace tenon::plan
