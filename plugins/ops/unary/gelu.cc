// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/gelu.cc: gelu, the Gaussian error linear unit, element by element.
//
// y = x P(x), P the normal distribution function;  dx = dy (P(x) + x P'(x)).
// Source: D. Hendrycks, K. Gimpel, "Gaussian Error Linear Units", 2016; PyTorch's `gelu`.
#include "unary/gelu.hpp"

#include "ends.hpp"

namespace {

namespace ends = tenon::ends;
namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.gelu";

constexpr std::string_view doc =
    R"(The Gaussian error linear unit: `y = x * P(x)`, with `P` the distribution function of the
normal distribution, `P(x) = (1 + erf(x / sqrt(2))) / 2`. With `approximate="tanh"` it is
`P(x) = (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2`. Of -inf it is the limit, -0.

Gradient: `dx = dy * (P(x) + x * P'(x))` (`tenon.gelu_grad`).

Source: D. Hendrycks, K. Gimpel, "Gaussian Error Linear Units", 2016; PyTorch, `gelu`.

Canonical arithmetic: evaluated in f64 and rounded once to T; f64 itself is within 2 ULP. Far
left of 0, where the result is tiny, its digits count as everywhere: `1 + erf` has lost them.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  rules::by_tanh(args.attrs.text(0));
  sdk::set_shape(out[0], args.shape(0));
}

void vjp(sdk::Vjp& v) { v.grad(0, v.call("tenon.gelu_grad", {v.dy(), v.in(0)}, {v.attr(0)})); }

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "gelu(x: T[...], *, approximate: str=\"none\") -> T[...] "
                       "where T: float promote",
             .doc = doc,
             .flags = TENON_OP_ELEMENTWISE,
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.inputs = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 1})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3](-2,2)"),
    sdk::sample(name, "f64[2,3](-2,2) | approximate=\"tanh\""),
    sdk::sample(name, "f64[7](-6,6)"),
    sdk::sample(name, "f64[7](-6,6) | approximate=\"tanh\""),
    sdk::sample(name, "f64[2,1,3,2](-2,2)"),
    sdk::sample(name, "f64[](0.5,2)"),
    sdk::sample(name, "f64[0,3] | approximate=\"tanh\""),
    sdk::sample(name, "f64[1,5,1](-2,2)"),
    sdk::sample(name, "i32[3]"),
    sdk::sample(name, "f32[5] | approximate=\"none\""),
    sdk::sample(name, ends::kF32),
    sdk::sample(name, ends::kF64),
    sdk::sample(name, ends::kF16),
    sdk::sample(name, ends::kBf16),
    sdk::sample(name, ends::kSpecial),
    sdk::sample(name, "f32[8]{0.0,-0.0,1.0,-1.0,inf,-inf,nan,1e-40} | approximate=\"tanh\""),
    sdk::sample(
        name, "f32[6]{3.4028235e38,-3.4028235e38,1e13,-1e13,1e-45,-1e-45} | approximate=\"tanh\""),
    sdk::sample(name,
                "f64[4]{1.7976931348623157e308,-1.7976931348623157e308,5e-324,-1e110} | "
                "approximate=\"tanh\""),
    // The left tail, down to where it vanishes.
    sdk::sample(name, "f32[8]{-3.0,-5.0,-5.5,-8.0,-12.0,-13.2,-14.2,-20.0}"),
    sdk::sample(name, "f32[6]{-3.0,-5.0,-7.0,-10.5,-10.9,-20.0} | approximate=\"tanh\""),
    sdk::sample(name, "f64[6]{-5.0,-8.3,-20.0,-37.5,-38.4,-40.0}"),
    sdk::sample(name, "f64[6]{-5.0,-8.0,-15.0,-21.0,-22.0,-30.0} | approximate=\"tanh\""),
    sdk::sample(name, "f16[6]{-2.0,-3.5,-5.0,-5.4,4.0,0.001}"),
    sdk::refused(name, "f32[2] | approximate=\"erf\"", TENON_E_ATTRIBUTE, "approximate"),
    sdk::refused(name, "f32[2] | approximate=true", TENON_E_ATTRIBUTE, "approximate"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "A distribution function to the last place, with an argument of more digits than T, and one "
    "product.",
    {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {2, 0}, .f64 = {2, 0}});

}  // namespace

TENON_UNIT(gelu) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
