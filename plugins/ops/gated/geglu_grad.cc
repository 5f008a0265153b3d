// SPDX-License-Identifier: Apache-2.0
// plugins/ops/gated/geglu_grad.cc: geglu_grad, the backward rule of geglu.
//
// x = [a | b];  y = [dy b gelu'(a) | dy gelu(a)].
// Source: N. Shazeer, "GLU Variants Improve Transformer", 2020.
#include "gated/geglu.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace gated = tenon::gated;
constexpr std::string_view name = "tenon.geglu_grad";

constexpr std::string_view doc =
    R"(The gradient of `tenon.geglu` for its operand, both halves of it:
`y = [dy * b * gelu'(a) | dy * gelu(a)]` along `axis`, with `approximate` as in `tenon.gelu`.

Gradient: that of its composition.

Source: N. Shazeer, "GLU Variants Improve Transformer", 2020.

Canonical arithmetic: in f32 for f16, bf16 and f32, in f64 for f64: `dy * b`, rounded, whose product
with the slope is as in `tenon.gelu_grad`; gelu as in `tenon.gelu`, and its product with `dy`;
rounded to T at the end.)";

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "geglu_grad(dy: T[...], x: T[...], *, axis: int=-1, "
                       "approximate: str=\"none\") -> T[...] where T: float",
             .doc = doc,
             .infer = sdk::infer_fn<gated::infer_geglu<gated::infer_grad>>,
             .compose = sdk::compose_fn<gated::compose_grad<gated::Geglu>>})};

constexpr auto samples = gated::backward_samples(
    name,
    {sdk::sample(name, "f64[2,3], f64[2,6](-0.5,3) | approximate=\"tanh\""),
     sdk::sample(name, "f64[3,2], f64[6,2](0.5,2) | axis=0, approximate=\"tanh\""),
     sdk::sample(name, "f32[3]{1.0,1.0,2.0}, f32[6]{inf,1.0,1.0,1.0,-inf,inf}"),
     sdk::sample(name, "f32[4]{1.0,1.0,1.0,0.5}, f32[8]{-3.0,-5.0,12.0,-8.0,1.0,2.0,3.0,4.0}"),
     sdk::sample(name,
                 "f32[4]{1.0,1.0,1.0,0.5}, f32[8]{-3.0,-5.0,12.0,-8.0,1.0,2.0,3.0,4.0} | "
                 "approximate=\"tanh\""),
     sdk::sample(name, "f32[2]{1e38,1.0}, f32[4]{1.0,-1.5,0.5,1e37}"),
     sdk::sample(name, "f64[3]{1.0,2.0,1.0}, f64[6]{-5.0,-8.0,3.0,1.0,2.0,0.5}"),
     sdk::sample(name, "f64[2]{1.7976931348623157e308,5e-324}, f64[4]{1.0,5e-324,0.5,2.0}"),
     sdk::sample(name, "f16[2]{30000.0,6.1035e-5}, f16[4]{1.0,6e-8,0.5,2.0}"),
     sdk::sample(name, "bf16[2]{1e38,1.1755e-38}, bf16[4]{1.0,9.2e-41,0.5,2.0}"),
     sdk::refused(name, "f32[1], f32[2] | approximate=\"erf\"", TENON_E_ATTRIBUTE, "approximate")});

constexpr auto tolerances = sdk::float_tolerances(
    name, "P(x) and x P'(x) cancel, so errors count against the largest result; and products.",
    {.f16 = {1, 2e-06}, .bf16 = {1, 2e-06}, .f32 = {3, 2e-06}, .f64 = {4, 4e-15}});

}  // namespace

TENON_UNIT(geglu_grad) = {.ops = ops, .samples = samples, .tolerances = tolerances};
