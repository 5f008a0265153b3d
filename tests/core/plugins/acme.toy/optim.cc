// SPDX-License-Identifier: Apache-2.0
// tests/core/plugins/acme.toy/optim.cc: an optimizer with a state like the parameter, a step count,
// one dynamic and one static hyper-parameter.
//
//   velocity = velocity / 2 + grad;  param = (1 - decay) param - lr velocity
#include "ops.hpp"

namespace {

using namespace acme;
using sdk::str;

void infer(const sdk::Args&, std::span<tenon_meta>) {}

constexpr tenon_op_desc ops[] = {sdk::op(
    {.name = "acme.sgd_step",
     .schema = "sgd_step(params!: T[...]*, grads: T[...]*, velocity!: T[...]*, step!: i64[]*, "
               "lr: f64[], *, decay: float=0.0) -> () where T: float",
     .doc = kDoc,
     .infer = sdk::infer_fn<infer>})};

constexpr tenon_hyper_desc hypers[] = {
    {str("lr"), str("learning rate"), TENON_HYPER_DYNAMIC, TENON_VALUE_F64, 0.5, 0, 1e6},
    {str("decay"), str("share of the parameter that is lost"), 0, TENON_VALUE_F64, 0, 0, 1}};

constexpr tenon_state_desc states[] = {
    {str("velocity"), str("running gradient"), TENON_STATE_LIKE_PARAMETER, TENON_DTYPE_NONE, 0},
    {str("step"), str("steps made"), TENON_STATE_SCALAR, TENON_DTYPE_I64, 0}};

constexpr tenon_optimizer_desc optimizers[] = {
    {sizeof(tenon_optimizer_desc), 0, str("acme.sgd"), str("Gradient descent with a velocity."),
     str("acme.sgd_step"), str(""), hypers, states, std::size(hypers), std::size(states)}};

}  // namespace

TENON_UNIT(optim) = {.ops = ops, .optimizers = optimizers};
