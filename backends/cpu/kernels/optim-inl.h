// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/optim-inl.h: how a step op updates a list of parameters, each in one pass.
//
// An update rule is a template over C, the type it computes in, built once for a step of one
// parameter. It works on vectors:
//
//   template <class C> struct Rule {
//     static constexpr size_t kStates = 1;  // states it reads and writes
//     static constexpr uint32_t kUsed[] = {2};  // their lists, where they are not the first ones
//     explicit Rule(const sdk::Step& step);
//     template <class D, class V> void operator()(D d, V& p, V g, V* s) const;
//   };

#if defined(TENON_CPU_OPTIM_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_OPTIM_INL_H
#undef TENON_CPU_OPTIM_INL_H
#else
#define TENON_CPU_OPTIM_INL_H
#endif

#include <tenon/sdk/plugin/step.hpp>
#include <tenon/sdk/plugin/step_scalars.hpp>

#include "kernels/numbers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace rows {
namespace optim {

template <class Rule>
constexpr uint32_t state_list(uint32_t k) {
  if constexpr (requires { Rule::kUsed; }) {
    return Rule::kUsed[k];
  } else {
    return k;
  }
}

// Packed numbers: p, g, states.
template <class C, class Rule>
HWY_INLINE void update_numbers(C* HWY_RESTRICT p, const C* g,
                               const std::array<C*, Rule::kStates>& states, int64_t count,
                               const Rule rule) {
  constexpr size_t kStates = Rule::kStates;
  const hn::ScalableTag<C> d;
  using V = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    V param = hn::LoadU(d, p + i);
    V s[kStates + 1];
    for (size_t k = 0; k < kStates; ++k) s[k] = hn::LoadU(d, states[k] + i);
    rule(d, param, hn::LoadU(d, g + i), s);
    for (size_t k = 0; k < kStates; ++k) hn::StoreU(s[k], d, states[k] + i);
    hn::StoreU(param, d, p + i);
  }
  if (i == count) return;
  const auto tail = hn::FirstN(d, static_cast<size_t>(count - i));
  V param = hn::MaskedLoad(tail, d, p + i);
  V s[kStates + 1];
  for (size_t k = 0; k < kStates; ++k) s[k] = hn::MaskedLoad(tail, d, states[k] + i);
  rule(d, param, hn::MaskedLoad(tail, d, g + i), s);
  for (size_t k = 0; k < kStates; ++k) hn::BlendedStore(s[k], tail, d, states[k] + i);
  hn::BlendedStore(param, tail, d, p + i);
}

// How elements of some dtype become numbers C, and numbers these elements.
template <class C>
struct Access {
  const C* (*get)(const char* from, int64_t step, int64_t count, C* room);
  void (*put)(const C* from, int64_t count, char* to, int64_t step);
};
template <class T>
constexpr Access<Number<T>> access_as() {
  return {get_numbers<T>, put_numbers<T>};
}

// A run of parameters with their states.
template <class C, class Rule>
HWY_NOINLINE void update_run(const sdk::Run<2 + Rule::kStates>& run, const Access<C>& of_params,
                             const Access<C>& of_states, const Rule rule) {
  constexpr size_t kStates = Rule::kStates;
  HWY_ALIGN C room[2 + kStates][kTile];
  for (int64_t begin = 0; begin < run.count; begin += kTile) {
    const int64_t n = std::min(kTile, run.count - begin);
    const auto address = [&](size_t k) { return run.data[k] + begin * run.step[k]; };
    // What is not packed f32 or f64 is updated in `room`.
    auto* p = const_cast<C*>(of_params.get(address(0), run.step[0], n, room[0]));
    const C* g = of_params.get(address(1), run.step[1], n, room[1]);
    std::array<C*, kStates> states{};
    for (size_t k = 0; k < kStates; ++k) {
      states[k] = const_cast<C*>(of_states.get(address(2 + k), run.step[2 + k], n, room[2 + k]));
    }
    update_numbers<C>(p, g, states, n, rule);
    of_params.put(p, n, address(0), run.step[0]);
    for (size_t k = 0; k < kStates; ++k) {
      of_states.put(states[k], n, address(2 + k), run.step[2 + k]);
    }
  }
}

// Parameter `item` of a launch with this many lists of states.
template <uint32_t n_states, class C, class Rule>
HWY_NOINLINE void update_item(const sdk::Launch& l, uint32_t item, const Access<C>& of_params,
                              const Access<C>& of_states, const Rule& rule) {
  using S = sdk::StepSlots<false, n_states>;
  constexpr size_t kOperands = 2 + Rule::kStates;
  std::array<sdk::Strided, kOperands> operands{sdk::strided(l.view(S::kParams, item)),
                                               sdk::strided(l.view(S::kGrads, item))};
  for (uint32_t k = 0; k < Rule::kStates; ++k) {
    operands[2 + k] = sdk::strided(l.view(S::kStates + state_list<Rule>(k), item));
  }
  const Geometry<kOperands> geometry(l.shape(S::kParams, item), operands);
  sdk::walk_parallel(l, geometry.shape(), geometry.operands(),
                     [&](const sdk::Run<kOperands>& run)
                         HWY_ATTR { update_run<C>(run, of_params, of_states, rule); });
}

// One step of every parameter. `n_states` counts the op's lists of states. Elements are
// independent, so threads change no bit.
template <uint32_t n_states, template <class> class Rule>
void step(const sdk::Launch& l) {
  sdk::each_step<false, n_states>(l, [&]<class T, class U>(const sdk::Step& step) {
    update_item<n_states>(l, step.item, access_as<T>(), access_as<U>(), Rule<Number<T>>(step));
  });
}

template <uint32_t n_states>
inline constexpr auto kRules =
    sdk::StepSlots<false, n_states>::rules(any_inout(), any_in(), any_in(TENON_SLOT_HOST_SCALAR));

template <uint32_t n_states>
constexpr tenon_kernel_desc kernel(std::string_view op, uint32_t n_attrs, LaunchFn launch) {
  return cpu::kernel(op, kRules<n_states>, sdk::kStepRows, n_attrs, launch, {.n_variables = 2});
}

}  // namespace optim
}  // namespace rows
}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // TENON_CPU_OPTIM_INL_H
