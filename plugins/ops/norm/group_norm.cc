// SPDX-License-Identifier: Apache-2.0
// plugins/ops/norm/group_norm.cc: group_norm, groups of channels of mean 0 and variance 1, each
// channel scaled and shifted.
//
// y = (x - m) s w + b,  m = mean x,  s = 1 / sqrt(mean (x - m)^2 + eps) over a group of a sample.
// Source: Y. Wu, K. He, "Group Normalization", 2018; PyTorch's `group_norm`.
#include "norm/groups.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.group_norm";

enum Attribute : uint32_t { kGroups, kEps };

constexpr std::string_view doc =
    R"(Normalises groups of neighbouring channels of each sample of `x`, whose second dimension
counts the channels: `y = (x - m) * s * weight + bias`, with `m = mean(x)` and `s = 1 / sqrt(mean((x
- m)^2) + eps)` over the `C / groups` channels of a group and all dimensions after the second.
`weight` and `bias` have a number for each channel; without them they are 1 and 0. `groups` divides
C. A group of one number is 0 before its bias.

Gradient: that of its composition.

Source: Y. Wu, K. He, "Group Normalization", 2018; PyTorch, `group_norm`.

Canonical arithmetic: in f32 for f16, bf16 and f32, in f64 for f64: that of `tenon.layer_norm` of
`x` as a matrix whose rows are the groups, then `y = h * weight + bias`, both operations rounded;
rounded to T at the end.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const std::span<const int64_t> shape = rules::group_shape(args, args.attrs.real(kEps));
  const int64_t groups = args.attrs.integer(kGroups);
  if (groups < 1 || shape[1] % groups != 0) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "groups must divide the channels", "groups",
                       "a divisor of " + std::to_string(shape[1]), std::to_string(groups)};
  }
  sdk::set_shape(out[0], shape);
}

void compose(sdk::Compose& c) {
  rules::compose_groups(c, c.attrs.integer(kGroups), c.attrs.real(kEps));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "group_norm(x: T[N,C,...], weight: T[C]?, bias: T[C]?, *, groups: int, eps: "
                       "float=1e-05) -> T[N,C,...] where T: float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,4,2], f64[4](0.5,2), f64[4] | groups=2"),
    sdk::sample(name, "f64[2,8] | groups=2"),
    sdk::sample(name, "f64[1,6,2,2], f64[6](0.5,2), f64[6](1,2) | groups=3, eps=0.1"),
    sdk::sample(name, "f64[2,2,1,2,2], f64[2] | groups=1"),
    sdk::sample(name, "f64[2,3,4], none, f64[3] | groups=3"),
    sdk::sample(name, "f64[2,2,4], f64[2], f64[2] | groups=1, eps=0.0"),
    sdk::sample(name, "f64[2,3], f64[3], f64[3] | groups=3"),
    sdk::sample(name, "f64[0,4,2], f64[4], f64[4] | groups=2"),
    sdk::sample(name, "f64[2,4,0], f64[4], f64[4] | groups=2"),
    sdk::sample(name, "f64[2,0,3], f64[0], f64[0] | groups=2"),
    sdk::sample(name, "f64[2,4,5](-100,100), f64[4](-3,3), f64[4](-3,3) | groups=2"),
    sdk::sample(name, "f16[2,4,3], f16[4], f16[4] | groups=2"),
    sdk::sample(name, "bf16[2,2,4], bf16[2] | groups=2"),
    sdk::sample(name, "f32[1,4,2]{nan,0.0,1.0,2.0,inf,0.0,1.0,2.0} | groups=2"),
    sdk::sample(name, "f32[1,2,2], f32[2]{inf,nan}, f32[2]{0.0,-inf} | groups=1"),
    sdk::sample(name, "f32[1,4,2]{1e18,-1e18,2e17,0.0,1e-45,1.1754944e-38,0.0,-1e-45} | groups=2"),
    sdk::sample(name, "f32[1,2,3], f32[2]{1e38,1e-45}, f32[2]{1.0,1e-45} | groups=2"),
    sdk::sample(name, "f64[1,2,2]{1e150,-1e150,5e-324,2.2250738585072014e-308} | groups=2"),
    sdk::sample(name, "f16[1,2,2]{65504.0,-65504.0,6e-8,6.1035e-5} | groups=2"),
    sdk::sample(name, "bf16[1,2,2]{1e18,-1e18,9.2e-41,1.1755e-38} | groups=2"),
    sdk::refused(name, "f32[2,4] | groups=3", TENON_E_ATTRIBUTE, "groups must divide"),
    sdk::refused(name, "f32[2,4] | groups=0", TENON_E_ATTRIBUTE, "groups must divide"),
    sdk::refused(name, "f32[2,4] | groups=-2", TENON_E_ATTRIBUTE, "groups must divide"),
    sdk::refused(name, "f32[2,4]", TENON_E_ATTRIBUTE, "groups"),
    sdk::refused(name, "f32[2,4] | groups=2, eps=-0.5", TENON_E_ATTRIBUTE, "eps must be"),
    sdk::refused(name, "f32[4] | groups=2", TENON_E_SHAPE, "number of dimensions"),
    sdk::refused(name, "2.0 | groups=2", TENON_E_SHAPE, "channels in the second dimension"),
    sdk::refused(name, "f32[2,4], f32[2] | groups=2", TENON_E_SHAPE, "weight"),
    sdk::refused(name, "f32[2,4], 1.0 | groups=2", TENON_E_SHAPE, "weight must have a number"),
    sdk::refused(name, "f32[2,4], none, 1.0 | groups=2", TENON_E_SHAPE, "bias must have a number"),
    sdk::refused(name, "f32[2,4], f64[4] | groups=2", TENON_E_DTYPE, "weight"),
    sdk::refused(name, "i32[2,4] | groups=2", TENON_E_DTYPE, "i32"),
    sdk::refused(name, "| groups=2", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "Sums depend on their order; the differences, the root and the products are rounded, and "
    "count against the largest result where weighted terms and bias cancel.",
    {.f16 = {1, 2e-06}, .bf16 = {1, 2e-06}, .f32 = {2, 2e-06}, .f64 = {4, 4e-15}});

}  // namespace

TENON_UNIT(group_norm) = {.ops = ops, .samples = samples, .tolerances = tolerances};
