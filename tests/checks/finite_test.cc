// SPDX-License-Identifier: Apache-2.0
// tests/checks/finite_test.cc: TENON_CHECK=finite names the op, where, when and the operand of the
// first NaN or infinity, and says when it came from outside.
#include <cmath>
#include <limits>

#include "tests/checks/checks_support.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

class Finite : public testing::Test {
 protected:
  Failure refuse(tenon_status status) { return cx.refused(TENON_E_CHECK, status); }
  Failure refuse_call(const char* op, std::initializer_list<Value> inputs) {
    return refuse(cx.try_call(op, inputs));
  }
  RuntimeHandle runtime = make_checked("finite");
  Session cx{runtime};
};

TEST_F(Finite, NamesOpOperandStepAndScopeOfAForward) {
  const Tensor x = cx.floats({2, 2}, {1, 2, 0, 4});
  cx.begin_scope("model");
  cx.begin_scope("head");
  const Failure f = refuse_call("tenon.log", {arg(x)});
  cx.end_scope();
  cx.end_scope();
  EXPECT_EQ(f.op, "tenon.log");
  EXPECT_EQ(f.operand, "output 0");
  EXPECT_THAT(f.plugin, testing::AnyOf("tenon.cpu", "tenon.ref"));
  EXPECT_EQ(f.scope, "model/head");
  EXPECT_EQ(f.found, "-inf at [1,0] of f32[2,2]");
  EXPECT_EQ(f.message, "tenon.log: \"output 0\" holds -inf at [1,0] at step " +
                           std::to_string(f.sequence) + ", in model/head; its inputs were finite");
}

TEST_F(Finite, SaysThatAnInputHeldItAlready) {
  const Tensor good = cx.floats({3}, {1, 2, 3});
  const Tensor bad = cx.floats({3}, {1, std::nanf(""), 3});
  const Failure f = refuse_call("tenon.add", {arg(good), arg(bad)});
  EXPECT_THAT(f.message, HasSubstr("; input \"b\" held nan at [1] already: it came from outside"));
  EXPECT_THAT(f.hint, HasSubstr("what was fed in"));
  // A list names the one of its tensors.
  tenon_tensor* list[] = {good.get(), bad.get()};
  tenon_value value{TENON_VALUE_TENSOR_LIST, 2, {}};
  value.as.tensors = list;
  EXPECT_THAT(refuse_call("tenon.concat", {Value(value)}).message,
              HasSubstr("input \"xs[1]\" held nan at [1] already"));
  EXPECT_THAT(refuse_call("tenon.add", {arg(good), Value(double{kInfinity})}).message,
              HasSubstr("input \"b\" held inf at"));
}

TEST_F(Finite, LooksAtDevicesToo) {
  const Tensor x = cx.on(cx.device("sim"), cx.floats({2}, {1e30f, 1}));
  const Failure f = refuse_call("tenon.mul", {arg(x), arg(x)});
  EXPECT_EQ(f.op, "tenon.mul");
  EXPECT_EQ(f.plugin, "tenon.sim");
  EXPECT_EQ(f.found, "inf at [0] of f32[2]");
}

TEST_F(Finite, NamesTheGradientOfWhichInputOfWhichOp) {
  const Tensor x = cx.leaf(cx.floats({2}, {4, 0}));
  cx.begin_scope("root");
  const Tensor y = cx.call("tenon.sqrt", {arg(x)});
  cx.end_scope();
  const Tensor seed = cx.floats({2}, {1, 1});
  const Failure f = refuse(cx.try_backward(y, 0, seed.get()));
  EXPECT_EQ(f.op, "tenon.sqrt");
  EXPECT_EQ(f.operand, "x");
  EXPECT_EQ(f.found, "inf at [1] of f32[2]");
  EXPECT_THAT(f.message, HasSubstr("backward of tenon.sqrt: the gradient of input \"x\" of "
                                   "tenon.sqrt holds inf at [1] at step"));
  EXPECT_THAT(f.message, HasSubstr("(in root); what it was computed from was finite; "
                                   "first made by tenon.div"));
  EXPECT_EQ(cx.grad(x), nullptr);
}

TEST_F(Finite, SaysThatASeedHeldItAlready) {
  const Tensor x = cx.leaf(cx.floats({2}, {1, 2}));
  const Tensor y = cx.call("tenon.neg", {arg(x)});
  const Tensor seed = cx.floats({2}, {1, kInfinity});
  EXPECT_THAT(refuse(cx.try_backward(y, 0, seed.get())).message,
              HasSubstr("the gradient of its output 0 held inf at [1] already: it came from "
                        "outside"));
}

TEST_F(Finite, NamesTheSumOfGradients) {
  const Tensor x = cx.leaf(cx.floats({1}, {1}));
  const Tensor y = cx.call("tenon.add", {arg(x), arg(x)});
  const Tensor seed = cx.floats({1}, {3e38f});
  const Failure f = refuse(cx.try_backward(y, 0, seed.get()));
  EXPECT_EQ(f.op, "tenon.add");
  EXPECT_THAT(f.message, HasSubstr("while gradients of input \"b\" of tenon.add were summed"));
}

TEST_F(Finite, NamesTheOptimizerAndItsParameter) {
  const Tensor first = cx.leaf(cx.floats({1}, {1}));
  const Tensor second = cx.leaf(cx.floats({1}, {3e38f}));
  const Optimizer sgd =
      cx.optimizer({first.get(), second.get()}, {{"lr", Value(1.0)}}, "tenon.sgd");
  for (const Tensor* param : {&first, &second}) {
    const Tensor grad = cx.floats({1}, {-3e38f});
    cx.must(tenon_tensor_set_grad(cx.get(), param->get(), grad.get()));
  }
  const Failure f = refuse(tenon_optimizer_run(cx.get(), sgd.get(), 0));
  EXPECT_THAT(f.message, HasSubstr("in a step of optimizer tenon.sgd"));
  EXPECT_THAT(f.message, HasSubstr("inf at [0]"));
  EXPECT_EQ(f.operand, "params[1]");
  EXPECT_EQ(f.op, "tenon.sgd_step");
}

TEST_F(Finite, NamesTheRunOfAPlan) {
  const Tensor x = cx.floats({2}, {1, 2});
  cx.begin_capture({x.get()});
  cx.begin_scope("loss");
  const Tensor doubled = cx.call("tenon.add", {arg(x), arg(x)});
  const Tensor y = cx.call("tenon.log", {arg(doubled)});
  cx.end_scope();
  const Plan plan = cx.end_capture();
  cx.must(tenon_plan_run(cx.get(), plan.get()));
  const float zero[] = {1, 0};
  cx.must(tenon_tensor_set_data(cx.get(), x.get(), zero, sizeof zero));
  const Failure f = refuse(tenon_plan_run(cx.get(), plan.get()));
  EXPECT_EQ(f.op, "tenon.log");
  EXPECT_EQ(f.message,
            "tenon.log: \"output 0\" holds -inf at [1] at run 2 of the plan, launch 2, "
            "in loss; its inputs were finite");
  const float nan[] = {std::nanf(""), 1};
  cx.must(tenon_tensor_set_data(cx.get(), x.get(), nan, sizeof nan));
  EXPECT_THAT(refuse(tenon_plan_run(cx.get(), plan.get())).message,
              HasSubstr("run 3 of the plan, launch 1, in loss; input \"a\" held nan at [0]"));
}

TEST_F(Finite, LetsFiniteTrainingPass) {
  const Tensor w = cx.leaf(cx.floats({3, 2}, {1, 2, 3, 4, 5, 6}));
  const Tensor x = cx.floats({2, 3}, {1, 0, -1, 2, 1, 0});
  const Optimizer sgd = cx.optimizer({w.get()}, {{"lr", Value(0.1)}}, "tenon.sgd");
  for (int step = 0; step < 3; ++step) {
    const Tensor y = cx.call("tenon.tanh", {arg(cx.call("tenon.matmul", {arg(x), arg(w)}))});
    cx.backward(cx.call("tenon.sum", {arg(y)}));
    cx.step(sgd);
  }
}

// What no op has made is not looked at, and nothing is looked at without the mode.
TEST_F(Finite, LooksAtWhatOpsMakeAndOnlyWhenAsked) {
  EXPECT_EQ(cx.values(cx.floats({1}, {kInfinity}))[0], kInfinity);
  const RuntimeHandle plain = make_checked("");
  const Session free(plain);
  EXPECT_EQ(free.values(free.call("tenon.log", {arg(free.floats({1}, {0}))}))[0], -kInfinity);
}

}  // namespace
}  // namespace tenon::tests
