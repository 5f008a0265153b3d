// SPDX-License-Identifier: Apache-2.0
// tests/mutants/project/descent.h: an optimizer of the case's own, for faults in its step.
//
//   v = momentum v + g,  p = p - lr v     each operation rounded to the dtype of p
//
// goldens/optimizers/descent.json.in holds its reference trace.
#pragma once

#include <tenon/ext/draft/optimizers.h>

#include <algorithm>

#include "mutant.h"

namespace mutants {

inline constexpr std::string_view kDescent = TENON_CASE_ID ".descent";
inline constexpr std::string_view kDescentStep = TENON_CASE_ID ".descent_step";

// The operands of one parameter's step.
struct Part {
  tenon_view param, grad, velocity;
  double lr, momentum;
};

// What a dtype holds of a number.
inline double rounded(double number, tenon_dtype dtype) {
  double held = 0;
  tenon_view view{};
  view.data = &held;
  view.dtype = dtype;
  put(view, 0, number);
  return get(view, 0);
}

// One element, each operation rounded; returns the velocity.
inline double step(const Part& part, int64_t i, double velocity, double slope) {
  const auto& [p, g, v, lr, momentum] = part;
  const auto round = [&part](double number) { return rounded(number, part.param.dtype); };
  const double faster = round(round(round(momentum) * velocity) + slope);
  put(v, place(v, i), faster);
  put(p, place(p, i), get(p, place(p, i)) - round(round(lr) * faster));
  return faster;
}

// The same in ops.
inline void compose_descent(sdk::Compose& c) {
  const double momentum = c.attrs.real(0);
  for (uint32_t item = 0; item < c.in(0).count; ++item) {
    tenon_tensor* p = c.in(0).as.tensors[item];
    tenon_tensor* g = c.in(1).as.tensors[item];
    tenon_tensor* v = c.in(2).as.tensors[item];
    const sdk::Value lr = c.call("tenon.cast", {c.in(3)}, {sdk::Value::dtype(c.meta(p).dtype)});
    c.call_into("tenon.mul", {v, momentum}, {}, {v});
    c.call_into("tenon.add", {v, g}, {}, {v});
    c.call_into("tenon.sub", {p, c.call("tenon.mul", {v, lr})}, {}, {p});
  }
}

template <void (*Update)(const Part&)>
void descend(const sdk::Launch& l) {
  for (uint32_t item = 0; item < l.count(0); ++item) {
    Update({l.view(0, item), l.view(1, item), l.view(2, item), get(l.view(3), 0), l.attrs.real(0)});
  }
}

inline void infer_descent(const sdk::Args& args, std::span<tenon_meta>) {
  for (uint32_t slot = 1; slot < 3; ++slot) {
    if (args.count(slot) == args.count(0)) continue;
    throw sdk::Failure{TENON_E_ARGUMENT, "each parameter needs a gradient and a velocity",
                       slot == 1 ? "grads" : "velocity"};
  }
  for (uint32_t item = 0; item < args.count(0); ++item) {
    for (uint32_t slot = 1; slot < 3; ++slot) {
      if (std::ranges::equal(args.shape(slot, item), args.shape(0, item))) continue;
      throw sdk::Failure{TENON_E_SHAPE, "has another shape than its parameter",
                         slot == 1 ? "grads" : "velocity"};
    }
  }
}

inline constexpr tenon_op_desc kDescentOps[] = {
    sdk::op({.name = kDescentStep,
             .schema = "descent_step(params!: T[...]*, grads: T[...]*, velocity!: T[...]*, "
                       "lr: f64[], *, momentum: float=0.5) -> () where T: float",
             .doc = "`v = momentum v + g`, `p = p - lr v`, for each parameter.",
             .infer = sdk::infer_fn<infer_descent>,
             .compose = sdk::compose_fn<compose_descent>})};
inline constexpr tenon_slot_rule kDescentSlots[] = {sdk::strided_inout(), sdk::strided_in(),
                                                    sdk::strided_inout(), sdk::strided_in()};
template <void (*Update)(const Part&)>
constexpr tenon_kernel_desc descent_kernel() {
  return kernel<descend<Update>>(kDescentStep, kDescentSlots, 1);
}

inline constexpr tenon_hyper_desc kDescentHypers[] = {
    {sdk::str("lr"), sdk::str("learning rate"), TENON_HYPER_DYNAMIC, TENON_VALUE_F64, 0.25, 0, 1e9},
    {sdk::str("momentum"), sdk::str("share of the velocity that is kept"), 0, TENON_VALUE_F64, 0.5,
     0, 1}};
inline constexpr tenon_state_desc kDescentStates[] = {
    {sdk::str("velocity"), sdk::str("running sum of gradients"), TENON_STATE_LIKE_PARAMETER,
     TENON_DTYPE_NONE, 0}};
inline constexpr tenon_optimizer_desc kDescentOptimizers[] = {{sizeof(tenon_optimizer_desc),
                                                               TENON_OPTIMIZER_BY_ELEMENT,
                                                               sdk::str(kDescent),
                                                               sdk::str("Descent with momentum."),
                                                               sdk::str(kDescentStep),
                                                               {},
                                                               kDescentHypers,
                                                               kDescentStates,
                                                               2,
                                                               1}};

inline constexpr tenon_sample kDescentSamples[] = {
    sdk::sample(kDescentStep,
                "[f32[2,3], f32[4]], [f32[2,3], f32[4]], [f32[2,3], f32[4]], "
                "f64[]{0.5}"),
    sdk::sample(kDescentStep, "[f64[0,2]], [f64[0,2]], [f64[0,2]], f64[]{0.5}"),
    sdk::refused(kDescentStep, "[f64[2]], [], [f64[2]], f64[]{0.5}", TENON_E_ARGUMENT,
                 "needs a gradient")};
inline constexpr tenon_optimizer_sample kDescentRuns[] = {
    sdk::optimizer_sample(kDescent, "f64[2,3], f64[4] | lr=0.25", 4),
    sdk::optimizer_refused(kDescent, "f64[2] | lr=-1.0", TENON_E_ATTRIBUTE, "lr")};

template <void (*Update)(const Part&)>
inline constexpr tenon_kernel_desc kDescentKernels[] = {descent_kernel<Update>()};

template <void (*Update)(const Part&)>
constexpr sdk::Unit descent_unit() {
  return {.ops = kDescentOps,
          .kernels = kDescentKernels<Update>,
          .samples = kDescentSamples,
          .optimizers = kDescentOptimizers,
          .optimizer_samples = kDescentRuns};
}

}  // namespace mutants
