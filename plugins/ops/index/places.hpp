// SPDX-License-Identifier: Apache-2.0
// plugins/ops/index/places.hpp: what index and index_put share: places of x that lists of indices
// name, one list for each of its first dimensions.
#pragma once

#include <algorithm>

#include "index/along.hpp"

namespace tenon::rules {

// The shape that the index tensors of slot 1 have when broadcast together.
inline Dims places_shape(const sdk::Args& args) {
  const uint32_t n = args.count(1);
  const std::span<const int64_t> x = args.shape(0);
  if (n == 0 || n > x.size()) {
    throw sdk::Failure{
        TENON_E_ARGUMENT, "indices names other dimensions than x has", "indices",
        x.empty() ? "an x of 1 dimension or more" : "1 to " + std::to_string(x.size()) + " tensors",
        std::to_string(n)};
  }
  size_t rank = 0;
  for (uint32_t i = 0; i < n; ++i) rank = std::max(rank, args.shape(1, i).size());
  Dims shape;
  for (size_t d = 0; d < rank; ++d) shape.push(1);
  for (uint32_t i = 0; i < n; ++i) {
    const std::span<const int64_t> own = args.shape(1, i);
    for (size_t d = 0; d < own.size(); ++d) {
      int64_t& size = shape[rank - own.size() + d];
      if (own[d] == size || own[d] == 1) continue;
      if (size != 1) {
        throw sdk::Failure{
            TENON_E_SHAPE,
            "tensor " + std::to_string(i) + " of indices does not broadcast with those before it",
            "indices", "a shape that broadcasts with " + sdk::shape_text(shape.span()),
            sdk::shape_text(own)};
      }
      size = own[d];
    }
  }
  return shape;
}

// That shape, followed by the dimensions of x that no list names.
inline Dims placed_shape(const sdk::Args& args) {
  Dims shape = places_shape(args);
  for (const int64_t size : args.shape(0).subspan(args.count(1))) shape.push(size);
  return shape;
}

}  // namespace tenon::rules
