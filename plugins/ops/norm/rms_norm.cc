// SPDX-License-Identifier: Apache-2.0
// plugins/ops/norm/rms_norm.cc: rms_norm, rows of root mean square 1, scaled.
//
// y = x s w,  s = 1 / sqrt(mean x^2 + eps);  dx in rms_norm_grad.
// Source: B. Zhang, R. Sennrich, "Root Mean Square Layer Normalization", 2019; PyTorch's
// `rms_norm`.
#include "norm/rows.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.rms_norm";

constexpr std::string_view doc =
    R"(Scales each row of `x`, which is what the last `dims` dimensions hold, to a root mean square
of 1: `y = x * s * weight`, with `s = 1 / sqrt(mean(x^2) + eps)` over the row. `weight` has the
shape of a row; without it it is 1. PyTorch's `normalized_shape` is the last `dims` sizes of
`x`; its default for `eps` depends on the dtype, this one is that of ONNX.

Gradient: those of `tenon.rms_norm_grad`.

Source: B. Zhang, R. Sennrich, "Root Mean Square Layer Normalization", 2019; PyTorch,
`rms_norm`.

Canonical arithmetic: in f32 for f16, bf16 and f32, in f64 for f64: `s = 1 / sqrt(sum(x * x) / N
+ eps)`, `y = (x * s) * weight`, each operation rounded and none fused, the sum over the row in
the order of `tenon.sum`; rounded to T at the end. Where that makes an `s` of f32 0 or not finite
(from about 1e19 on, or of tiny numbers with an `eps` of 0), it is found again in f64, one element
after another. So it is on processors; of f64, and on other devices, squares that leave the range
make the row 0.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::need_row(args, 1, "weight", rules::row_shape(args, 0));
  sdk::set_shape(out[0], args.shape(0));
}

void compose(sdk::Compose& c) {
  rules::NormRows rows(c, 0);
  sdk::Value scale;
  rows.set(0, rows.combined("tenon.mul", rows.normalised(rows.matrix(0), scale), 1));
}

void vjp(sdk::Vjp& v) {
  const sdk::Value inputs[] = {v.dy(), v.in(0), v.wants(0) ? v.in(1) : sdk::Value()};
  const sdk::Value attrs[] = {v.attr(rules::kNormDims), v.attr(rules::kNormEps)};
  tenon_tensor* grads[2] = {};
  v.call_many("tenon.rms_norm_grad", inputs, attrs, std::span(grads, v.wants(1) ? 2 : 1));
  if (v.wants(0)) v.grad(0, grads[0]);
  if (v.wants(1)) v.grad(1, grads[1]);
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "rms_norm(x: T[...], weight: T[...W]?, *, dims: int=1, eps: float=1e-05) "
                       "-> T[...] where T: float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = sdk::bit(0) | sdk::bit(1)}),
    sdk::need({.inputs = sdk::bit(0)}),
};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp(
    {.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = rules::kNormAttributes})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3], f64[3](0.5,2)"),
    sdk::sample(name, "f64[3,5]"),
    sdk::sample(name, "f64[2,3,4], f64[3,4](0.5,2) | dims=2"),
    sdk::sample(name, "f64[2,1,3,4], f64[4]"),
    sdk::sample(name, "f64[2,2,3,2], f64[2,3,2](0.5,2) | dims=3, eps=0.001"),
    sdk::sample(name, "f64[7], f64[7] | eps=0.0"),
    sdk::sample(name, "f64[2,3], f64[2,3] | dims=2"),
    sdk::sample(name, "f64[4,1](0.5,2), f64[1]"),
    sdk::sample(name, "f64[0,3], f64[3]"),
    sdk::sample(name, "f64[2,0], f64[0]"),
    sdk::sample(name, "f64[2,9](-100,100), f64[9](-3,3)"),
    sdk::sample(name, "f32[2,3]{2.0,2.0,2.0,0.0,0.0,-0.0}, f32[3]"),
    sdk::sample(name, "f16[2,7], f16[7]"),
    sdk::sample(name, "f32[3,3]{nan,0.0,1.0,inf,0.0,1.0,3.0,0.0,1.0}"),
    sdk::sample(name, "f32[1,3], f32[3]{inf,nan,1.0}"),
    sdk::sample(name, "f32[2,3]{1e18,-1e18,2e17,1e-45,1.1754944e-38,-1e-45}"),
    sdk::sample(name, "f32[1,3], f32[3]{3.4028235e38,1e-45,1.0}"),
    sdk::sample(name, "f64[2,3]{1e150,-1e150,2e149,5e-324,2.2250738585072014e-308,-5e-324}"),
    sdk::sample(name, "f16[2,3]{65504.0,-65504.0,1000.0,6e-8,6.1035e-5,-6e-8}"),
    sdk::sample(name, "bf16[2,3]{1e18,-1e18,2e17,9.2e-41,1.1755e-38,-9.2e-41}"),
    sdk::refused(name, "f32[2,3], f32[2]", TENON_E_SHAPE, "weight must have the shape"),
    sdk::refused(name, "f32[2,3], f32[3] | dims=2", TENON_E_SHAPE, "weight must have the shape"),
    sdk::refused(name, "f32[2,3], 2.0", TENON_E_SHAPE, "weight must have the shape"),
    sdk::refused(name, "f32[2,3] | dims=0", TENON_E_ATTRIBUTE, "dims must name"),
    sdk::refused(name, "f32[2,3] | dims=3", TENON_E_ATTRIBUTE, "dims must name"),
    sdk::refused(name, "f32[]", TENON_E_ATTRIBUTE, "dims must name"),
    sdk::refused(name, "f32[2,3] | eps=-0.5", TENON_E_ATTRIBUTE, "eps must be"),
    sdk::refused(name, "f32[2,3] | eps=inf", TENON_E_ATTRIBUTE, "eps must be"),
    sdk::refused(name, "f32[2,3] | dims=1.5", TENON_E_ATTRIBUTE, "dims"),
    sdk::refused(name, "f32[2,3], f64[3]", TENON_E_DTYPE, "weight"),
    sdk::refused(name, "i32[2,3]", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name, "The sum depends on its order; the root, the quotient and the products are rounded.",
    {.f16 = {1, 2e-06}, .bf16 = {1, 2e-06}, .f32 = {2, 2e-06}, .f64 = {4, 4e-15}});

}  // namespace

TENON_UNIT(rms_norm) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
