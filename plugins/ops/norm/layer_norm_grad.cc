// SPDX-License-Identifier: Apache-2.0
// plugins/ops/norm/layer_norm_grad.cc: layer_norm_grad, the backward rule of layer_norm.
//
// g = dy w,  c = g - mean g,  h = (x - m) s;  y = s (c - h mean(c h)),  dw = sum dy h,  db = sum
// dy. Source: J. Ba, J. Kiros, G. Hinton, "Layer Normalization", 2016; PyTorch's `layer_norm`.
#include "norm/rows.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.layer_norm_grad";

constexpr std::string_view doc =
    R"(The gradients of `tenon.layer_norm`: with `h = (x - m) * s` the normalised row, `g = dy *
weight` and `c = g - mean(g)`, `y = s * (c - h * mean(c * h))` is that of `x`, the means over the
row. The aux outputs are those of `weight`, `sum(dy * h)`, and of `bias`, `sum(dy)`, over all
rows.

Gradient: that of its composition.

Source: J. Ba, J. Kiros, G. Hinton, "Layer Normalization", 2016; PyTorch, `layer_norm`. That `c`
takes the place of `g` in the second mean changes nothing but rounding: where `g` is nearly the
same everywhere, `y` is nearly 0.

Canonical arithmetic: in f32 for f16, bf16 and f32, in f64 for f64: `h` and `s` as in
`tenon.layer_norm`, with `g0` the first `g` of the row `c = g - (g0 + sum(g - g0) / N)`, `y = s * (c
- h * (sum(c * h) / N))`, each operation rounded and none fused, all sums in the order of
`tenon.sum`; rounded to T at the end.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const std::span<const int64_t> row = rules::row_shape(args, 1);
  rules::need_same_shape(args);
  rules::need_row(args, 2, "weight", row);
  sdk::set_shape(out[0], args.shape(1));
  for (tenon_meta& sum : out.subspan(1)) sdk::set_shape(sum, row);
}

void compose(sdk::Compose& c) {
  rules::NormRows rows(c, 1);
  const sdk::Value dy = rows.matrix(0);
  const sdk::Value x = rows.matrix(1);
  sdk::Value scale;
  const sdk::Value h = rows.normalised(rows.centred(x), scale);
  const sdk::Value g = rows.combined("tenon.mul", dy, 2);
  const sdk::Value centred = rows.centred(g);
  tenon_tensor* along = c.call("tenon.mul", {h, rows.mean(c.call("tenon.mul", {centred, h}))});
  rows.set(0, c.call("tenon.mul", {scale, c.call("tenon.sub", {centred, along})}));
  rows.set_sum(1, c.call("tenon.mul", {dy, h}));
  rows.set_sum(2, dy);
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "layer_norm_grad(dy: T[...S], x: T[...S], weight: T[...W]?, *, dims: int=1, "
                       "eps: float=1e-05) -> (T[...S], aux dweight: T[...W], aux dbias: T[...W]) "
                       "where T: float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    // Where layouts make g the same everywhere y is 0, and so is what is found of it in rows of
    // 2^n elements, whose mean of equal numbers is exact.
    sdk::sample(name, "f64[2,4], f64[2,4], f64[4](0.5,2)"),
    sdk::sample(name, "f64[3,8], f64[3,8]"),
    sdk::sample(name, "f64[3,2,4], f64[3,2,4], f64[2,4](0.5,2) | dims=2"),
    sdk::sample(name, "f64[2,1,3,4], f64[2,1,3,4], f64[4]"),
    sdk::sample(name, "f64[2,2,2,2], f64[2,2,2,2] | dims=3, eps=0.001"),
    sdk::sample(name, "f64[7], f64[7], f64[7] | eps=0.0"),
    sdk::sample(name, "f64[2,2], f64[2,2], f64[2,2] | dims=2"),
    sdk::sample(name, "f64[4,1], f64[4,1], f64[1]"),
    sdk::sample(name, "f64[5,2], f64[5,2], f64[2] | eps=0.5"),
    sdk::sample(name, "f64[0,3], f64[0,3], f64[3]"),
    sdk::sample(name, "f64[2,0], f64[2,0], f64[0]"),
    sdk::sample(name, "f64[2,9](-3,3), f64[2,9](-100,100), f64[9](-3,3)"),
    sdk::sample(name, "f16[2,7], f16[2,7], f16[7]"),
    sdk::sample(name, "bf16[3,4], bf16[3,4], bf16[4]"),
    sdk::sample(name, "f32[3,3], f32[3,3]{nan,0.0,1.0,inf,0.0,1.0,3.0,0.0,1.0}, f32[3]"),
    sdk::sample(name, "f32[2,3]{nan,1.0,2.0,inf,1.0,0.0}, f32[2,3]"),
    sdk::sample(name, "f32[2,3], f32[2,3]{1e18,-1e18,2e17,1e-45,1.1754944e-38,-1e-45}"),
    sdk::sample(name, "f32[1,3]{1e30,1e-45,-1e30}, f32[1,3]{0.5,-1.0,2.0}, f32[3]{1.0,-2.0,3.0}"),
    sdk::sample(name, "f64[1,3]{1e300,5e-324,-1e300}, f64[1,3]{0.5,-1.0,2.0}"),
    sdk::sample(name, "f16[1,3]{65504.0,6e-8,1000.0}, f16[1,3]{0.5,-1.0,2.0}"),
    sdk::sample(name, "bf16[1,3]{1e30,9.2e-41,-1e30}, bf16[1,3]{0.5,-1.0,2.0}"),
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
    "Sums depend on their order, and the three terms cancel, so errors count against the largest "
    "result.",
    {.f16 = {1, 4e-06}, .bf16 = {1, 4e-06}, .f32 = {2, 4e-06}, .f64 = {4, 8e-15}});

}  // namespace

TENON_UNIT(layer_norm_grad) = {.ops = ops, .samples = samples, .tolerances = tolerances};
