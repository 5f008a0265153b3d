// SPDX-License-Identifier: Apache-2.0
// plugins/ops/random/words.hpp: how many random words numbers are made of.
#pragma once

#include "rules.hpp"

namespace tenon::rules {

// One word for an f32, two for an f64.
inline uint64_t words_of(std::span<const int64_t> shape, tenon_dtype dtype) {
  const auto count = static_cast<uint64_t>(sdk::count_of(shape));
  return dtype == TENON_DTYPE_F64 ? 2 * count : count;
}

// Normal numbers come in pairs, of which an odd last one takes the whole.
inline uint64_t normal_words(std::span<const int64_t> shape, tenon_dtype dtype) {
  const auto count = static_cast<uint64_t>(sdk::count_of(shape));
  const int64_t whole[] = {static_cast<int64_t>((count + 1) / 2 * 2)};
  return words_of(whole, dtype);
}

}  // namespace tenon::rules
