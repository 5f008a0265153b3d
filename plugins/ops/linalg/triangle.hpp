// SPDX-License-Identifier: Apache-2.0
// plugins/ops/linalg/triangle.hpp: what tril and triu share: matrices with a part of them set to 0.
#pragma once

#include "rules.hpp"

namespace tenon::rules {

inline void infer_triangle(const sdk::Args& args, std::span<tenon_meta> out) {
  const std::span<const int64_t> shape = args.shape(0);
  if (shape.size() < 2) {
    throw sdk::Failure{TENON_E_SHAPE, "x must have 2 dimensions or more", "x", "[...,M,N]",
                       sdk::shape_text(shape)};
  }
  sdk::set_shape(out[0], shape);
}

}  // namespace tenon::rules
