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

// All leading dimensions as one: [...,N] as [R,N].
inline tenon_tensor* flat_rows(sdk::Calls& calls, sdk::Value x) {
  const tenon_meta meta = calls.meta(x.tensor());
  const std::span<const int64_t> shape = shape_of(meta);
  Dims flat;
  flat.push(sdk::count_of(shape.first(shape.size() - 1)));
  flat.push(shape.back());
  return reshape(calls, x, flat);
}

// The product of [...,M,K] and [...,K,N], of two or more dimensions, whose sums all go upwards:
// where it has fewer than 16 elements tenon.matmul would add them by lanes, so rows of 0 are put
// below it.
inline tenon_tensor* upward_product(sdk::Calls& calls, sdk::Value a, sdk::Value b) {
  constexpr int64_t kByLanes = 16;
  const tenon_meta a_meta = calls.meta(a.tensor());
  const tenon_meta b_meta = calls.meta(b.tensor());
  const int64_t axis = a_meta.rank - 2;
  const int64_t rows = a_meta.shape[axis];
  const int64_t columns = b_meta.shape[b_meta.rank - 1];
  if (rows * columns == 0 || rows * columns >= kByLanes) return calls.call("tenon.matmul", {a, b});
  const int64_t pads[] = {0, kByLanes - rows};
  tenon_tensor* padded =
      calls.call("tenon.pad", {a}, {std::span<const int64_t>(pads), std::span(&axis, 1)});
  return calls.call("tenon.slice", {calls.call("tenon.matmul", {padded, b})}, {axis, 0, rows});
}

}  // namespace tenon::rules
