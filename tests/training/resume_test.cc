// SPDX-License-Identifier: Apache-2.0
// tests/training/resume_test.cc: optimizers that go on from saved state.
#include <tenon/ext/draft/training.h>

#include <cmath>

#include "tests/training/training_support.h"

namespace tenon::tests {
namespace {

class Resume : public Training {
 protected:
  void steps(tenon_optimizer* optimizer, tenon_tensor* param, int from, int to) {
    for (int step = from; step < to; ++step) {
      std::vector<double> values;
      for (int i = 0; i < 6; ++i) values.push_back(std::sin(1.0 + i + 10.0 * step));
      const Tensor grad = tensor<double>({2, 3}, values);
      must(tenon_tensor_set_grad(context, param, grad.get()));
      must(tenon_optimizer_run(context, optimizer, TENON_OPTIMIZER_CLEAR_GRAD));
    }
  }
  tenon_tensor* state(tenon_optimizer* optimizer, const std::string& name) {
    tenon_tensor* found = nullptr;
    must(tenon_optimizer_get_state(context, optimizer, 0, name.data(), name.size(), &found));
    return found;
  }
  tenon_status set(tenon_optimizer* optimizer, const char* name, const Tensor& values) {
    return tenon_optimizer_set_state(context, optimizer, 0, name, TENON_NUL, values.get());
  }
  Tensor start() { return parameter(tensor<double>({2, 3}, {1, -2, 3, -4, 5, -6})); }
};

TEST_F(Resume, EveryOptimizerGoesOnWithTheSameBits) {
  const OptimizerStates all = optimizer_states();
  EXPECT_GE(all.size(), 3u);
  for (const auto& [name, states] : all) {
    SCOPED_TRACE(name);
    const Tensor p = start();
    const Optimizer whole = optimizer(name, {p.get()}, {});
    steps(whole.get(), p.get(), 0, 3);
    const Tensor q = parameter(tensor({2, 3}, values_of<double>(p.get())));
    const Optimizer resumed = optimizer(name, {q.get()}, {});
    for (const std::string& each : states) {
      tenon_tensor* saved = state(whole.get(), each);
      must(tenon_optimizer_set_state(context, resumed.get(), 0, each.data(), each.size(), saved));
      EXPECT_NE(state(resumed.get(), each), saved) << each;
    }
    steps(whole.get(), p.get(), 3, 6);
    steps(resumed.get(), q.get(), 3, 6);
    EXPECT_EQ(values_of<double>(q.get()), values_of<double>(p.get()));
    EXPECT_EQ(values_of<int64_t>(state(resumed.get(), "step")), std::vector<int64_t>{6});
  }
}

TEST_F(Resume, StateThatIsNotSetHasItsInitialValues) {
  const Tensor p = start();
  const Optimizer adam = optimizer("tenon.adam", {p.get()}, {});
  EXPECT_EQ(state(adam.get(), "exp_avg"), nullptr);
  must(set(adam.get(), "step", tensor<int64_t>({}, {7})));
  EXPECT_EQ(values_of<int64_t>(state(adam.get(), "step")), std::vector<int64_t>{7});
  EXPECT_EQ(values_of<double>(state(adam.get(), "exp_avg")), std::vector<double>(6, 0.0));
}

TEST_F(Resume, WrongStateIsRefusedAndMakesNone) {
  const Tensor p = start();
  const Optimizer adam = optimizer("tenon.adam", {p.get()}, {});
  const auto expect = [&](const char* name, const Tensor& values, tenon_status status,
                          const std::string& fragment) {
    const std::string words = refused(set(adam.get(), name, values), status);
    EXPECT_NE(words.find(fragment), std::string::npos) << words;
    EXPECT_EQ(state(adam.get(), "exp_avg"), nullptr);
  };
  expect("exp_avg", tensor<double>({3, 2}, {1, 2, 3, 4, 5, 6}), TENON_E_SHAPE,
         "tenon.adam: state \"exp_avg\" of parameter 0 has another shape");
  expect("exp_avg", tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}), TENON_E_DTYPE,
         "tenon.adam: state \"exp_avg\" of parameter 0 has another dtype");
  expect("step", tensor<int64_t>({1}, {3}), TENON_E_SHAPE, "i64[]");
  expect("mood", tensor<int64_t>({}, {3}), TENON_E_NOT_FOUND, "exp_avg exp_avg_sq step");
  must(tenon_capture_begin(context, nullptr, 0));
  expect("step", tensor<int64_t>({}, {3}), TENON_E_CAPTURE, "while a step is captured");
  tenon_plan* plan = nullptr;
  must(tenon_capture_end(context, &plan));
  tenon_plan_release(plan);
}

}  // namespace
}  // namespace tenon::tests
