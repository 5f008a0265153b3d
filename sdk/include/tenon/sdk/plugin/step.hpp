// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/step.hpp: what kernels of optimizers' step ops have in common: the order of
// their slots and the dtypes of parameters and states.
//
//   acme.sgd_step(params!: T[...]*, grads: T[...]*, velocity!: U[...]*, step!: i64[]*, lr: f64[])
//
//   sdk::each_step<false, 1>(l, [&]<class T, class U>(const sdk::Step& step) { ... });
//
// Numbers that a rule makes once for a parameter: step_scalars.hpp.
#pragma once

#include <tenon/sdk/plugin/kernel.hpp>

#include <array>

namespace tenon::sdk {

// Of a step op with `n_states` lists of states; `rows` tells an op that updates some rows of each
// parameter.
template <bool rows, uint32_t n_states>
struct StepSlots {
  static constexpr uint32_t kParams = 0;
  static constexpr uint32_t kIndices = 1;  // rows only
  static constexpr uint32_t kGrads = rows ? 2 : 1;
  static constexpr uint32_t kStates = kGrads + 1;
  static constexpr uint32_t kStep = kStates + n_states;
  static constexpr uint32_t kLr = kStep + 1;
  static constexpr uint32_t kCount = kLr + 1;

  // `in` for indices and gradients, `lr` for the learning rate, `inout` for the others.
  static constexpr std::array<tenon_slot_rule, kCount> rules(const tenon_slot_rule& inout,
                                                             const tenon_slot_rule& in,
                                                             const tenon_slot_rule& lr) {
    std::array<tenon_slot_rule, kCount> result{};
    result.fill(inout);
    for (uint32_t slot = 1; slot <= kGrads; ++slot) result[slot] = in;
    result[kLr] = lr;
    return result;
  }
};

// Parameter and state dtypes: the same, or 16-bit parameters with f32 states.
inline constexpr tenon_dtype kStepRows[] = {TENON_DTYPE_F16,  TENON_DTYPE_F16,  TENON_DTYPE_BF16,
                                            TENON_DTYPE_BF16, TENON_DTYPE_F32,  TENON_DTYPE_F32,
                                            TENON_DTYPE_F64,  TENON_DTYPE_F64,  TENON_DTYPE_F16,
                                            TENON_DTYPE_F32,  TENON_DTYPE_BF16, TENON_DTYPE_F32};

// Calls body<T, U>() with the types of a row of kStepRows.
template <class Body>
void dispatch_step(tenon_dtype param, tenon_dtype state, Body&& body) {
  dispatch_dtype<FloatTypes>(param, [&]<class T>() {
    if (state == param) return body.template operator()<T, T>();
    if constexpr (sizeof(T) == 2) return body.template operator()<T, float>();
  });
}

// What a step of one parameter is made of, on the host.
struct Step {
  double attr(uint32_t index) const { return launch.attrs.real(index); }

  const Launch& launch;
  uint32_t item;  // of every list
  double lr;
  int64_t t;  // steps of this parameter, this one counted
};

// Calls body<T, U>(step) for every parameter, with the types of a row of kStepRows, and counts its
// step.
template <bool rows, uint32_t n_states, class Body>
void each_step(const Launch& l, Body&& body) {
  using S = StepSlots<rows, n_states>;
  const double lr = load<double>(l.view(S::kLr).data);
  for (uint32_t item = 0; item < l.count(S::kParams); ++item) {
    char* counter = static_cast<char*>(l.view(S::kStep, item).data);
    const Step step{l, item, lr, load<int64_t>(counter) + 1};
    dispatch_step(l.view(S::kParams, item).dtype, l.view(S::kStates, item).dtype,
                  [&]<class T, class U>() { body.template operator()<T, U>(step); });
    store(counter, step.t);
  }
}

}  // namespace tenon::sdk
