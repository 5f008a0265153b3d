// SPDX-License-Identifier: Apache-2.0
// plugins/ops/norm/groups.hpp: what group_norm and instance_norm share: groups of channels as the
// rows of layer_norm.
#pragma once

#include "norm/channels.hpp"

namespace tenon::rules {

// x, weight and bias are operands 0, 1 and 2.
inline std::span<const int64_t> group_shape(const sdk::Args& args, double eps) {
  need_eps(eps);
  const std::span<const int64_t> shape = channels_shape(args, 0);
  need_channels(args, 1, "weight", shape[1]);
  need_channels(args, 2, "bias", shape[1]);
  return shape;
}

// The channels of a group lie side by side, so that x [N,C,...] is a matrix of N * groups rows.
inline void compose_groups(sdk::Compose& c, int64_t groups, double eps) {
  ChannelNorm channels(c, 0);
  const sdk::Value x = channels.in(0);
  const Dims shape(c.meta(x.tensor()));
  int64_t columns = groups == 0 ? 0 : shape[1] / groups;
  for (size_t i = 2; i < shape.count(); ++i) columns *= shape[i];
  Dims matrix;
  matrix.push(shape[0] * groups);
  matrix.push(columns);
  sdk::Value y = c.call("tenon.layer_norm", {reshape(c, x, matrix)}, {1, eps});
  y = channels.times(reshape(c, y, shape), channels.column(1));
  if (!c.in(2).is_none()) y = c.call("tenon.add", {y, channels.column(2)});
  channels.set(0, y);
}

}  // namespace tenon::rules
