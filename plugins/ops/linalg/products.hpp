// SPDX-License-Identifier: Apache-2.0
// plugins/ops/linalg/products.hpp: what ops made of matmul share.
#pragma once

#include "rules.hpp"

namespace tenon::rules {

// Dimension `a_dim` of operand a and `b_dim` of operand b are summed together, or are one batch.
inline void need_equal_sizes(const sdk::Args& args, size_t a_dim, size_t b_dim) {
  const int64_t a = args.shape(0)[a_dim];
  const int64_t b = args.shape(1)[b_dim];
  if (a == b) return;
  throw sdk::Failure{TENON_E_SHAPE,
                     "sizes " + std::to_string(a) + " and " + std::to_string(b) + " differ", "b",
                     std::to_string(a) + " along dimension " + std::to_string(b_dim),
                     sdk::shape_text(args.shape(1))};
}

constexpr auto product_tolerances(std::string_view op) {
  return sdk::float_tolerances(
      op, "Additions in another order round differently, by as much as the largest partial sums.",
      {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {1, 4e-06}, .f64 = {1, 1e-14}});
}

}  // namespace tenon::rules
