// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/step.hpp: what kernels of optimizers' step ops have in common: the order of their slots
// and the dtypes of parameters and states.
//
//   acme.sgd_step(params!: T[...]*, grads: T[...]*, velocity!: U[...]*, step!: i64[]*, lr: f64[])
//
//   using Slots = sdk::StepSlots<false, 1>;
//   sdk::dispatch_step(l.view(Slots::kParams, i).dtype, l.view(Slots::kStates, i).dtype,
//                      [&]<class T, class U>() { ... });
#pragma once

#include <tenon/sdk/kernel.hpp>

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

}  // namespace tenon::sdk
