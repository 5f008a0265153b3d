// SPDX-License-Identifier: Apache-2.0
// plugins/ops/gated/swiglu_grad.cc: swiglu_grad, the backward rule of swiglu.
//
// x = [a | b], s = sigmoid(a), v = silu(a);  y = [dy b (s + v (1 - s)) | dy v].
// Source: N. Shazeer, "GLU Variants Improve Transformer", 2020.
#include "gated/swiglu.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace gated = tenon::gated;
constexpr std::string_view name = "tenon.swiglu_grad";

constexpr std::string_view doc =
    R"(The gradient of `tenon.swiglu` for its operand, both halves of it: with `s = sigmoid(a)` and
`v = silu(a)`, `y = [dy * b * (s + v * (1 - s)) | dy * v]` along `axis`.

Gradient: that of its composition.

Source: N. Shazeer, "GLU Variants Improve Transformer", 2020.

Canonical arithmetic: in f32 for f16, bf16 and f32, in f64 for f64: `v` as in `tenon.silu`; `s` and
`1 - s` from the same exponential, known to more digits and rounded once;
`(dy * b) * (s + v * (1 - s))` and `dy * v`, each operation rounded and none fused; rounded to T at
the end.)";

constexpr tenon_op_desc ops[] = {sdk::op(
    {.name = name,
     .schema = "swiglu_grad(dy: T[...], x: T[...], *, axis: int=-1) -> T[...] where T: float",
     .doc = doc,
     .infer = sdk::infer_fn<gated::infer_grad>,
     .compose = sdk::compose_fn<gated::compose_grad<gated::Swiglu>>})};

constexpr auto samples = gated::backward_samples(
    name,
    {sdk::sample(name, "f32[3]{1.0,1.0,2.0}, f32[6]{inf,1.0,1.0,1.0,-inf,inf}"),
     sdk::sample(name, "f32[4]{1.0,1.0,1.0,0.5}, f32[8]{-12.0,-20.0,88.0,-95.0,1.0,2.0,3.0,4.0}"),
     sdk::sample(name, "f32[2]{1e38,1.0}, f32[4]{1.0,-1.0,0.5,1e37}"),
     sdk::sample(name, "f64[3]{3.0,2.0,1.0}, f64[6]{-37.5,-300.0,-740.0,1.0,2.0,0.5}"),
     sdk::sample(name, "f64[2]{1.7976931348623157e308,5e-324}, f64[4]{1.0,5e-324,0.5,2.0}"),
     sdk::sample(name, "f16[2]{30000.0,6.1035e-5}, f16[4]{1.0,6e-8,0.5,2.0}"),
     sdk::sample(name, "bf16[2]{1e38,1.1755e-38}, bf16[4]{1.0,9.2e-41,0.5,2.0}")});

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "A slope whose terms cancel near -1.28, so errors count against the largest result, too; "
    "and products.",
    {.f16 = {1, 2e-06}, .bf16 = {1, 2e-06}, .f32 = {3, 3e-07}, .f64 = {3, 6e-16}});

}  // namespace

TENON_UNIT(swiglu_grad) = {.ops = ops, .samples = samples, .tolerances = tolerances};
