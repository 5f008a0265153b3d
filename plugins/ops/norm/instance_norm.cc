// SPDX-License-Identifier: Apache-2.0
// plugins/ops/norm/instance_norm.cc: instance_norm, the channels of each sample of mean 0 and
// variance 1, scaled and shifted.
//
// y = (x - m) s w + b,  m = mean x,  s = 1 / sqrt(mean (x - m)^2 + eps) over a channel of a sample.
// Source: D. Ulyanov, A. Vedaldi, V. Lempitsky, "Instance Normalization: The Missing Ingredient for
// Fast Stylization", 2016; PyTorch's `instance_norm`.
#include "norm/groups.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.instance_norm";

constexpr std::string_view doc =
    R"(Normalises each channel of each sample of `x` by itself, where the second dimension counts
the channels: `y = (x - m) * s * weight + bias`, with `m = mean(x)` and `s = 1 / sqrt(mean((x -
m)^2) + eps)` over all dimensions after the second. `weight` and `bias` have a number for each
channel; without them they are 1 and 0. It is `tenon.group_norm` with a group for each channel. A
channel of one number is 0 before its bias.

Gradient: that of its composition.

Source: D. Ulyanov, A. Vedaldi, V. Lempitsky, "Instance Normalization: The Missing Ingredient for
Fast Stylization", 2016; PyTorch, `instance_norm` without running statistics.

Canonical arithmetic: that of `tenon.group_norm`.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  sdk::set_shape(out[0], rules::group_shape(args, args.attrs.real(0)));
}

void compose(sdk::Compose& c) {
  const tenon_meta meta = c.meta(c.in(0).tensor());
  rules::compose_groups(c, meta.shape[1], c.attrs.real(0));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "instance_norm(x: T[N,C,...], weight: T[C]?, bias: T[C]?, *, eps: "
                       "float=1e-05) -> T[N,C,...] where T: float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3,4], f64[3](0.5,2), f64[3]"),
    sdk::sample(name, "f64[2,3,4]"),
    sdk::sample(name, "f64[1,3,2,4], f64[3](0.5,2), f64[3](1,2) | eps=0.1"),
    sdk::sample(name, "f64[2,2,1,2,2], f64[2]"),
    sdk::sample(name, "f64[2,3,4], none, f64[3]"),
    sdk::sample(name, "f64[2,2,4], f64[2], f64[2] | eps=0.0"),
    sdk::sample(name, "f64[2,3], f64[3], f64[3]"),
    sdk::sample(name, "f64[0,3,2], f64[3], f64[3]"),
    sdk::sample(name, "f64[2,1,0], f64[1], f64[1]"),
    sdk::sample(name, "f64[2,0,3], f64[0], f64[0]"),
    sdk::sample(name, "f64[2,2,9](-100,100), f64[2](-3,3), f64[2](-3,3)"),
    sdk::sample(name, "f16[2,2,3], f16[2], f16[2]"),
    sdk::sample(name, "bf16[2,2,4], bf16[2]"),
    sdk::sample(name, "f32[1,3,2]{nan,0.0,inf,0.0,3.0,1.0}"),
    sdk::sample(name, "f32[1,2,2], f32[2]{inf,nan}, f32[2]{0.0,-inf}"),
    sdk::sample(name, "f32[1,2,3]{1e18,-1e18,2e17,1e-45,1.1754944e-38,-1e-45}"),
    sdk::sample(name, "f32[1,2,3], f32[2]{1e38,1e-45}, f32[2]{1.0,1e-45}"),
    sdk::sample(name, "f64[1,2,2]{1e150,-1e150,5e-324,2.2250738585072014e-308}"),
    sdk::sample(name, "f16[1,2,2]{65504.0,-65504.0,6e-8,6.1035e-5}"),
    sdk::sample(name, "bf16[1,2,2]{1e18,-1e18,9.2e-41,1.1755e-38}"),
    sdk::refused(name, "f32[2,4] | eps=-0.5", TENON_E_ATTRIBUTE, "eps must be"),
    sdk::refused(name, "f32[4]", TENON_E_SHAPE, "number of dimensions"),
    sdk::refused(name, "2.0", TENON_E_SHAPE, "channels in the second dimension"),
    sdk::refused(name, "f32[2,4,2], f32[2]", TENON_E_SHAPE, "weight"),
    sdk::refused(name, "f32[2,4,2], 1.0", TENON_E_SHAPE, "weight must have a number"),
    sdk::refused(name, "f32[2,4,2], none, 1.0", TENON_E_SHAPE, "bias must have a number"),
    sdk::refused(name, "f32[2,4,2], f64[4]", TENON_E_DTYPE, "weight"),
    sdk::refused(name, "i32[2,4,2]", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "Sums depend on their order; the differences, the root and the products are rounded, and "
    "count against the largest result where weighted terms and bias cancel.",
    {.f16 = {1, 2e-06}, .bf16 = {1, 2e-06}, .f32 = {2, 2e-06}, .f64 = {4, 4e-15}});

}  // namespace

TENON_UNIT(instance_norm) = {.ops = ops, .samples = samples, .tolerances = tolerances};
