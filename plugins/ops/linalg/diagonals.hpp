// SPDX-License-Identifier: Apache-2.0
// plugins/ops/linalg/diagonals.hpp: a diagonal by views of other ops.
#pragma once

#include "rules.hpp"

namespace tenon::rules {

// The diagonal of dimensions `first` < `second`, of one size n, as the last dimension: they become
// the last two, then one of n * n elements, of which it is every (n + 1)-th.
inline tenon_tensor* diagonal(sdk::Calls& calls, sdk::Value x, size_t first, size_t second) {
  const Dims shape(calls.meta(x.tensor()));
  Dims order, flat;
  for (size_t i = 0; i < shape.count(); ++i) {
    if (i == first || i == second) continue;
    order.push(static_cast<int64_t>(i));
    flat.push(shape[i]);
  }
  order.push(static_cast<int64_t>(first));
  order.push(static_cast<int64_t>(second));
  const int64_t n = shape[first];
  flat.push(n * n);
  tenon_tensor* line = reshape(calls, calls.call("tenon.permute", {x}, {order.value()}), flat);
  return calls.call("tenon.slice", {line}, {-1, 0, n * n, n + 1});
}

}  // namespace tenon::rules
