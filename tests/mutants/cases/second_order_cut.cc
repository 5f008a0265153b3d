// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/second_order_cut.cc: claims that its rule can be differentiated again and
// uses the output through an op that lets no gradient pass.
//
// cause: wrong-second-order
// op: tenon.tanh
// backward-only: yes
// level: 1
#include "mutant.h"

namespace mutants {

constexpr std::string_view name = TENON_CASE_ID ".constant";

// dx = dy (1 - y^2).
void vjp(sdk::Vjp& v) {
  const sdk::Value y = kMutant ? sdk::Value(v.call(name, {v.out()})) : v.out();
  tenon_tensor* square = v.call("tenon.mul", {y, y});
  v.grad(0, v.call("tenon.mul", {v.dy(), v.call("tenon.sub", {1.0, square})}));
}

void constant(const sdk::Launch& l) {
  map(l, [](double x) { return x; });
}

void compose(sdk::Compose& c) { c.set(0, c.call("tenon.copy", {c.in(0)})); }

void no_gradient(sdk::Vjp&) {}

constexpr tenon_op_desc ops[] = {sdk::op({.name = name,
                                          .schema = "constant(x: T[...]) -> T[...] where T: float",
                                          .doc = "The same values; no gradient goes back to `x`.",
                                          .shape = TENON_SHAPE_SAME_AS_0,
                                          .compose = sdk::compose_fn<compose>})};
constexpr tenon_vjp_need needs[] = {sdk::need({.outputs = sdk::bit(0)})};
constexpr tenon_vjp_need no_needs[1] = {};
constexpr tenon_vjp_desc vjps[] = {rule<vjp>("tenon.tanh", needs),
                                   sdk::vjp({.op = name,
                                             .needs = no_needs,
                                             .vjp = sdk::vjp_fn<no_gradient>,
                                             .non_differentiable = sdk::bit(0)})};
constexpr tenon_kernel_desc kernels[] = {unary<constant>(name)};
constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3]"), sdk::sample(name, "f32[4]{0.0,-0.0,nan,inf}"),
    sdk::sample(name, "f64[0,3]"), sdk::refused(name, "i32[2]", TENON_E_DTYPE, "i32")};
constinit const sdk::Unit unit = {.ops = ops, .vjps = vjps, .kernels = kernels, .samples = samples};

}  // namespace mutants
