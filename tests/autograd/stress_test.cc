// SPDX-License-Identifier: Apache-2.0
// tests/autograd/stress_test.cc: graphs that are wide, deep, full of hooks, and shared.
#include <gmock/gmock.h>

#include <thread>

#include "tests/autograd/autograd_support.h"

namespace tenon::tests {
namespace {

using testing::ElementsAre;
using Stress = Autograd;
using StressThreads = Autograd;

TEST_F(Stress, ALeafThatAHundredThousandOpsUse) {
  constexpr int kUses = 100000;
  const Tensor x = leaf({1, 2});
  Callback& counted = noting("x");
  begin_hook(x, counted);
  Tensor total = times(x, x);
  for (int i = 1; i < kUses; ++i) total = call("tenon.add", {one(total.get()), one(x.get())});
  must(backward(sum(total)));
  EXPECT_THAT(grad(x), ElementsAre(kUses + 1, kUses + 3));
  EXPECT_EQ(log.size(), 1U);
}

TEST_F(Stress, AChainWithAHookAndAKeptGradientAtEachNode) {
  constexpr int kLength = 10000;
  const Tensor x = leaf({1});
  std::vector<Tensor> chain;
  int calls = 0;
  Callback& counting = callback([&calls](auto...) {
    ++calls;
    return TENON_OK;
  });
  for (int i = 0; i < kLength; ++i) {
    chain.push_back(call("tenon.neg", {one(chain.empty() ? x.get() : chain.back().get())}));
    begin_hook(chain.back(), counting);
    must(tenon_tensor_set_retain_grad(context, chain.back().get(), 1));
  }
  must(backward(chain.back()));
  EXPECT_EQ(calls, kLength);
  for (int i = 0; i < kLength; ++i) {
    EXPECT_THAT(grad(chain[static_cast<size_t>(i)]), ElementsAre(i % 2 ? 1 : -1));
  }
  EXPECT_THAT(grad(x), ElementsAre(1));
}

TEST_F(Stress, GradientModesNestTenThousandDeep) {
  constexpr uint32_t kDepth = 10000;
  const Tensor x = leaf({3});
  for (uint32_t i = 0; i < kDepth; ++i) must(tenon_grad_begin(context, i % 2));
  const Tensor off = times(x, x);
  EXPECT_EQ(backward(off), TENON_E_GRAD);
  for (uint32_t i = 0; i < kDepth; ++i) must(tenon_grad_end(context));
  must(backward(times(x, x)));
  EXPECT_THAT(grad(x), ElementsAre(6));
}

TEST_F(Stress, AGraphOfGradientsFiveOrdersHigh) {
  const Tensor x = leaf({2});
  Tensor y = times(times(times(x, x), times(x, x)), x);  // x^5
  const double expected[] = {80, 160, 240, 240, 120};
  for (const double value : expected) {
    tenon_tensor* const roots[] = {y.get()};
    tenon_tensor* const inputs[] = {x.get()};
    tenon_tensor* slope = nullptr;
    must(tenon_gradient_call(context, roots, nullptr, 1, inputs, 1, TENON_BACKWARD_CREATE_GRAPH,
                             &slope));
    y = Tensor(slope);
    EXPECT_THAT(values_of<double>(y.get()), ElementsAre(value));
  }
}

// Each thread records a graph of its own over the same leaves.
TEST_F(StressThreads, ContextsShareLeavesOfDeepGraphs) {
  constexpr int kThreads = 4, kDepth = 300, kRounds = 10;
  const Tensor x = leaf({1, 1});
  const Tensor w = leaf({1, 1});
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      tenon_context* cx = nullptr;
      ASSERT_EQ(tenon_context_create(runtime, nullptr, &cx), TENON_OK);
      for (int round = 0; round < kRounds; ++round) {
        tenon_tensor* y = nullptr;
        ASSERT_EQ(try_call(cx, "tenon.mul", {one(x.get()), one(w.get())}, &y), TENON_OK);
        for (int i = 0; i < kDepth; ++i) {
          const Tensor before(y);
          ASSERT_EQ(try_call(cx, "tenon.mul", {one(y), one(i % 2 ? x.get() : w.get())}, &y),
                    TENON_OK);
        }
        const Tensor last(y);
        tenon_tensor* total = nullptr;
        ASSERT_EQ(try_call(cx, "tenon.sum", {one(y)}, &total), TENON_OK);
        ASSERT_EQ(tenon_backward_run(cx, &total, nullptr, 1, 0), TENON_OK);
        tenon_tensor_release(total);
      }
      tenon_context_release(cx);
    });
  }
  for (std::thread& thread : threads) thread.join();
  constexpr double kEach = kThreads * kRounds * (1 + kDepth / 2);
  EXPECT_THAT(grad(x), ElementsAre(kEach, kEach));
  EXPECT_THAT(grad(w), ElementsAre(kEach, kEach));
}

}  // namespace
}  // namespace tenon::tests
