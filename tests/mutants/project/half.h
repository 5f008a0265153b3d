// SPDX-License-Identifier: Apache-2.0
// tests/mutants/project/half.h: an op of the case's own, for faults in what an op says of itself.
#pragma once

#include "mutant.h"

namespace mutants {

inline constexpr std::string_view kHalf = TENON_CASE_ID ".half";

inline void half(const sdk::Launch& l) {
  map(l, [](double x) { return x / 2; });
}

inline void half_vjp(sdk::Vjp& v) { v.grad(0, v.call("tenon.mul", {v.dy(), 0.5})); }
inline constexpr tenon_vjp_need kHalfNeeds[1] = {};
constexpr tenon_vjp_desc half_rule() { return rule<half_vjp>(kHalf, kHalfNeeds); }

inline void compose_half(sdk::Compose& c) { c.set(0, c.call("tenon.mul", {c.in(0), 0.5})); }

struct HalfParts {
  std::string_view doc = "Half of `x`.";
  tenon_infer_fn infer = nullptr;
  tenon_compose_fn compose = sdk::compose_fn<compose_half>;
};
constexpr tenon_op_desc half_op(const HalfParts& parts) {
  return sdk::op({.name = kHalf,
                  .schema = "half(x: T[...]) -> T[...] where T: float",
                  .doc = parts.doc,
                  .shape = parts.infer ? TENON_SHAPE_CALLBACK : TENON_SHAPE_SAME_AS_0,
                  .infer = parts.infer,
                  .compose = parts.compose});
}

// Refuses an operand without dimensions.
inline void need_rank(const sdk::Args& args, tenon_status status) {
  if (!args.shape(0).empty()) return;
  throw sdk::Failure{status, "x has no dimensions", "x", "at least one", "[]"};
}

inline constexpr tenon_sample kHalfSamples[] = {
    sdk::sample(kHalf, "f64[2,3]"),
    sdk::sample(kHalf, "f32[4]{0.0,1.0,nan,inf}"),
    sdk::sample(kHalf, "f64[0,3]"),
    sdk::refused(kHalf, "i32[2]", TENON_E_DTYPE, "i32"),
};

}  // namespace mutants
