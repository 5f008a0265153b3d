// SPDX-License-Identifier: Apache-2.0
// plugins/ops/channel_axes.hpp: what ops share whose x [N,C,...] has channels.
#pragma once

#include "rules.hpp"

namespace tenon::rules {

// All dimensions but that of the channels, the second.
inline Dims beside_channels(size_t rank) {
  Dims axes;
  for (size_t d = 0; d < rank; ++d) {
    if (d != 1) axes.push(static_cast<int64_t>(d));
  }
  return axes;
}

// The gradient of a bias with a number for each channel.
inline tenon_tensor* channel_sums(sdk::Vjp& v) {
  const Dims axes = beside_channels(shape_of(v.meta(v.dy().tensor())).size());
  return v.call("tenon.sum", {v.dy()}, {axes.value()});
}

}  // namespace tenon::rules
