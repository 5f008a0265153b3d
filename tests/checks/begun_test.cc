// SPDX-License-Identifier: Apache-2.0
// tests/checks/begun_test.cc: a check mode that a context begins for a part of the program.
#include <tenon/ext/draft/checks.h>

#include <limits>

#include "tests/checks/checks_support.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;

class BegunFinite : public testing::Test {
 protected:
  void begin() { cx.must(tenon_check_begin(cx.get(), TENON_CHECK_FINITE)); }
  void end() { cx.must(tenon_check_end(cx.get())); }
  Tensor zero() { return cx.floats({2}, {0, 1}); }
  tenon_status try_log(const Session& in) { return in.try_call("tenon.log", {arg(zero())}); }

  RuntimeHandle runtime = make_checked("");
  Session cx{runtime};
};

TEST_F(BegunFinite, LooksBetweenBeginAndEnd) {
  // A route that was learned before is not taken past the check.
  for (int i = 0; i < 5; ++i) cx.must(try_log(cx));
  begin();
  const Failure f = cx.refused(TENON_E_CHECK, try_log(cx));
  EXPECT_EQ(f.op, "tenon.log");
  EXPECT_EQ(f.operand, "output 0");
  EXPECT_THAT(f.message, HasSubstr("holds -inf at [0]"));
  begin();
  end();
  cx.refused(TENON_E_CHECK, try_log(cx));
  end();
  cx.must(try_log(cx));
}

TEST_F(BegunFinite, LooksAtBackwardsStepsAndPlans) {
  const Tensor x = cx.leaf(zero());
  const Tensor y = cx.call("tenon.sum", {arg(cx.call("tenon.sqrt", {arg(x)}))});
  cx.begin_capture();
  const Tensor logs = cx.call("tenon.log", {arg(zero())});
  const Plan plan = cx.end_capture();
  begin();
  EXPECT_EQ(cx.refused(TENON_E_CHECK, cx.try_backward(y, TENON_BACKWARD_RETAIN)).op, "tenon.sqrt");
  EXPECT_EQ(cx.refused(TENON_E_CHECK, tenon_plan_run(cx.get(), plan.get())).op, "tenon.log");
  end();
  cx.backward(y);
  cx.must(tenon_plan_run(cx.get(), plan.get()));
  begin();
  const Optimizer sgd = cx.optimizer({x.get()}, {}, "tenon.sgd");
  EXPECT_EQ(cx.refused(TENON_E_CHECK, tenon_optimizer_run(cx.get(), sgd.get(), 0)).op,
            "tenon.sgd_step");
  end();
}

TEST_F(BegunFinite, IsTheContextsAlone) {
  const Session other(runtime);
  begin();
  other.must(try_log(other));
  end();
}

TEST_F(BegunFinite, LeavesTheRuntimesOwnModesOn) {
  const RuntimeHandle checked = make_checked("finite");
  const Session always(checked);
  always.must(tenon_check_begin(always.get(), 0));
  const Tensor x = always.floats({1}, {0});
  always.refused(TENON_E_CHECK, always.try_call("tenon.log", {arg(x)}));
  always.must(tenon_check_end(always.get()));
  always.refused(TENON_E_CHECK, always.try_call("tenon.log", {arg(x)}));
}

// A function of the program's may leave it open.
TEST_F(BegunFinite, EndsWithTheCallbackThatBeganIt) {
  const auto careless = [](tenon_context* context, tenon_tensor* const* inputs, uint32_t,
                           tenon_tensor** outputs, uint32_t, void*) {
    tenon_tensor_retain(inputs[0]);
    outputs[0] = inputs[0];
    return tenon_check_begin(context, TENON_CHECK_FINITE);
  };
  const Tensor x = cx.floats({1}, {2});
  tenon_tensor* const inputs[] = {x.get()};
  tenon_tensor* output = nullptr;
  tenon_tensor* grad = nullptr;
  cx.must(
      tenon_function_call(cx.get(), careless, nullptr, inputs, 1, nullptr, 1, 0, &output, &grad));
  const Tensor value(output);
  const Tensor slope(grad);
  cx.must(try_log(cx));
  EXPECT_EQ(tenon_check_end(cx.get()), TENON_E_STATE);
}

}  // namespace
}  // namespace tenon::tests
