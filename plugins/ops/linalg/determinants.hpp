// SPDX-License-Identifier: Apache-2.0
// plugins/ops/linalg/determinants.hpp: what det, slogdet and cofactors share.
#pragma once

#include <limits>

#include "linalg/matrices.hpp"

namespace tenon::matrices {

// One number for each matrix.
inline void infer_numbers(const sdk::Args& args, std::span<tenon_meta> out) {
  const Extent e = square_of(args, 0, "x");
  for (tenon_meta& meta : out) sdk::set_shape(meta, e.batch);
}

// A number for each matrix, as matrices of one element.
inline tenon_tensor* as_factors(sdk::Calls& c, sdk::Value numbers) {
  return as_columns(c, as_columns(c, numbers));
}

// The matrices of which `none` holds have no gradient: NaN. `gradient` gets x with others in place
// of them, which nothing refuses.
template <class Gradient>
void grad_without(sdk::Vjp& v, sdk::Value none, sdk::Value others, const Gradient& gradient) {
  const sdk::Value at = as_factors(v, none);
  tenon_tensor* found = gradient(v.call("tenon.where", {at, others, v.in(0)}));
  v.grad(0, v.call("tenon.where", {at, std::numeric_limits<double>::quiet_NaN(), found}));
}

// Calls of all three. No integer or bool of these makes a matrix singular.
constexpr auto determinant_samples(std::string_view name, auto... more) {
  return std::to_array<tenon_sample>({
      sdk::sample(name, "f64[2,2]{4.0,1.0,-2.0,0.0}"),
      sdk::sample(name, "f64[3,3]{0.5,1.0,0.0,2.0,0.0,0.25,-0.5,0.25,2.0}"),
      sdk::sample(name, "f64[3,3]{0.0,2.0,0.0,0.0,0.0,4.0,8.0,0.0,0.0}"),
      sdk::sample(name,
                  "f64[4,4]{1.0,2.0,3.0,1.0,2.0,-1.0,0.5,3.0,4.0,1.0,-2.0,2.0,1.0,4.0,2.0,"
                  "-3.0}"),
      sdk::sample(name, "f64[2,2,2]{4.0,1.0,1.0,3.0,2.0,-1.0,-1.0,5.0}"),
      sdk::sample(name, "f64[2,1,2,2]{4.0,1.0,1.0,0.0,2.0,-4.0,1.0,0.0}"),
      sdk::sample(name, "f64[1,1]{-2.0}"),
      sdk::sample(name, "f64[0,0]"),
      sdk::sample(name, "f64[2,0,0]"),
      sdk::sample(name, "f64[0,2,2]"),
      sdk::sample(name, "f32[2,2]{nan,1.0,1.0,1.0}"),
      sdk::sample(name, "f32[2,2]{1.0,inf,0.0,2.0}"),
      sdk::sample(name, "i32[2,2]{4,1,-2,0}"),
      sdk::sample(name, "u8[2,2]{4,1,2,0}"),
      more...,
      sdk::refused(name, "f32[2,3]", TENON_E_SHAPE, "square"),
      sdk::refused(name, "f32[3]", TENON_E_SHAPE, "2 dimensions or more"),
      sdk::refused(name, "f16[1,1]", TENON_E_DTYPE, "f16"),
      sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
  });
}

}  // namespace tenon::matrices
