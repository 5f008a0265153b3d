// SPDX-License-Identifier: Apache-2.0
// plugins/layers/channels.hpp: what layers share that know how many channels x [N,C,...] has.
#pragma once

#include "options.hpp"

namespace tenon::layers {

// Without a weight the op itself could not tell.
inline void need_channels(sdk::Forward& f, int64_t channels) {
  const tenon_meta meta = f.meta(f.in(0).tensor());
  const std::span<const int64_t> shape = shape_of(meta);
  if (shape.size() >= 2 && shape[1] == channels) return;
  throw sdk::Failure{TENON_E_SHAPE, "x must have its channels in the second dimension", "x",
                     "[N," + std::to_string(channels) + ",...]", sdk::shape_text(shape)};
}

}  // namespace tenon::layers
