// SPDX-License-Identifier: Apache-2.0
// plugins/ops/gated/glu_grad.cc: glu_grad, the backward rule of glu.
//
// x = [a | b], s = sigmoid(b);  y = [dy s | dy a s (1 - s)].
// Source: PyTorch's `glu_backward`.
#include "gated/glu.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace gated = tenon::gated;
constexpr std::string_view name = "tenon.glu_grad";

constexpr std::string_view doc =
    R"(The gradient of `tenon.glu` for its operand, both halves of it: with `s = sigmoid(b)`,
`y = [dy * s | dy * a * s * (1 - s)]` along `axis`.

Gradient: that of its composition.

Source: PyTorch, `glu_backward`.

Canonical arithmetic: in f32 for f16, bf16 and f32, in f64 for f64: `s` and `1 - s` from the
exponential of `tenon.silu`, known to more digits and rounded once; `dy * s`, and
`(dy * a) * (s * (1 - s))`, each operation rounded and none fused; rounded to T at the end.)";

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "glu_grad(dy: T[...], x: T[...], *, axis: int=-1) -> T[...] where T: float",
             .doc = doc,
             .infer = sdk::infer_fn<gated::infer_grad>,
             .compose = sdk::compose_fn<gated::compose_grad<gated::Glu>>})};

constexpr auto samples = gated::backward_samples(
    name,
    {sdk::sample(name, "f32[3]{1.0,1.0,2.0}, f32[6]{inf,1.0,1.0,1.0,-inf,inf}"),
     sdk::sample(name, "f32[4]{1.0,1.0,1.0,0.5}, f32[8]{1.0,2.0,3.0,4.0,-12.0,-20.0,88.0,-95.0}"),
     sdk::sample(name, "f32[2]{1e38,1.0}, f32[4]{0.5,1e37,1.0,-1.0}"),
     sdk::sample(name, "f64[3]{3.0,2.0,1.0}, f64[6]{1.0,2.0,0.5,-37.5,-300.0,-700.0}"),
     sdk::sample(name, "f64[2]{1.7976931348623157e308,5e-324}, f64[4]{0.5,2.0,1.0,5e-324}"),
     sdk::sample(name, "f16[2]{30000.0,6.1035e-5}, f16[4]{0.5,2.0,1.0,6e-8}"),
     sdk::sample(name, "bf16[2]{1e38,1.1755e-38}, bf16[4]{0.5,2.0,1.0,9.2e-41}")});

constexpr auto tolerances =
    sdk::float_tolerances(name, "Two sigmoids within 1 ULP, 2 in f64, and three products.",
                          {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {4, 0}, .f64 = {6, 0}});

}  // namespace

TENON_UNIT(glu_grad) = {.ops = ops, .samples = samples, .tolerances = tolerances};
