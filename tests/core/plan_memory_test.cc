// SPDX-License-Identifier: Apache-2.0
// tests/core/plan_memory_test.cc: which memory of a captured step is a temporary, arenas that plans
// share, and TENON_CHECK=plan.
#include <algorithm>
#include <thread>

#include "tests/core/support.h"

namespace tenon::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Values = std::vector<float>;

// ---- What is a temporary

using PlanMemory = Toy;
using PlanMemoryThreads = Toy;

uint64_t bytes_live(const Session& cx) { return cx.stats().bytes_live; }

TEST_F(PlanMemory, AChainNeedsTwoOfItsValues) {
  const Tensor x = cx.counting({64});
  cx.begin_capture({x.get()});
  Tensor y = cx.call("acme.neg", {arg(x)});
  for (int i = 0; i < 8; ++i) y = cx.call("acme.neg", {arg(y)});
  const Plan plan = cx.end_capture();
  EXPECT_THAT(cx.listing(plan), HasSubstr("arena of toy:0: 512 bytes for 8 temporaries; 512 are in "
                                          "use at once, 2048 in all\n"));
  Values expected = cx.values(x);
  for (float& each : expected) each = -each;
  for (int i = 0; i < 3; ++i) {
    cx.run(plan);
    EXPECT_EQ(cx.values(y), expected);
  }
}

// As blocks of their own are, whose addresses kernels may count on.
TEST_F(PlanMemory, TemporariesAreAligned) {
  for (const auto& [kind, alignment] : {std::pair{"toy", 64}, std::pair{"far", 256}}) {
    SCOPED_TRACE(kind);
    const tenon_device where = cx.device(kind);
    const Tensor x = cx.on(where, cx.counting({3}));
    cx.begin_capture({x.get()});
    Tensor y = cx.call("acme.neg", {arg(x)});
    for (int i = 0; i < 4; ++i) y = cx.call("acme.neg", {arg(y)});
    const Plan plan = cx.end_capture();
    const std::string bytes = std::to_string(alignment) + " bytes at ";
    EXPECT_THAT(cx.listing(plan),
                AllOf(HasSubstr("launches 0 to 1: " + bytes + "0\n"),
                      HasSubstr("launches 1 to 2: " + bytes + std::to_string(alignment) + "\n")));
  }
}

TEST_F(PlanMemory, ACaptureHoldsNoneOfThem) {
  const Tensor x = cx.counting({1 << 12});
  const uint64_t before = bytes_live(cx);
  cx.begin_capture({x.get()});
  Tensor y = cx.call("acme.neg", {arg(x)});
  for (int i = 0; i < 20; ++i) {
    y = cx.call("acme.neg", {arg(y)});
    EXPECT_LE(bytes_live(cx), before + (uint64_t{1} << 14) + 4096) << i;  // y itself
  }
  const Plan plan = cx.end_capture();
  EXPECT_EQ(bytes_live(cx), before + 3 * (uint64_t{1} << 14));  // y, and two in the arena
}

TEST_F(PlanMemory, LaunchesThatNothingNeedsAreLeftOut) {
  const Tensor x = cx.counting({3});
  cx.begin_capture({x.get()});
  Tensor kept = cx.call("acme.neg", {arg(x)});
  {
    const Tensor unused = cx.call("acme.square", {arg(kept)});
    cx.call("acme.neg", {arg(unused)});
  }
  const Plan plan = cx.end_capture();
  EXPECT_THAT(cx.listing(plan), HasSubstr("plan: 1 launches"));
  cx.set(plan, 0, cx.floats({3}, {5, 6, 7}));
  cx.run(plan);
  EXPECT_EQ(cx.values(kept), (Values{-5, -6, -7}));
}

TEST_F(PlanMemory, AnEffectTakesPlaceThoughNobodyWantsTheResult) {
  static int times = 0;
  times = 0;
  void (*const count)(void*) = [](void*) { ++times; };
  const Tensor x = cx.counting({3});
  cx.begin_capture({x.get()});
  cx.call("acme.hook", {arg(x)},
          {Value(static_cast<int64_t>(reinterpret_cast<intptr_t>(count))), Value(int64_t{0})});
  const Plan plan = cx.end_capture();
  EXPECT_EQ(times, 1);
  cx.run(plan);
  EXPECT_EQ(times, 2);
}

// A launch that is left out had drawn numbers: the others get the ones they would have got.
TEST_F(PlanMemory, RandomNumbersThatNobodyWantsAreCounted) {
  const Shape five = {5};
  const auto draw = [&] { return cx.call("acme.noise", {}, {ints(five)}); };
  cx.must(tenon_context_set_seed(cx.get(), 42, 3));
  std::vector<Values> expected;
  for (int i = 0; i < 4; ++i) expected.push_back(cx.values(draw()));
  cx.must(tenon_context_set_seed(cx.get(), 42, 3));
  cx.begin_capture();
  draw();
  const Tensor second = draw();
  const Plan plan = cx.end_capture();
  EXPECT_THAT(cx.listing(plan), HasSubstr("plan: 1 launches"));
  EXPECT_EQ(cx.values(second), expected[1]);
  cx.run(plan);
  EXPECT_EQ(cx.values(second), expected[3]);
}

// What a step reads before it writes it is no temporary, whoever still refers to it.
TEST_F(PlanMemory, ConstantsStay) {
  const Tensor x = cx.counting({4});
  Tensor constant = cx.floats({4}, {10, 20, 30, 40});
  cx.begin_capture({x.get()});
  const Tensor sum = cx.call("acme.add", {arg(x), arg(constant)});
  const Plan plan = cx.end_capture();
  constant.reset();
  const Tensor others = cx.floats({4}, {-1, -1, -1, -1});  // gets the memory, if it was given up
  cx.set(plan, 0, cx.floats({4}, {1, 1, 1, 1}));
  cx.run(plan);
  EXPECT_EQ(cx.values(sum), (Values{11, 21, 31, 41}));
  EXPECT_EQ(cx.values(others), (Values{-1, -1, -1, -1}));
}

// Half of it is as it was before the capture.
TEST_F(PlanMemory, WhatIsOnlyWrittenInPartStays) {
  const Tensor x = cx.floats({2}, {1, 2});
  cx.begin_capture({x.get()});
  Tensor y;
  {
    const Tensor base = cx.floats({4}, {5, 6, 7, 8});
    const Tensor half = cx.view(base, {2}, {1}, 2);
    cx.apply("acme.neg", {arg(x)}, {}, {half.get()});
    y = cx.call("acme.neg", {arg(base)});
  }
  const Plan plan = cx.end_capture();
  const Tensor others = cx.floats({4}, {9, 9, 9, 9});
  cx.set(plan, 0, cx.floats({2}, {3, 4}));
  cx.run(plan);
  EXPECT_EQ(cx.values(y), (Values{-5, -6, 3, 4}));
  EXPECT_EQ(cx.values(others), (Values{9, 9, 9, 9}));
}

// A view keeps all of its memory in use, and so does one that the program alone still holds.
TEST_F(PlanMemory, ViewsLengthenLives) {
  const Tensor x = cx.counting({4});
  cx.begin_capture({x.get()});
  Tensor late;
  Tensor outside;
  {
    const Tensor base = cx.call("acme.neg", {arg(x)});
    late = cx.view(base, {2}, {1}, 2);
    const Tensor shown = cx.call("acme.square", {arg(x)});
    outside = cx.view(shown, {2}, {2}, 1);
  }
  for (int i = 0; i < 3; ++i) cx.call("acme.neg", {arg(cx.call("acme.square", {arg(x)}))});
  const Tensor sum = cx.call("acme.neg", {arg(late)});
  late.reset();
  const Plan plan = cx.end_capture();
  cx.set(plan, 0, cx.floats({4}, {2, 3, 4, 5}));
  cx.run(plan);
  EXPECT_EQ(cx.values(sum), (Values{4, 5}));
  EXPECT_EQ(cx.values(outside), (Values{9, 25}));
}

// Values that another thread lets go of while the step is captured.
TEST_F(PlanMemoryThreads, OtherThreadsLetGo) {
  const Tensor x = cx.counting({256});
  cx.begin_capture({x.get()});
  std::vector<std::thread> threads;
  Tensor y = cx.call("acme.neg", {arg(x)});
  for (int i = 0; i < 50; ++i) {
    Tensor next = cx.call("acme.neg", {arg(y)});
    threads.emplace_back([given = y.release()] { tenon_tensor_release(given); });
    y = std::move(next);
  }
  const Plan plan = cx.end_capture();
  for (std::thread& each : threads) each.join();
  const Values expected = cx.values(y);
  cx.run(plan);
  EXPECT_EQ(cx.values(y), expected);
}

// A gradient that a step leaves is the program's; one that it gives up is a temporary.
TEST_F(PlanMemory, GradientsThatAreGivenUpAreTemporaries) {
  const Tensor x = cx.counting({16});
  const Tensor w = cx.leaf(cx.floats({16}, Values(16, 2)));
  const Tensor total = cx.floats({16}, Values(16, 0));
  const auto step = [&](bool gives_up) {
    Tensor y = cx.call("acme.sum", {arg(cx.call("acme.mul", {arg(x), arg(w)}))});
    cx.backward(y);
    tenon_tensor* const held = cx.grad(w);
    cx.apply("acme.add", {arg(total), Value(held)}, {}, {total.get()});
    if (gives_up) cx.clear_grad(w);
  };
  for (const bool gives_up : {true, false}) {
    SCOPED_TRACE(gives_up);
    cx.clear_grad(w);
    cx.apply("acme.full", {}, {ints({16}), Value(0.0), Value::dtype(TENON_DTYPE_F32)},
             {total.get()});
    cx.begin_capture({x.get()});
    step(gives_up);
    const Plan plan = cx.end_capture();
    if (!gives_up) cx.clear_grad(w);
    cx.run(plan);
    Values expected = cx.values(x);
    if (!gives_up) {
      EXPECT_EQ(cx.grad_values(w), expected);
    }
    for (float& each : expected) each *= 2;
    EXPECT_EQ(cx.values(total), expected);
    EXPECT_EQ(cx.grad(w) == nullptr, gives_up);
  }
}

// ---- Plans that share an arena

struct Chain {
  Chain(const Session& in, const tenon_device& where, int64_t size) : cx(in) {
    x = cx.on(where, cx.counting({size}));
    cx.begin_capture({x.get()});
    y = cx.call("acme.neg", {arg(x)});
    for (int i = 0; i < 3; ++i) y = cx.call("acme.neg", {arg(y)});
    plan = cx.end_capture();
  }
  void expect_right(const Session& by, float factor) const {
    Values expected(static_cast<size_t>(by.info(x).elements));
    for (size_t i = 0; i < expected.size(); ++i) expected[i] = factor * static_cast<float>(i);
    by.must(
        tenon_tensor_set_data(by.get(), x.get(), expected.data(), expected.size() * sizeof(float)));
    by.run(plan);
    EXPECT_EQ(by.values(y), expected);
  }
  const Session& cx;
  Tensor x, y;
  Plan plan;
};

TEST_F(PlanMemory, PlansOfAContextShareIt) {
  for (const char* kind : {"toy", "far"}) {
    SCOPED_TRACE(kind);
    const tenon_device where = cx.device(kind);
    const auto arena = [&, before = bytes_live(cx)](std::initializer_list<int64_t> sizes) {
      uint64_t others = before;
      for (const int64_t size : sizes) others += 2 * static_cast<uint64_t>(size) * sizeof(float);
      return bytes_live(cx) - others;  // without inputs and results
    };
    auto small = std::make_unique<Chain>(cx, where, 1024);
    EXPECT_EQ(arena({1024}), 2 * 4096u);
    auto large = std::make_unique<Chain>(cx, where, 4096);
    EXPECT_EQ(arena({1024, 4096}), 2 * 16384u);
    const Chain third(cx, where, 2048);
    EXPECT_EQ(arena({1024, 4096, 2048}), 2 * 16384u);
    for (float factor = 1; factor < 4; ++factor) {
      small->expect_right(cx, factor);
      large->expect_right(cx, factor);
      third.expect_right(cx, factor);
    }
    large.reset();
    small->expect_right(cx, 5);
    small.reset();
    third.expect_right(cx, 6);
    EXPECT_EQ(arena({2048}), 2 * 16384u);
  }
}

// Each context has an arena of its own, so that two may run plans at one time.
TEST_F(PlanMemory, AnotherContextRunsItInItsOwn) {
  for (const char* kind : {"toy", "far"}) {
    SCOPED_TRACE(kind);
    const tenon_device where = cx.device(kind);
    const Chain chain(cx, where, 1024);
    const uint64_t before = bytes_live(cx);
    {
      const Session other(runtime);
      chain.expect_right(other, 2);
      EXPECT_EQ(bytes_live(cx), before);  // the first context has no plan in its arena any more
      const Chain own(other, where, 1024);
      own.expect_right(other, 3);
      chain.expect_right(cx, 4);
      own.expect_right(other, 5);
    }
    chain.expect_right(cx, 6);
    EXPECT_EQ(bytes_live(cx), before);
  }
}

TEST_F(PlanMemoryThreads, ContextsRunTheirPlansAtOneTime) {
  const tenon_device where = cx.device("toy");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const Session own(runtime);
      const Chain first(own, where, 256);
      const Chain second(own, where, 512);
      for (float factor = 0; factor < 200; ++factor) {
        first.expect_right(own, factor);
        second.expect_right(own, factor);
      }
    });
  }
  for (std::thread& each : threads) each.join();
}

// ---- What went wrong in other systems

using PlanTraps = Toy;

// The first run was right and a replay wrong: a gradient that the program still has lay in memory
// that a later launch of the step was given.
TEST_F(PlanTraps, MemoryIsReusedWhileALiveGradientPointsIntoIt) {
  const Tensor x = cx.counting({32});
  const Tensor eager = cx.leaf(cx.floats({32}, Values(32, 2)));
  const Tensor captured = cx.leaf(cx.floats({32}, Values(32, 2)));
  const auto step = [&](const Tensor& w) {
    cx.backward(cx.call("acme.sum", {arg(cx.call("acme.mul", {arg(x), arg(w)}))}));
    Tensor y = cx.call("acme.square", {arg(x)});
    for (int i = 0; i < 6; ++i) y = cx.call("acme.neg", {arg(y)});
    cx.backward(cx.call("acme.sum", {arg(cx.call("acme.mul", {arg(y), arg(w)}))}));
    return cx.call("acme.sum", {arg(y)});
  };
  step(eager);
  cx.begin_capture({x.get()});
  const Tensor result = step(captured);
  const Plan plan = cx.end_capture();
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(cx.grad_values(captured), cx.grad_values(eager)) << i;
    step(eager);
    cx.run(plan);
  }
}

// Scratch memory of one plan went with another that had needed more.
TEST_F(PlanTraps, AWorkspaceDiesWithAnotherPlan) {
  for (const char* kind : {"toy", "far"}) {
    SCOPED_TRACE(kind);
    const tenon_device where = cx.device(kind);
    const Tensor x = cx.tensor<float>({5}, {1, 2, 3, 4, 5}, &where);
    const Tensor large = cx.on(where, cx.counting({4096}));
    cx.begin_capture({x.get()});
    const Tensor y = cx.call("acme.reverse", {arg(x)});
    const Plan plan = cx.end_capture();
    {
      cx.begin_capture({large.get()});
      const Tensor reversed = cx.call("acme.reverse", {arg(large)});
      const Plan other = cx.end_capture();
      cx.run(other);
      cx.run(plan);
    }
    std::vector<Tensor> others;
    for (int i = 0; i < 8; ++i) others.push_back(cx.on(where, cx.floats({4096}, Values(4096, 9))));
    cx.set(plan, 0, cx.tensor<float>({5}, {10, 20, 30, 40, 50}, &where));
    cx.run(plan);
    EXPECT_EQ(cx.values(y), (Values{50, 40, 30, 20, 10}));
    for (const Tensor& each : others) EXPECT_EQ(cx.values(each), Values(4096, 9));
  }
}

// A learning rate was a number of the host, and stayed as it was captured.
TEST_F(PlanTraps, AHostScalarIsFrozenInAnOptimizer) {
  const Tensor x = cx.floats({4}, {1, 1, 1, 1});
  std::vector<Values> after;
  for (const bool captures : {false, true}) {
    const Tensor w = cx.leaf(cx.floats({4}, {1, 2, 3, 4}));
    const Optimizer sgd = cx.optimizer({w.get()}, {{"lr", Value(0.5)}});
    const auto step = [&] {
      cx.backward(cx.call("acme.sum", {arg(cx.call("acme.mul", {arg(x), arg(w)}))}));
      cx.step(sgd);
      cx.clear_grad(w);
    };
    Plan plan;
    if (captures) cx.begin_capture({x.get()});
    step();
    if (captures) plan = cx.end_capture();
    for (const double lr : {0.25, 0.125}) {
      cx.set_hyper(sgd, "lr", Value(lr));
      if (captures) {
        cx.run(plan);
      } else {
        step();
      }
    }
    after.push_back(cx.values(w));
  }
  EXPECT_EQ(after[0], after[1]);
}

// An input that is fed twice, and results that nobody takes, are ordinary.
TEST_F(PlanTraps, FedInputsAliasAndOutputsHaveNoConsumer) {
  const Tensor a = cx.counting({4});
  const Tensor b = cx.counting({4});
  cx.begin_capture({a.get(), b.get()});
  cx.call("acme.square", {arg(b)});
  const Tensor sum = cx.call("acme.add", {arg(cx.call("acme.neg", {arg(a)})), arg(b)});
  const Plan plan = cx.end_capture();
  const Tensor both = cx.floats({4}, {5, 6, 7, 8});
  cx.set(plan, 0, both);
  cx.set(plan, 1, both);
  cx.run(plan);
  EXPECT_EQ(cx.values(sum), Values(4, 0));
  EXPECT_EQ(cx.values(both), (Values{5, 6, 7, 8}));
}

// ---- TENON_CHECK=plan

struct PlanCheck : testing::Test {
  RuntimeHandle runtime = make_runtime({.check = "plan"});
  Session cx{runtime};
};

TEST_F(PlanCheck, PassesWhatIsRight) {
  for (const char* kind : {"toy", "far"}) {
    SCOPED_TRACE(kind);
    const tenon_device where = cx.device(kind);
    const Tensor x = cx.on(where, cx.counting({5}));
    const Tensor sum = cx.on(where, cx.floats({5}, Values(5, 0)));
    cx.begin_capture({x.get()});
    {
      const Tensor y = cx.call("acme.square", {arg(cx.call("acme.neg", {arg(x)}))});
      cx.call("acme.neg", {arg(y)});  // left out
      cx.apply("acme.add", {arg(sum), arg(y)}, {}, {sum.get()});
    }
    const Plan plan = cx.end_capture();
    for (int i = 0; i < 3; ++i) cx.run(plan);
    EXPECT_EQ(cx.values(sum), (Values{4, 16, 36, 64, 100}));
  }
}

TEST_F(PlanCheck, FindsAKernelThatLeavesAnElementAsItWas) {
  const Tensor x = cx.counting({5});
  cx.begin_capture({x.get()});
  const Tensor y = cx.call("acme.neg", {arg(cx.call("acme.lazy", {arg(x)}))});
  const Plan plan = cx.end_capture();
  const Failure f = cx.refused(TENON_E_CHECK, tenon_plan_run(cx.get(), plan.get()));
  EXPECT_THAT(f.message, HasSubstr("other bits than its launches with memory of their own: what "
                                   "acme.neg has written differs at byte 16"));
  EXPECT_EQ(f.operand, "what acme.neg has written");
  EXPECT_THAT(f.hint, HasSubstr("a kernel reads what it has not been given"));
}

TEST_F(PlanCheck, FindsAKernelThatWritesPastItsEnd) {
  const Tensor x = cx.counting({16});
  cx.begin_capture({x.get()});
  const Tensor y = cx.call("acme.neg", {arg(cx.call("acme.rude", {arg(x)}))});
  const Plan plan = cx.end_capture();
  const Failure f = cx.refused(TENON_E_CHECK, tenon_plan_run(cx.get(), plan.get()));
  EXPECT_THAT(f.message, HasSubstr("past the end of a temporary of 64 bytes, which its launches 0 "
                                   "to 1 use"));
  EXPECT_THAT(f.hint, HasSubstr("TENON_CHECK=layout"));
}

}  // namespace
}  // namespace tenon::tests
