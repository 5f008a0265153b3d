// SPDX-License-Identifier: Apache-2.0
// plugins/ops/norm/rms_norm_grad.cc: rms_norm_grad, the backward rule of rms_norm.
//
// g = dy w,  h = x s;  y = s (g - h mean(g h)),  dw = sum dy h.
// Source: B. Zhang, R. Sennrich, "Root Mean Square Layer Normalization", 2019.
#include "norm/rows.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.rms_norm_grad";

constexpr std::string_view doc =
    R"(The gradients of `tenon.rms_norm`: with `h = x * s` the normalised row and `g = dy * weight`,
`y = s * (g - h * mean(g * h))` is that of `x`, the mean over the row. The aux output is that of
`weight`, `sum(dy * h)` over all rows.

Gradient: that of its composition.

Source: B. Zhang, R. Sennrich, "Root Mean Square Layer Normalization", 2019.

Canonical arithmetic: in f32 for f16, bf16 and f32, in f64 for f64: `h` and `s` as in
`tenon.rms_norm`, `y = s * (g - h * (sum(g * h) / N))`, each operation rounded and none fused,
all sums in the order of `tenon.sum`; rounded to T at the end.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const std::span<const int64_t> row = rules::row_shape(args, 1);
  rules::need_same_shape(args);
  rules::need_row(args, 2, "weight", row);
  sdk::set_shape(out[0], args.shape(1));
  if (out.size() > 1) sdk::set_shape(out[1], row);
}

void compose(sdk::Compose& c) {
  rules::NormRows rows(c, 1);
  const sdk::Value dy = rows.matrix(0);
  sdk::Value scale;
  const sdk::Value h = rows.normalised(rows.matrix(1), scale);
  const sdk::Value g = rows.combined("tenon.mul", dy, 2);
  tenon_tensor* along = c.call("tenon.mul", {h, rows.mean(c.call("tenon.mul", {g, h}))});
  rows.set(0, c.call("tenon.mul", {scale, c.call("tenon.sub", {g, along})}));
  rows.set_sum(1, c.call("tenon.mul", {dy, h}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "rms_norm_grad(dy: T[...S], x: T[...S], weight: T[...W]?, *, dims: int=1, "
                       "eps: float=1e-05) -> (T[...S], aux dweight: T[...W]) where T: float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    // In rows of equal numbers, as layouts make them, the terms of y cancel down to eps: the large
    // ones here leave digits to compare.
    sdk::sample(name, "f64[2,3], f64[2,3], f64[3](0.5,2) | eps=0.125"),
    sdk::sample(name, "f64[3,5], f64[3,5] | eps=0.25"),
    sdk::sample(name, "f64[2,3,4], f64[2,3,4], f64[3,4](0.5,2) | dims=2, eps=0.5"),
    sdk::sample(name, "f64[2,1,3,4], f64[2,1,3,4], f64[4] | eps=0.125"),
    sdk::sample(name, "f64[2,2,3,2], f64[2,2,3,2] | dims=3, eps=1.0"),
    sdk::sample(name, "f64[7], f64[7], f64[7] | eps=2.0"),
    sdk::sample(name, "f64[2,3], f64[2,3], f64[2,3] | dims=2, eps=0.125"),
    sdk::sample(name, "f64[4,1], f64[4,1], f64[1] | eps=0.5"),
    sdk::sample(name, "f64[0,3], f64[0,3], f64[3]"),
    sdk::sample(name, "f64[2,0], f64[2,0], f64[0]"),
    sdk::sample(name, "f64[2,9](-3,3), f64[2,9](-100,100), f64[9](-3,3) | eps=500.0"),
    sdk::sample(name, "f16[2,7], f16[2,7], f16[7] | eps=0.125"),
    sdk::sample(name, "bf16[3,4], bf16[3,4], bf16[4] | eps=0.125"),
    sdk::sample(name, "f32[3,3], f32[3,3]{nan,0.0,1.0,inf,0.0,1.0,3.0,0.0,1.0}, f32[3] | eps=0.5"),
    sdk::sample(name, "f32[2,3]{nan,1.0,2.0,inf,1.0,0.0}, f32[2,3] | eps=0.5"),
    sdk::sample(name, "f32[2,3], f32[2,3]{1e18,-1e18,2e17,1e-45,1.1754944e-38,-1e-45}"),
    sdk::sample(
        name, "f32[1,3]{1e30,1e-45,-1e30}, f32[1,3]{0.5,-1.0,2.0}, f32[3]{1.0,-2.0,3.0} | eps=0.5"),
    sdk::sample(name, "f64[1,3]{1e300,5e-324,-1e300}, f64[1,3]{0.5,-1.0,2.0} | eps=0.5"),
    sdk::sample(name, "f16[1,3]{65504.0,6e-8,1000.0}, f16[1,3]{0.5,-1.0,2.0} | eps=0.5"),
    sdk::sample(name, "bf16[1,3]{1e30,9.2e-41,-1e30}, bf16[1,3]{0.5,-1.0,2.0} | eps=0.5"),
    sdk::refused(name, "f32[2,3], f32[2,4]", TENON_E_SHAPE, "dy must have the shape"),
    sdk::refused(name, "1.0, f32[2,3]", TENON_E_SHAPE, "dy must have the shape"),
    sdk::refused(name, "f32[2,3], f32[2,3], f32[2]", TENON_E_SHAPE, "weight must have the shape"),
    sdk::refused(name, "f32[2,3], f32[2,3] | dims=0", TENON_E_ATTRIBUTE, "dims must name"),
    sdk::refused(name, "f32[2,3], f32[2,3] | dims=3", TENON_E_ATTRIBUTE, "dims must name"),
    sdk::refused(name, "f32[2,3], f32[2,3] | eps=-1.0", TENON_E_ATTRIBUTE, "eps must be"),
    sdk::refused(name, "f64[2,3], f32[2,3]", TENON_E_DTYPE, "x"),
    sdk::refused(name, "i32[2,3], i32[2,3]", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "f32[2,3]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "Sums depend on their order, and the two terms cancel, so errors count against the largest "
    "result.",
    {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {2, 4e-06}, .f64 = {4, 8e-15}});

}  // namespace

TENON_UNIT(rms_norm_grad) = {.ops = ops, .samples = samples, .tolerances = tolerances};
