// SPDX-License-Identifier: Apache-2.0
// plugins/ops/gated/geglu.cc: geglu, the gelu of one half of an axis times the other.
//
// x = [a | b],  y = gelu(a) b;  dx in geglu_grad.
// Source: N. Shazeer, "GLU Variants Improve Transformer", 2020.
#include "gated/geglu.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace gated = tenon::gated;
constexpr std::string_view name = "tenon.geglu";
constexpr std::string_view grad = "tenon.geglu_grad";

constexpr std::string_view doc =
    R"(The gated unit of Gemma and T5. `axis` of `x` holds two halves, first `a`, then `b`:
`y = gelu(a) * b`, half as long along that axis, with `approximate` as in `tenon.gelu`.

Gradient: `tenon.geglu_grad`, which writes both halves in one pass.

Source: N. Shazeer, "GLU Variants Improve Transformer", 2020.

Canonical arithmetic: in f32 for f16, bf16 and f32, in f64 for f64: gelu as in `tenon.gelu`, and
its product with `b`; rounded to T at the end.)";

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "geglu(x: T[...], *, axis: int=-1, approximate: str=\"none\") -> T[...] "
                       "where T: float",
             .doc = doc,
             .infer = sdk::infer_fn<gated::infer_geglu<gated::infer>>,
             .compose = sdk::compose_fn<gated::compose<gated::Geglu>>})};

constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name,
              .needs = gated::kNeeds,
              .vjp = sdk::vjp_fn<gated::vjp<grad, gated::kGegluAttributes>>,
              .n_attrs = gated::kGegluAttributes})};

constexpr auto samples = gated::forward_samples(
    name,
    {sdk::sample(name, "f64[2,6] | approximate=\"tanh\""),
     sdk::sample(name, "f64[6,2](-4,4) | axis=0, approximate=\"tanh\""),
     sdk::sample(name, "f32[6]{inf,-inf,1.0,1.0,-1.0,inf}"),
     sdk::sample(name, "f32[8]{-3.0,-5.5,-12.0,-13.2,1e30,2.0,0.5,1.0}"),
     sdk::sample(name, "f32[8]{-3.0,-5.5,-10.5,-12.0,1e30,2.0,0.5,1.0} | approximate=\"tanh\""),
     sdk::sample(name, "f64[6]{-8.3,-20.0,-37.5,1e300,0.5,1.0}"),
     sdk::sample(name, "f16[6]{-2.0,-3.5,-5.0,-2.0,3.5,60000.0}"),
     sdk::refused(name, "f32[2] | approximate=\"erf\"", TENON_E_ATTRIBUTE, "approximate")});

constexpr auto tolerances =
    sdk::float_tolerances(name, "A gelu to the last place, 2 ULP in f64, and a product.",
                          {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {3, 0}, .f64 = {3, 0}});

}  // namespace

TENON_UNIT(geglu) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
