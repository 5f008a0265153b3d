// SPDX-License-Identifier: Apache-2.0
// backends/common/sight_rule.h: which keys a query of attention sees: always neighbours of each
// other.
//
// The rule of plugins/ops/attention/attention_mask.cc; constexpr, so that kernels of GPUs have it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tenon::backends {

struct Range {
  int64_t begin;
  int64_t end;  // not before begin

  constexpr bool has(int64_t j) const { return begin <= j && j < end; }
};

// What is known of one sequence.
struct Sequence {
  int64_t length;  // keys
  int64_t start;   // position of the first query
};

struct Sight {
  bool causal = false;
  int64_t window = 0;  // 0: none

  constexpr Range of(const Sequence& sequence, int64_t query) const {
    const int64_t position = sequence.start + query;
    Range seen{0, sequence.length};
    if (causal) seen.end = std::min(seen.end, position + 1);
    if (window > 0) {
      // A window wider than all keys, as it may be, is not added to a position.
      seen.begin = std::max(seen.begin, position - window + 1);
      if (window < seen.end) seen.end = std::min(seen.end, position + window);
    }
    seen.end = std::max(seen.end, int64_t{0});
    seen.begin = std::min(seen.begin, seen.end);
    return seen;
  }
};

}  // namespace tenon::backends
