// SPDX-License-Identifier: Apache-2.0
// plugins/ops/linalg/triangle.hpp: what tril and triu share: matrices with a part of them set to 0.
#pragma once

#include <array>

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

// Calls of tril and triu.
constexpr auto triangle_samples(std::string_view name) {
  return std::to_array<tenon_sample>({
      sdk::sample(name, "f64[3,3]"),
      sdk::sample(name, "f64[2,5] | diagonal=1"),
      sdk::sample(name, "f64[5,2] | diagonal=-2"),
      sdk::sample(name, "f64[2,1,3,4]"),
      sdk::sample(name, "f64[3,3] | diagonal=3"),
      sdk::sample(name, "f64[3,3] | diagonal=-3"),
      sdk::sample(name, "f64[3,3] | diagonal=9223372036854775807"),
      sdk::sample(name, "f64[3,3] | diagonal=-9223372036854775808"),
      sdk::sample(name, "f64[1,1]"),
      sdk::sample(name, "f64[0,3]"),
      sdk::sample(name, "f64[2,3,0] | diagonal=1"),
      sdk::sample(name, "f32[2,3]{0.0,nan,inf,-0.0,-inf,1e-45}"),
      sdk::sample(name, "f64[2,3]{1.7976931348623157e308,2.3e-308,5e-324,nan,-inf,-0.0}"),
      sdk::sample(name, "f16[2,3]{65504.0,6.1035e-5,6e-8,nan,inf,-0.0}"),
      sdk::sample(name, "bf16[2,3]{3.39e38,1.1755e-38,9.2e-41,nan,inf,-0.0}"),
      sdk::sample(name, "i64[2,3]{-9223372036854775808,-1,0,1,2,9223372036854775807}"),
      sdk::sample(name, "u8[3,2] | diagonal=-1"),
      sdk::sample(name, "bool[3,2]"),
      sdk::refused(name, "f32[3]", TENON_E_SHAPE, "2 dimensions or more"),
      sdk::refused(name, "f32[]", TENON_E_SHAPE, "2 dimensions or more"),
      sdk::refused(name, "f32[3,3] | diagonal=1.0", TENON_E_ATTRIBUTE, "diagonal"),
      sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
  });
}

}  // namespace tenon::rules
