// SPDX-License-Identifier: Apache-2.0
// plugins/ops/linalg/products.hpp: what ops made of matmul share.
#pragma once

#include "rules.hpp"

namespace tenon::rules {

constexpr auto product_tolerances(std::string_view op) {
  return sdk::float_tolerances(
      op, "Additions in another order round differently, by as much as the largest partial sums.",
      {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {1, 4e-06}, .f64 = {1, 1e-14}});
}

}  // namespace tenon::rules
