// SPDX-License-Identifier: Apache-2.0
// plugins/ops/norm/layer_norm.cc: layer_norm, rows of mean 0 and variance 1, scaled and shifted.
//
// y = (x - m) s w + b,  m = mean x,  s = 1 / sqrt(mean (x - m)^2 + eps);  dx in layer_norm_grad.
// Source: J. Ba, J. Kiros, G. Hinton, "Layer Normalization", 2016; PyTorch's `layer_norm`.
#include "norm/rows.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.layer_norm";

constexpr std::string_view doc =
    R"(Normalises each row of `x`, which is what the last `dims` dimensions hold: `y = (x - m) * s *
weight + bias`, with `m = mean(x)` and `s = 1 / sqrt(mean((x - m)^2) + eps)` over the row.
`weight` and `bias` have the shape of a row; without them they are 1 and 0. PyTorch's
`normalized_shape` is the last `dims` sizes of `x`.

Gradient: `dx` and `dweight` are those of `tenon.layer_norm_grad`; `dbias = sum(dy)` over all
rows. Mean and variance are computed again from `x`, which costs less than it costs to keep
them exact in 16 bits.

Source: J. Ba, J. Kiros, G. Hinton, "Layer Normalization", 2016; PyTorch, `layer_norm`.

Canonical arithmetic: in f32 for f16, bf16 and f32, in f64 for f64: `m = sum(x) / N`, `d = x - m`,
`v = sum(d * d) / N`, `s = 1 / sqrt(v + eps)`, `y = ((d * s) * weight) + bias`, each operation
rounded and none fused, sums over the row in the order of `tenon.sum`; rounded to T at the end.
Where `m * m > 64 * v`, a rounded `m` is not exact enough: then `d = (x - m) - sum(x - m) / N`, and
`v` is of that. Where an `s` of f32 is 0 or not finite then (from about 1e19 on, or of tiny numbers
with an `eps` of 0), `m`, what its rounding left of it and `s` are found again in f64, one element
after another. So it is on processors; of f64, and on other devices, squares that leave the range
make the row 0 or NaN.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const std::span<const int64_t> row = rules::row_shape(args, 0);
  rules::need_row(args, 1, "weight", row);
  rules::need_row(args, 2, "bias", row);
  sdk::set_shape(out[0], args.shape(0));
}

void compose(sdk::Compose& c) {
  rules::NormRows rows(c, 0);
  const sdk::Value x = rows.matrix(0);
  sdk::Value scale;
  sdk::Value y = rows.normalised(rows.centred(x), scale);
  y = rows.combined("tenon.mul", y, 1);
  rows.set(0, rows.combined("tenon.add", y, 2));
}

void vjp(sdk::Vjp& v) {
  const bool wants_weight = v.wants(1);
  // The engine adds the rows of dy if nobody else has to read them.
  if (v.wants(2) && !wants_weight) v.grad(2, v.dy());
  if (!v.wants(0) && !wants_weight) return;
  const sdk::Value inputs[] = {v.dy(), v.in(0), v.wants(0) ? v.in(1) : sdk::Value()};
  const sdk::Value attrs[] = {v.attr(rules::kNormDims), v.attr(rules::kNormEps)};
  tenon_tensor* grads[3] = {};
  const size_t count = !wants_weight ? 1 : v.wants(2) ? 3 : 2;
  v.call_many("tenon.layer_norm_grad", inputs, attrs, std::span(grads, count));
  if (v.wants(0)) v.grad(0, grads[0]);
  if (wants_weight) v.grad(1, grads[1]);
  if (count == 3) v.grad(2, grads[2]);
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "layer_norm(x: T[...], weight: T[...W]?, bias: T[...W]?, *, dims: int=1, "
                       "eps: float=1e-05) -> T[...] where T: float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = sdk::bit(0) | sdk::bit(1)}),
    sdk::need({.inputs = sdk::bit(0)}),
    {},
};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp(
    {.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = rules::kNormAttributes})};

constexpr tenon_sample samples[] = {
    // Without a bias a row of equal numbers, as layouts make it, gives 0: exactly, in rows of 2^n.
    sdk::sample(name, "f64[2,3], f64[3](0.5,2), f64[3]"),
    sdk::sample(name, "f64[3,8]"),
    sdk::sample(name, "f64[2,3,4], f64[3,4](0.5,2), f64[3,4](1,2) | dims=2"),
    sdk::sample(name, "f64[2,1,3,4], f64[4], f64[4]"),
    sdk::sample(name, "f64[2,2,2,2], f64[2,2,2](0.5,2) | dims=3, eps=0.001"),
    sdk::sample(name, "f64[2,4], none, f64[4] | eps=0.1"),
    sdk::sample(name, "f64[7], f64[7], f64[7] | eps=0.0"),
    sdk::sample(name, "f64[2,3], f64[2,3], f64[2,3] | dims=2"),
    sdk::sample(name, "f64[4,1], f64[1], f64[1]"),
    sdk::sample(name, "f64[0,3], f64[3], f64[3]"),
    sdk::sample(name, "f64[2,0], f64[0], f64[0]"),
    sdk::sample(name, "f64[2,9](-100,100), f64[9](-3,3), f64[9](-3,3)"),
    sdk::sample(name, "f32[1,4]{1000.0,1001.0,1002.0,1003.0}"),
    sdk::sample(name, "f32[2,3]{2.0,2.0,2.0,-1.0,-1.0,-1.0}, f32[3], f32[3]"),
    sdk::sample(name, "f16[2,7], f16[7], f16[7]"),
    sdk::sample(name, "f32[3,3]{nan,0.0,1.0,inf,0.0,1.0,3.0,0.0,1.0}"),
    sdk::sample(name, "f32[1,3], f32[3]{inf,nan,1.0}, f32[3]{0.0,0.0,-inf}"),
    sdk::sample(name, "f32[2,3]{1e18,-1e18,2e17,1e-45,1.1754944e-38,-1e-45}"),
    sdk::sample(name, "f32[1,3], f32[3]{3.4028235e38,1e-45,1.0}, f32[3]{1.0,1e-45,3.4028235e38}"),
    sdk::sample(name, "f64[2,3]{1e150,-1e150,2e149,5e-324,2.2250738585072014e-308,-5e-324}"),
    sdk::sample(name, "f16[2,3]{65504.0,-65504.0,1000.0,6e-8,6.1035e-5,-6e-8}"),
    sdk::sample(name, "bf16[2,3]{1e18,-1e18,2e17,9.2e-41,1.1755e-38,-9.2e-41}"),
    sdk::refused(name, "f32[2,3], f32[2]", TENON_E_SHAPE, "weight must have the shape"),
    sdk::refused(name, "f32[2,3], none, f32[2]", TENON_E_SHAPE, "bias must have the shape"),
    sdk::refused(name, "f32[2,3], f32[3] | dims=2", TENON_E_SHAPE, "weight must have the shape"),
    sdk::refused(name, "f32[2,3], 2.0", TENON_E_SHAPE, "weight must have the shape"),
    sdk::refused(name, "f32[2,3], f32[3], f32[2]", TENON_E_SHAPE, "bias"),
    sdk::refused(name, "f32[2,3] | dims=0", TENON_E_ATTRIBUTE, "dims must name"),
    sdk::refused(name, "f32[2,3] | dims=3", TENON_E_ATTRIBUTE, "dims must name"),
    sdk::refused(name, "f32[]", TENON_E_ATTRIBUTE, "dims must name"),
    sdk::refused(name, "f32[2,3] | eps=-0.5", TENON_E_ATTRIBUTE, "eps must be"),
    sdk::refused(name, "f32[2,3] | eps=nan", TENON_E_ATTRIBUTE, "eps must be"),
    sdk::refused(name, "f32[2,3] | dims=1.5", TENON_E_ATTRIBUTE, "dims"),
    sdk::refused(name, "f32[2,3], f64[3]", TENON_E_DTYPE, "weight"),
    sdk::refused(name, "i32[2,3]", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "Sums depend on their order; the differences, the root and the products are rounded, and "
    "count against the largest result where weighted terms and bias cancel.",
    {.f16 = {1, 2e-06}, .bf16 = {1, 2e-06}, .f32 = {2, 2e-06}, .f64 = {4, 4e-15}});

}  // namespace

TENON_UNIT(layer_norm) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
