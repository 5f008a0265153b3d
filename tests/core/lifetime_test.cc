// SPDX-License-Identifier: Apache-2.0
// tests/core/lifetime_test.cc: any order of releases, two runtimes, releases on other threads.
#include <thread>

#include "tests/core/support.h"

namespace tenon::tests {
namespace {

using Values = std::vector<float>;

TEST(Lifetime, TheRuntimeMayGoFirst) {
  RuntimeHandle runtime = make_runtime();
  Session cx(runtime);
  Tensor x = cx.leaf(cx.floats({2}, {1, 2}));
  Tensor y = cx.call("acme.square", {arg(x)});
  Tensor far = cx.on(cx.device("far"), y);
  Optimizer sgd = cx.optimizer({x.get()});
  cx.backward(cx.call("acme.sum", {arg(cx.call("acme.square", {arg(x)}))}));
  cx.step(sgd, 0);
  cx.begin_capture();
  Tensor z = cx.call("acme.neg", {arg(y)});
  Plan plan = cx.end_capture();
  const tenon_op* op = cx.op("acme.neg");
  runtime.reset();

  const Failure f = cx.refused(TENON_E_RUNTIME, tenon_plan_run(cx.get(), plan.get()));
  EXPECT_THAT(f.message, testing::HasSubstr("released"));
  const Value input = arg(y);
  tenon_tensor* out = nullptr;
  cx.refused(TENON_E_RUNTIME, tenon_op_call(cx.get(), op, &input, 1, nullptr, 0, &out, 1));
  EXPECT_EQ(tenon_tensor_retain(x.get()), TENON_OK);
  tenon_tensor_release(x.get());
  plan.reset();
  cx.handle.reset();
  sgd.reset();
  y.reset();
  far.reset();
  z.reset();
  x.reset();
}

TEST(Lifetime, AContextMayGoBeforeItsTensorsPlansAndOptimizers) {
  const RuntimeHandle runtime = make_runtime();
  const Session other(runtime);
  const tenon_stats before = other.stats();
  {
    Session cx(runtime);
    const Tensor x = cx.leaf(cx.floats({2}, {1, 2}));
    const Optimizer sgd = cx.optimizer({x.get()});
    cx.begin_capture();
    const Tensor y = cx.call("acme.square", {arg(x)});
    cx.backward(cx.call("acme.sum", {arg(y)}));
    cx.step(sgd);
    const Plan plan = cx.end_capture();
    cx.handle.reset();
    // Another context runs what this one has left.
    other.run(plan);
    EXPECT_EQ(other.values<int64_t>(other.state(sgd, 0, "step"))[0], 2);
    EXPECT_EQ(other.values(x), (Values{-0.5, -1}));
  }
  const tenon_stats after = other.stats();
  EXPECT_EQ(after.tensors, before.tensors);
  EXPECT_EQ(after.storages, before.storages);
  EXPECT_EQ(after.plans, 0);
}

TEST(Lifetime, ReleasedHandlesAreRefused) {
  const RuntimeHandle runtime = make_runtime();
  Session cx(runtime);
  Tensor x = cx.floats({1}, {1});
  tenon_tensor* stale = x.get();
  x.reset();
  EXPECT_EQ(tenon_tensor_retain(stale), TENON_E_HANDLE);
  tenon_tensor_release(stale);
  const Failure f = cx.refused(TENON_E_HANDLE, cx.try_call("acme.neg", {Value(stale)}));
  EXPECT_EQ(f.operand, "x");
  tenon_context* context = cx.get();
  cx.handle.reset();
  EXPECT_EQ(tenon_scope_end(context), TENON_E_HANDLE);
  tenon_context_release(context);
}

TEST(Lifetime, TwoRuntimesHaveThePluginEach) {
  const RuntimeHandle first = make_runtime();
  RuntimeHandle second = make_runtime();
  const Session a(first);
  Session b(second);
  const Tensor x = a.floats({2}, {1, 2});
  const Tensor y = b.floats({2}, {3, 4});
  EXPECT_EQ(a.values(a.call("acme.neg", {arg(x)})), (Values{-1, -2}));
  EXPECT_EQ(b.values(b.call("acme.neg", {arg(y)})), (Values{-3, -4}));
  EXPECT_EQ(a.stats().storages, 1);
  EXPECT_EQ(b.stats().storages, 1);
  const Failure f = a.refused(TENON_E_RUNTIME, a.try_call("acme.add", {arg(x), arg(y)}));
  EXPECT_EQ(f.operand, "b");
  const Value input = arg(x);
  tenon_tensor* out = nullptr;
  a.refused(TENON_E_RUNTIME,
            tenon_op_call(a.get(), b.op("acme.neg"), &input, 1, nullptr, 0, &out, 1));
  tenon_tensor* roots[] = {y.get()};
  a.refused(TENON_E_RUNTIME, tenon_backward_run(a.get(), roots, nullptr, 1, 0));
  b.handle.reset();
  second.reset();
  EXPECT_EQ(a.values(a.call("acme.square", {arg(x)})), (Values{1, 4}));
}

// ---- Threads ------------------------------------------------------------------------------------

TEST(LifetimeThreads, TensorsAreReleasedOnOtherThreads) {
  const RuntimeHandle runtime = make_runtime();
  const Session cx(runtime);
  const Tensor x = cx.leaf(cx.floats({16}, Values(16, 1.0f)));
  const tenon_stats before = cx.stats();
  std::vector<Tensor> waiting;
  for (int round = 0; round < 20; ++round) {
    Tensor y = cx.call("acme.square", {arg(x)});
    for (int i = 0; i < 30; ++i) {
      Tensor next = cx.call("acme.tanh", {arg(y)});
      waiting.push_back(std::move(y));
      y = std::move(next);
    }
    waiting.push_back(std::move(y));
    std::thread finalizer([gone = std::move(waiting)]() mutable { gone.clear(); });
    waiting.clear();
    // The owner goes on recording meanwhile.
    cx.backward(cx.call("acme.sum", {arg(cx.call("acme.square", {arg(x)}))}));
    cx.clear_grad(x);
    finalizer.join();
  }
  const tenon_stats after = cx.stats();
  EXPECT_EQ(after.nodes, 0);
  EXPECT_EQ(after.tensors, before.tensors);
  EXPECT_EQ(after.storages, before.storages);
}

TEST(LifetimeThreads, TensorsAreReleasedWhileTheirContextEnds) {
  const RuntimeHandle runtime = make_runtime();
  const Session other(runtime);
  const tenon_stats before = other.stats();
  for (int round = 0; round < 20; ++round) {
    Session cx(runtime);
    Tensor x = cx.leaf(cx.floats({4}, Values(4, 1.0f)));
    std::vector<Tensor> made;
    for (int i = 0; i < 50; ++i) {
      made.push_back(cx.call("acme.square", {arg(made.empty() ? x : made.back())}));
    }
    std::thread finalizer([gone = std::move(made)]() mutable { gone.clear(); });
    cx.handle.reset();
    finalizer.join();
  }
  const tenon_stats after = other.stats();
  EXPECT_EQ(after.tensors, before.tensors);
  EXPECT_EQ(after.storages, before.storages);
}

TEST(LifetimeThreads, ContextsTrainBesideEachOther) {
  const RuntimeHandle runtime = make_runtime({.check = "", .threads = 2});
  const Session main(runtime);
  const Tensor shared = main.leaf(main.floats({8}, Values(8, 2.0f)));
  const auto work = [&](float expected) {
    const Session cx(runtime);
    for (int i = 0; i < 50; ++i) {
      const Tensor w = cx.leaf(cx.floats({8}, Values(8, expected)));
      cx.backward(cx.call("acme.sum", {arg(cx.call("acme.mul", {arg(w), arg(shared)}))}));
      EXPECT_EQ(cx.grad_values(w), Values(8, 2.0f));
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work, static_cast<float>(i));
  for (std::thread& thread : threads) thread.join();
  // 200 backwards, each adding w: 0, 1, 2 or 3, in any order.
  EXPECT_EQ(main.grad_values(shared), Values(8, 300.0f));
}

TEST(LifetimeThreads, RuntimesStartAndEndBesideEachOther) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int round = 0; round < 5; ++round) {
        const RuntimeHandle runtime = make_runtime();
        const Session cx(runtime);
        EXPECT_EQ(cx.values(cx.call("acme.square", {arg(cx.floats({1}, {3}))})), Values{9.0f});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace tenon::tests
