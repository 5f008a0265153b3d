// SPDX-License-Identifier: Apache-2.0
// tests/cuda/graph_test.cc: a captured plan becomes a CUDA graph, and gives the same numbers.
#include <gmock/gmock.h>

#include "tests/cuda/cuda_support.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;

// y = (x w) in f32, captured with x as the input.
class CudaGraph : public testing::Test {
 protected:
  CudaGraph() {
    tenon_tensor* inputs[] = {x.get()};
    session.must(tenon_capture_begin(session, inputs, 1));
    y = forward(x);
    session.must(tenon_capture_end(session, &plan));
  }
  ~CudaGraph() override {
    tenon_plan_release(plan);
    session.reset_driver();
  }

  Tensor forward(const Tensor& input) const {
    const Tensor product =
        session.call("tenon.matmul", {tensor_value(input.get()), tensor_value(w.get())});
    return session.call("tenon.matmul", {tensor_value(product.get()), tensor_value(w.get())});
  }
  void run() const { session.must(tenon_plan_run(session, plan)); }
  std::string text() const {
    tenon_text* made = nullptr;
    session.must(tenon_plan_get_text(session, plan, &made));
    const char* data = nullptr;
    uint64_t length = 0;
    session.must(tenon_text_get(made, &data, &length));
    std::string words(data, length);
    tenon_text_release(made);
    return words;
  }

  CudaSession session;
  NoGrad off{session};
  Tensor x = session.f32(session.cuda, {2, 3}, {1, 2, 3, 4, 5, 6});
  Tensor w = session.f32(session.cuda, {3, 3}, {1, -1, 0, 2, 1, 1, 0, 3, -2});
  Tensor y;
  tenon_plan* plan = nullptr;
};

TEST_F(CudaGraph, IsMadeAtTheSecondRunAndRunFromThen) {
  const std::vector<float> expected = session.floats(forward(x));
  run();
  EXPECT_EQ(session.counted("graphs"), 0);
  for (int64_t runs = 1; runs <= 3; ++runs) {
    session.must(tenon_tensor_set_data(session, y.get(), std::vector<float>(6).data(), 24));
    const int64_t launches = session.counted("launch");
    run();
    EXPECT_EQ(session.counted("graph_run"), runs);
    if (runs > 1) {  // recording launches, too
      EXPECT_EQ(session.counted("launch"), launches);
    }
    EXPECT_EQ(session.floats(y), expected);
  }
  EXPECT_EQ(session.counted("graphs"), 1);
  EXPECT_THAT(text(), HasSubstr("recorded by its device"));
}

TEST_F(CudaGraph, IsMadeAnewForAnotherInput) {
  run();
  run();
  for (const float first : {7.0f, -2.0f}) {
    const Tensor other = session.f32(session.cuda, {2, 3}, {first, 0, 1, 0, 2, 0});
    const std::vector<float> expected = session.floats(forward(other));
    session.must(tenon_plan_set(session, plan, 0, other.get()));
    for (int k = 0; k < 3; ++k) {
      run();
      EXPECT_EQ(session.floats(y), expected);
    }
  }
  EXPECT_EQ(session.counted("graphs"), 1);
  EXPECT_EQ(session.counted("capture_end"), 3);
}

TEST_F(CudaGraph, IsGivenBackWithThePlan) {
  run();
  run();
  tenon_plan_release(plan);
  plan = nullptr;
  EXPECT_EQ(session.counted("graphs"), 0);
}

// Without it the plan goes on launch by launch, and says why.
TEST_F(CudaGraph, IsDoneWithoutWhereTheDriverRefuses) {
  const std::vector<float> expected = session.floats(forward(x));
  session.fail("capture_end", 900);
  for (int k = 0; k < 3; ++k) {
    run();
    EXPECT_EQ(session.floats(y), expected);
  }
  EXPECT_EQ(session.counted("graph_run"), 0);
  EXPECT_THAT(text(), HasSubstr("its device cannot record it: cudaErrorStreamCaptureUnsupported"));
}

TEST_F(CudaGraph, IsPutAsideWhileLaunchesAreLookedAt) {
  run();
  run();
  session.must(tenon_trace_begin(session));
  run();
  tenon_text* trace = nullptr;
  session.must(tenon_trace_end(session, &trace));
  tenon_text_release(trace);
  EXPECT_EQ(session.counted("graph_run"), 1);
}

TEST_F(CudaGraph, FailsWithWordsWhereItCannotRun) {
  run();
  run();
  session.fail("graph_run", 2);
  EXPECT_EQ(tenon_plan_run(session, plan), TENON_E_MEMORY);
  EXPECT_THAT(session.message(), HasSubstr("device cuda:0 failed to run a captured plan"));
  session.fail("graph_run", 700);
  EXPECT_EQ(tenon_plan_run(session, plan), TENON_E_DEVICE_LOST);
  EXPECT_THAT(session.message(), HasSubstr("noticed by the run of a captured plan"));
}

// Beside the launches that load and store states.
TEST(CudaLaunches, AStepOfARecurrentLayerIsOne) {
  const CudaSession session;
  const NoGrad off{session};
  const auto zeros = [&](const Shape& shape) {
    int64_t count = 1;
    for (const int64_t size : shape) count *= size;
    return session.f32(session.cuda, shape, std::vector<float>(static_cast<size_t>(count)));
  };
  struct Kind {
    const char* op;
    int64_t gates, states;
    uint32_t outputs;
  };
  constexpr int64_t kSteps = 6;
  for (const Kind& kind : {Kind{"tenon.lstm_steps", 4, 2, 3}, Kind{"tenon.gru_steps", 3, 1, 2},
                           Kind{"tenon.rnn_steps", 1, 1, 2}}) {
    const Tensor gates = zeros({kSteps, 2, 5 * kind.gates}), w = zeros({5 * kind.gates, 5});
    const tenon_value in[] = {tensor_value(gates.get()), tensor_value(w.get())};
    tenon_tensor* out[3] = {};
    const int64_t before = session.counted("launch");
    session.must(
        tenon_op_call(session, session.find(kind.op), in, 2, nullptr, 0, out, kind.outputs));
    EXPECT_EQ(session.counted("launch") - before, kSteps + 2 * kind.states) << kind.op;
    for (tenon_tensor* each : out) tenon_tensor_release(each);
  }
}

}  // namespace
}  // namespace tenon::tests
