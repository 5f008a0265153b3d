// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/gradient_strides_ignored.cc: multiplies with the incoming gradient in an op
// of its own, whose kernel reads that one as row-major: right until the gradient comes with
// strides.
//
// cause: gradient-layout
// op: tenon.sigmoid
// backward-only: yes
// level: 1
#include <algorithm>

#include "mutant.h"

namespace mutants {

constexpr std::string_view name = TENON_CASE_ID ".scale";

// dx = dy y (1 - y), where the last product is this plugin's own op.
void vjp(sdk::Vjp& v) {
  tenon_tensor* slope = v.call("tenon.mul", {v.out(), v.call("tenon.sub", {1.0, v.out()})});
  v.grad(0, v.call(name, {v.dy(), slope}));
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  if (!std::ranges::equal(args.shape(0), args.shape(1))) {
    throw sdk::Failure{TENON_E_SHAPE, "has another shape than dy", "slope"};
  }
  sdk::set_shape(out[0], args.shape(0));
}

void scale(const sdk::Launch& l) {
  const tenon_view& dy = l.view(0);
  for (int64_t i = 0; i < elements(l.out()); ++i) {
    const double slope = get(l.view(1), place(l.view(1), i));
    put(l.out(), place(l.out(), i), get(dy, kMutant ? i : place(dy, i)) * slope);
  }
}

void compose(sdk::Compose& c) { c.set(0, c.call("tenon.mul", {c.in(0), c.in(1)})); }

void scale_vjp(sdk::Vjp& v) {
  if (v.wants(0)) v.grad(0, v.call("tenon.mul", {v.dy(), v.in(1)}));
  if (v.wants(1)) v.grad(1, v.call("tenon.mul", {v.dy(), v.in(0)}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "scale(dy: T[...], slope: T[...]) -> T[...] where T: float",
             .doc = "`dy` times `slope`, both of one shape.",
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};
constexpr tenon_vjp_need needs[] = {sdk::need({.outputs = sdk::bit(0)})};
constexpr tenon_vjp_need scale_needs[] = {sdk::need({.inputs = sdk::bit(1)}),
                                          sdk::need({.inputs = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {rule<vjp>("tenon.sigmoid", needs),
                                   rule<scale_vjp>(name, scale_needs)};
constexpr tenon_kernel_desc kernels[] = {binary<scale>(name)};
constexpr tenon_sample samples[] = {sdk::sample(name, "f64[2,3], f64[2,3]"),
                                    sdk::sample(name, "f32[3]{nan,inf,1.0}, f32[3]{1.0,0.0,-2.0}"),
                                    sdk::sample(name, "f64[], f64[]"),
                                    sdk::sample(name, "f64[0,3], f64[0,3]"),
                                    sdk::refused(name, "i32[2], i32[2]", TENON_E_DTYPE, "i32")};
constinit const sdk::Unit unit = {.ops = ops, .vjps = vjps, .kernels = kernels, .samples = samples};

}  // namespace mutants
