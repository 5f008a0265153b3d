// SPDX-License-Identifier: Apache-2.0
// plugins/ops/shape/copies.hpp: dimensions repeated with copying, shared by repeat and tile.
#pragma once

#include "rules.hpp"

namespace tenon::rules {

// A number of copies, as it stands in an attribute.
inline int64_t checked_copies(int64_t copies, const char* attribute) {
  if (copies >= 0) return copies;
  throw sdk::Failure{TENON_E_ATTRIBUTE, std::string(attribute) + " is negative", attribute,
                     "0 or more", std::to_string(copies)};
}

// x, whose elements are blocks of `block` neighbours, with each block `copies` times.
inline tenon_tensor* repeat_blocks(sdk::Calls& calls, sdk::Value x, int64_t count, int64_t block,
                                   int64_t copies) {
  const int64_t one[] = {block == 0 ? 0 : count / block, 1, block};
  const int64_t all[] = {one[0], copies, block};
  return expand(calls, reshape(calls, x, Dims(one)), Dims(all));
}

// The sum over the copies of each block, in the shape that the blocks had.
inline tenon_tensor* sum_blocks(sdk::Calls& calls, sdk::Value dy, const Dims& shape, int64_t block,
                                int64_t copies) {
  const int64_t blocks = block == 0 ? 0 : sdk::count_of(shape.span()) / block;
  const int64_t all[] = {blocks, copies, block};
  return reshape(calls, sum_over(calls, reshape(calls, dy, Dims(all)), 1), shape);
}

}  // namespace tenon::rules
