// SPDX-License-Identifier: Apache-2.0
// plugins/ops/gated/swiglu.cc: swiglu, the silu of one half of an axis times the other.
//
// x = [a | b],  y = silu(a) b;  dx in swiglu_grad.
// Source: N. Shazeer, "GLU Variants Improve Transformer", 2020.
#include "gated/swiglu.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace gated = tenon::gated;
constexpr std::string_view name = "tenon.swiglu";
constexpr std::string_view grad = "tenon.swiglu_grad";

constexpr std::string_view doc =
    R"(The gated unit of Llama and its kin. `axis` of `x` holds two halves, first `a`, then `b`:
`y = silu(a) * b`, half as long along that axis. A layer that multiplies by both of its weights at
once, `linear` with the rows of the gate before those of the other, has `x` in this form.

Gradient: `tenon.swiglu_grad`, which writes both halves in one pass.

Source: N. Shazeer, "GLU Variants Improve Transformer", 2020.

Canonical arithmetic: in f32 for f16, bf16 and f32, in f64 for f64: silu as in `tenon.silu`, and
its product with `b`; rounded to T at the end.)";

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "swiglu(x: T[...], *, axis: int=-1) -> T[...] where T: float",
             .doc = doc,
             .infer = sdk::infer_fn<gated::infer>,
             .compose = sdk::compose_fn<gated::compose<gated::Swiglu>>})};

constexpr tenon_vjp_desc vjps[] = {sdk::vjp(
    {.op = name, .needs = gated::kNeeds, .vjp = sdk::vjp_fn<gated::vjp<grad, 1>>, .n_attrs = 1})};

constexpr auto samples = gated::forward_samples(
    name, {sdk::sample(name, "f32[6]{inf,-inf,1.0,1.0,-1.0,inf}"),
           sdk::sample(name, "f32[8]{-12.0,-20.0,-88.0,-104.0,1e30,2.0,0.5,1.0}"),
           sdk::sample(name, "f64[6]{-37.5,-300.0,-740.0,1e300,0.5,1.0}"),
           sdk::sample(name, "f16[6]{-9.0,18.0,-17.0,-2.0,3.5,60000.0}")});

constexpr auto tolerances =
    sdk::float_tolerances(name, "A silu within 1 ULP, and a product.",
                          {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {2, 0}, .f64 = {2, 0}});

}  // namespace

TENON_UNIT(swiglu) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
