// SPDX-License-Identifier: Apache-2.0
// plugins/ops/gated/glu.cc: glu, one half of an axis times the sigmoid of the other.
//
// x = [a | b],  y = a sigmoid(b);  dx in glu_grad.
// Source: Y. Dauphin et al., "Language Modeling with Gated Convolutional Networks", 2017; PyTorch's
// `glu`.
#include "gated/glu.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace gated = tenon::gated;
constexpr std::string_view name = "tenon.glu";
constexpr std::string_view grad = "tenon.glu_grad";

constexpr std::string_view doc =
    R"(The gated linear unit. `axis` of `x` holds two halves, first `a`, then `b`:
`y = a * sigmoid(b)`, half as long along that axis.

Gradient: `tenon.glu_grad`, which writes both halves in one pass.

Source: Y. Dauphin et al., "Language Modeling with Gated Convolutional Networks", 2017; PyTorch,
`glu`.

Canonical arithmetic: in f32 for f16, bf16 and f32, in f64 for f64: the sigmoid as in
`tenon.sigmoid`, and its product with `a`; rounded to T at the end.)";

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "glu(x: T[...], *, axis: int=-1) -> T[...] where T: float",
             .doc = doc,
             .infer = sdk::infer_fn<gated::infer>,
             .compose = sdk::compose_fn<gated::compose<gated::Glu>>})};

constexpr tenon_vjp_desc vjps[] = {sdk::vjp(
    {.op = name, .needs = gated::kNeeds, .vjp = sdk::vjp_fn<gated::vjp<grad, 1>>, .n_attrs = 1})};

constexpr auto samples = gated::forward_samples(
    name, {sdk::sample(name, "f32[6]{inf,-inf,1.0,1.0,-1.0,inf}"),
           sdk::sample(name, "f32[8]{1e30,2.0,0.5,1.0,-12.0,-20.0,-88.0,-104.0}"),
           sdk::sample(name, "f64[6]{1e300,0.5,1.0,-37.5,-300.0,-700.0}"),
           sdk::sample(name, "f16[6]{-2.0,3.5,60000.0,-9.0,18.0,-17.0}")});

constexpr auto tolerances =
    sdk::float_tolerances(name, "A sigmoid within 1 ULP, 2 in f64, and a product.",
                          {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {2, 0}, .f64 = {3, 0}});

}  // namespace

TENON_UNIT(glu) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
