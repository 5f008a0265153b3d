// SPDX-License-Identifier: Apache-2.0
// tests/witness/plugins/test.witness/steps.cc: optimizers that should all be the same, descent with
// momentum (v = momentum * v + g, p = p - lr * v), each with a wrong step of its own.
#include <algorithm>

#include "faults.h"

namespace {

using namespace witness;

// One element; v is the velocity.
struct Element {
  double p, g, v, lr, momentum;
};
using Step = void (*)(Element&);

void right(Element& e) {
  e.v = e.momentum * e.v + e.g;
  e.p -= e.lr * e.v;
}

struct Descent {
  std::string_view name, step, schema;
  Step wrong;
};

constexpr Descent kDescents[] = {
    {"test.witness.uphill", "test.witness.uphill_step",
     "uphill_step(params!: T[...]*, grads: T[...]*, velocity!: T[...]*, lr: f64[], *, "
     "momentum: float=0.5) -> () where T: f32|f64",
     [](Element& e) {
       e.v = e.momentum * e.v + e.g;
       e.p += e.lr * e.v;
     }},
    {"test.witness.forgetful", "test.witness.forgetful_step",
     "forgetful_step(params!: T[...]*, grads: T[...]*, velocity!: T[...]*, lr: f64[], *, "
     "momentum: float=0.5) -> () where T: f32|f64",
     [](Element& e) {
       e.v = e.g;
       e.p -= e.lr * e.v;
     }},
    {"test.witness.late", "test.witness.late_step",
     "late_step(params!: T[...]*, grads: T[...]*, velocity!: T[...]*, lr: f64[], *, "
     "momentum: float=0.5) -> () where T: f32|f64",
     [](Element& e) {
       e.p -= e.lr * e.v;
       e.v = e.momentum * e.v + e.g;
     }},
    {"test.witness.square_rate", "test.witness.square_rate_step",
     "square_rate_step(params!: T[...]*, grads: T[...]*, velocity!: T[...]*, lr: f64[], *, "
     "momentum: float=0.5) -> () where T: f32|f64",
     [](Element& e) {
       e.v = e.momentum * e.v + e.g;
       e.p -= e.lr * e.lr * e.v;
     }},
    // The parameters are right after the first step, and the state is not.
    {"test.witness.state", "test.witness.state_step",
     "state_step(params!: T[...]*, grads: T[...]*, velocity!: T[...]*, lr: f64[], *, "
     "momentum: float=0.5) -> () where T: f32|f64",
     [](Element& e) {
       right(e);
       e.v *= 1.0001;
     }},
};

void infer(const sdk::Args& args, std::span<tenon_meta>) {
  for (const uint32_t slot : {1u, 2u}) {
    if (args.count(slot) == args.count(0)) continue;
    throw sdk::Failure{TENON_E_ARGUMENT, "each parameter needs a gradient and a velocity",
                       slot == 1 ? "grads" : "velocity"};
  }
  for (uint32_t item = 0; item < args.count(0); ++item) {
    for (const uint32_t slot : {1u, 2u}) {
      if (std::ranges::equal(args.shape(slot, item), args.shape(0, item))) continue;
      throw sdk::Failure{TENON_E_SHAPE, "has another shape than its parameter",
                         slot == 1 ? "grads" : "velocity"};
    }
  }
}

template <size_t I>
void run(const sdk::Launch& l) {
  for (uint32_t item = 0; item < l.count(0); ++item) {
    const tenon_view &p = l.view(0, item), &g = l.view(1, item), &v = l.view(2, item);
    for (int64_t i = 0; i < elements(p); ++i) {
      Element e{get(p, i), get(g, i), get(v, i), get(l.view(3), 0), l.attrs.real(0)};
      is_wrong() ? kDescents[I].wrong(e) : right(e);
      put(p, i, e.p);
      put(v, i, e.v);
    }
  }
}

constexpr tenon_slot_rule slots[] = {sdk::strided_inout(), sdk::strided_in(), sdk::strided_inout(),
                                     sdk::strided_in()};
constexpr auto numbers = std::make_index_sequence<std::size(kDescents)>();

template <size_t I>
constexpr tenon_kernel_desc step_kernel() {
  tenon_kernel_desc made = kernel<run<I>>(kDescents[I].step, slots);
  made.n_attrs = 1;
  return made;
}

constexpr tenon_hyper_desc hypers[] = {
    {sdk::str("lr"), sdk::str("learning rate"), TENON_HYPER_DYNAMIC, TENON_VALUE_F64, 0.25, 0, 1e9},
    {sdk::str("momentum"), sdk::str("share of the velocity that is kept"), 0, TENON_VALUE_F64, 0.5,
     0, 1}};
constexpr tenon_state_desc states[] = {{sdk::str("velocity"), sdk::str("running sum"),
                                        TENON_STATE_LIKE_PARAMETER, TENON_DTYPE_NONE, 0}};

template <size_t... I>
constexpr auto ops_of(std::index_sequence<I...>) {
  return std::array{sdk::op({.name = kDescents[I].step,
                             .schema = kDescents[I].schema,
                             .doc = "`v = momentum * v + g`, `p = p - lr * v`.",
                             .infer = sdk::infer_fn<infer>})...};
}
template <size_t... I>
constexpr auto kernels_of(std::index_sequence<I...>) {
  return std::array{step_kernel<I>()...};
}
template <size_t... I>
constexpr auto samples_of(std::index_sequence<I...>) {
  return std::array{sdk::sample(kDescents[I].step,
                                "[f64[2], f64[]], [f64[2], f64[]], [f64[2], f64[]], "
                                "f64[]{0.5}")...,
                    sdk::sample(kDescents[I].step, "[f32[2]], [f32[2]], [f32[2]], f64[]{0.5}")...,
                    sdk::refused(kDescents[I].step, "[f64[2]], [], [f64[2]], f64[]{0.5}",
                                 TENON_E_ARGUMENT, "needs a gradient")...};
}
template <size_t... I>
constexpr auto optimizers_of(std::index_sequence<I...>) {
  return std::array{tenon_optimizer_desc{sizeof(tenon_optimizer_desc),
                                         0,
                                         sdk::str(kDescents[I].name),
                                         sdk::str("Descent with momentum."),
                                         sdk::str(kDescents[I].step),
                                         {},
                                         hypers,
                                         states,
                                         std::size(hypers),
                                         std::size(states)}...};
}
template <size_t... I>
constexpr auto runs_of(std::index_sequence<I...>) {
  return std::array{
      sdk::optimizer_sample(kDescents[I].name, "f64[2,3], f64[2] | lr=0.5", 3)...,
      sdk::optimizer_refused(kDescents[I].name, "f64[2] | lr=-1.0", TENON_E_ATTRIBUTE, "lr")...};
}
constexpr auto ops = ops_of(numbers);
constexpr auto kernels = kernels_of(numbers);
constexpr auto samples = samples_of(numbers);
constexpr auto optimizers = optimizers_of(numbers);
constexpr auto runs = runs_of(numbers);

}  // namespace

TENON_UNIT(steps) = {.ops = ops,
                     .kernels = kernels,
                     .samples = samples,
                     .optimizers = optimizers,
                     .optimizer_samples = runs};
