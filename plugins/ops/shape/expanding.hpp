// SPDX-License-Identifier: Apache-2.0
// plugins/ops/shape/expanding.hpp: dimensions of size 1 repeated without copying, shared by expand
// and broadcast_to.
#pragma once

#include "rules.hpp"

namespace tenon::rules {

inline void need_expandable(std::span<const int64_t> shape, const Dims& target) {
  if (broadcasts_to(shape, target.span())) return;
  throw sdk::Failure{
      TENON_E_SHAPE,
      sdk::shape_text(shape) + " cannot be expanded to " + sdk::shape_text(target.span()), "shape",
      "the sizes of x, where x has 1 any size, and new sizes in front",
      sdk::shape_text(target.span())};
}

// The target must be expandable from x. Repeated dimensions have stride 0.
inline void expanded_view(const tenon_view& x, const Dims& target, tenon_view_result& out) {
  const size_t lead = target.count() - static_cast<size_t>(x.rank);
  out.rank = static_cast<int32_t>(target.count());
  for (size_t i = 0; i < target.count(); ++i) {
    const bool repeated = i < lead || x.shape[i - lead] != target[i];
    out.shape[i] = target[i];
    out.strides[i] = repeated ? 0 : x.strides[i - lead];
  }
}

}  // namespace tenon::rules
