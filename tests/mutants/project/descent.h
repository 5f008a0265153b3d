// SPDX-License-Identifier: Apache-2.0
// tests/mutants/project/descent.h: an optimizer of the case's own, for faults in its step.
//
//   v = momentum v + g,  p = p - lr v
//
// goldens/optimizers/descent.json.in holds its reference trace.
#pragma once

#include "mutant.h"

namespace mutants {

inline constexpr std::string_view kDescent = TENON_CASE_ID ".descent";
inline constexpr std::string_view kDescentStep = TENON_CASE_ID ".descent_step";

// The operands of one parameter's step.
struct Part {
  tenon_view param, grad, velocity;
  double lr, momentum;
};

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
}

inline constexpr tenon_op_desc kDescentOps[] = {
    sdk::op({.name = kDescentStep,
             .schema = "descent_step(params!: T[...]*, grads: T[...]*, velocity!: T[...]*, "
                       "lr: f64[], *, momentum: float=0.5) -> () where T: float",
             .doc = "`v = momentum v + g`, `p = p - lr v`, for each parameter.",
             .infer = sdk::infer_fn<infer_descent>})};
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
                                                               0,
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
