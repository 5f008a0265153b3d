// SPDX-License-Identifier: Apache-2.0
// plugins/layers/last_dims.hpp: what layers share that normalise over the last dimensions.
#pragma once

#include "options.hpp"

namespace tenon::layers {

// The sizes to normalise over, each at least 1.
inline std::span<const int64_t> checked_sizes(const sdk::Attrs& options, uint32_t option) {
  const std::span<const int64_t> sizes = options.ints(option);
  bool fits = !sizes.empty() && sizes.size() <= TENON_MAX_RANK;
  for (const int64_t size : sizes) fits = fits && size >= 1;
  if (fits) return sizes;
  throw sdk::Failure{TENON_E_ATTRIBUTE, "sizes must name the dimensions to normalise over", "sizes",
                     "1 to 8 sizes, each at least 1", sdk::shape_text(sizes)};
}

// Without a weight the op itself could not tell.
inline void need_last_dims(sdk::Forward& f, std::span<const int64_t> sizes) {
  const tenon_meta meta = f.meta(f.in(0).tensor());
  const std::span<const int64_t> shape = shape_of(meta);
  const bool fits =
      shape.size() >= sizes.size() && std::equal(sizes.rbegin(), sizes.rend(), shape.rbegin());
  if (fits) return;
  throw sdk::Failure{TENON_E_SHAPE, "the last dimensions of x must be those of the layer", "x",
                     "[...] and then " + sdk::shape_text(sizes), sdk::shape_text(shape)};
}

}  // namespace tenon::layers
