// SPDX-License-Identifier: Apache-2.0
// tests/core/deactivate_test.cc: taking a plugin out of use, also while others work with it.
#include <atomic>
#include <thread>

#include "tests/core/support.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;
using Values = std::vector<float>;

struct Counters {  // as acme.extra reads them
  std::atomic<int> prepared{0};
  std::atomic<int> launched{0};
};

Value address(const void* object) { return Value(reinterpret_cast<int64_t>(object)); }

tenon_status deactivate(const Session& cx, const char* id) {
  return tenon_plugin_deactivate(cx.get(), id, TENON_NUL);
}

std::string query(const Session& cx, std::string_view topic) {
  tenon_text* made = nullptr;
  cx.must(tenon_runtime_query(cx.get(), topic.data(), topic.size(), &made));
  const Text text(made);
  const char* data = nullptr;
  uint64_t length = 0;
  cx.must(tenon_text_get(made, &data, &length));
  return std::string(data, length);
}

class Deactivate : public Toy {};

TEST_F(Deactivate, AnotherKernelAndRuleTakeOver) {
  const Tensor x = cx.leaf(cx.floats({2}, {1, 2}));
  const Tensor twice = cx.call("acme.watch", {arg(x)});
  EXPECT_EQ(cx.values(twice), (Values{2, 4}));
  cx.backward(cx.call("acme.sum", {arg(twice)}));
  EXPECT_EQ(cx.grad_values(x), (Values{2, 2}));
  cx.must(deactivate(cx, "acme.extra"));
  const Tensor same = cx.call("acme.watch", {arg(x)});
  EXPECT_EQ(cx.values(same), (Values{1, 2}));
  EXPECT_EQ(cx.values(twice), (Values{2, 4}));  // what it made lives on
  cx.clear_grad(x);
  cx.backward(cx.call("acme.sum", {arg(same)}));
  EXPECT_EQ(cx.grad_values(x), (Values{1, 1}));
  EXPECT_THAT(query(cx, "plugins"), HasSubstr("\"state\":\"deactivated\""));
}

TEST_F(Deactivate, ASecondTimeChangesNothing) {
  cx.must(deactivate(cx, "acme.extra"));
  cx.must(deactivate(cx, "acme.extra"));
  EXPECT_EQ(cx.values(cx.call("acme.watch", {arg(cx.floats({1}, {3}))})), (Values{3}));
}

TEST_F(Deactivate, WhatWasNeverOpenedStaysClosed) {
  cx.must(deactivate(cx, "acme.extra"));
  const tenon_op* op = nullptr;
  const Failure f =
      cx.refused(TENON_E_PLUGIN, tenon_op_find(cx.get(), "acme.extra_only", TENON_NUL, 0, &op));
  EXPECT_THAT(f.message, HasSubstr("op \"acme.extra_only\" is listed by plugin acme.extra in "));
  EXPECT_THAT(f.message, HasSubstr(", which was deactivated"));
}

TEST_F(Deactivate, AnUnknownIdIsRefused) {
  const Failure f = cx.refused(TENON_E_NOT_FOUND, deactivate(cx, "acme.nobody"));
  EXPECT_THAT(f.message, HasSubstr("no plugin \"acme.nobody\" was found; looked in "));
  EXPECT_EQ(f.operand, "id");
}

TEST_F(Deactivate, NotWhileThisContextCaptures) {
  cx.begin_capture();
  cx.refused(TENON_E_CAPTURE, deactivate(cx, "acme.extra"));
  const Tensor x = cx.call("acme.watch", {arg(cx.floats({1}, {3}))});
  const Plan plan = cx.end_capture();
  EXPECT_EQ(cx.values(x), (Values{6}));
}

TEST_F(Deactivate, AnOpHandleIsRefusedByName) {
  const Tensor x = cx.floats({1}, {3});
  const tenon_op* op = cx.op("acme.extra_only");
  cx.must(deactivate(cx, "acme.extra"));
  const Value input = arg(x);
  tenon_tensor* out = nullptr;
  const Failure f =
      cx.refused(TENON_E_PLUGIN, tenon_op_call(cx.get(), op, &input, 1, nullptr, 0, &out, 1));
  EXPECT_EQ(f.message, "acme.extra_only: plugin acme.extra was deactivated");
  EXPECT_EQ(f.op, "acme.extra_only");
  EXPECT_EQ(f.plugin, "acme.extra");
  EXPECT_EQ(f.hint, "a new runtime opens it again");
  tenon_op_info info{};
  info.struct_size = sizeof info;
  cx.must(tenon_op_get_info(cx.get(), op, &info));  // the handle itself is good
}

TEST_F(Deactivate, PreparedObjectsAreDropped) {
  Counters counters;
  const Tensor x = cx.floats({2}, {1, 2});
  cx.call("acme.watch", {arg(x)}, {address(&counters)});
  cx.call("acme.watch", {arg(x)}, {address(&counters)});
  EXPECT_EQ(counters.prepared, 1);
  EXPECT_EQ(counters.launched, 2);
  cx.must(deactivate(cx, "acme.extra"));
  EXPECT_EQ(counters.prepared, 0);
}

TEST_F(Deactivate, APlanThatLaunchesItRefusesBeforeItsFirstLaunch) {
  Counters counters;
  const Tensor x = cx.floats({2}, {1, 2});
  const Tensor y = cx.floats({2}, {0, 0});
  cx.begin_capture();
  cx.apply("acme.neg", {arg(x)}, {}, {y.get()});
  const Tensor z = cx.call("acme.watch", {arg(y)}, {address(&counters)});
  const Plan plan = cx.end_capture();
  cx.run(plan);
  cx.must(deactivate(cx, "acme.extra"));
  EXPECT_EQ(counters.prepared, 1);  // the plan's, as long as it lives
  cx.apply("acme.neg", {arg(y)}, {}, {y.get()});
  const Failure f = cx.refused(TENON_E_PLUGIN, tenon_plan_run(cx.get(), plan.get()));
  EXPECT_EQ(f.message, "the plan launches acme.watch of plugin acme.extra, which was deactivated");
  EXPECT_EQ(f.hint, "capture the step again");
  EXPECT_EQ(cx.values(y), (Values{1, 2}));
  EXPECT_EQ(cx.values(z), (Values{-2, -4}));
}

TEST_F(Deactivate, AGraphThatNeedsItsRuleSaysSo) {
  const Tensor x = cx.leaf(cx.floats({2}, {1, 2}));
  const Tensor loss = cx.call("acme.sum", {arg(cx.call("acme.watch", {arg(x)}))});
  cx.must(deactivate(cx, "acme.extra"));
  const Failure f = cx.refused(TENON_E_PLUGIN, cx.try_backward(loss));
  EXPECT_EQ(f.message, "acme.watch: plugin acme.extra was deactivated");
  EXPECT_EQ(cx.grad(x), nullptr);
}

// The op is acme.toy's; its best kernel and rule, those of acme.extra, are still there.
TEST_F(Deactivate, AGraphThatHoldsItsOpSaysSo) {
  const Tensor x = cx.leaf(cx.floats({2}, {1, 2}));
  const Tensor seed = cx.floats({2}, {1, 1});
  const Tensor twice = cx.call("acme.watch", {arg(x)});
  cx.must(deactivate(cx, "acme.toy"));
  for (int i = 0; i < 2; ++i) {
    const Failure f = cx.refused(TENON_E_PLUGIN, cx.try_backward(twice, 0, seed.get()));
    EXPECT_EQ(f.message, "acme.watch: plugin acme.toy was deactivated");
    EXPECT_EQ(f.hint, "a new runtime opens it again");
  }
  EXPECT_EQ(cx.grad(x), nullptr);
}

TEST_F(Deactivate, TheOwnerOfADeviceLeavesItsTensorsReadable) {
  const Tensor x = cx.counting({2, 3});
  const Tensor far = cx.on(cx.device("far"), x);
  const tenon_device device = cx.device("far");
  cx.must(deactivate(cx, "acme.far"));
  EXPECT_EQ(cx.values(far), (Values{1, 2, 3, 4, 5, 6}));
  const Failure f = cx.refused(TENON_E_NO_KERNEL, cx.try_call("acme.neg", {arg(far)}));
  EXPECT_THAT(f.message, HasSubstr("acme.neg: no kernel for device far:0"));
  tenon_tensor* made = nullptr;
  const int64_t shape[] = {1};
  const Failure g = cx.refused(
      TENON_E_PLUGIN, tenon_tensor_create(cx.get(), TENON_DTYPE_F32, &device, 1, shape, &made));
  EXPECT_EQ(g.message, "device far:0: plugin acme.far was deactivated");
  EXPECT_EQ(cx.values(cx.call("acme.neg", {arg(x)})), (Values{-1, -2, -3, -4, -5, -6}));
}

TEST_F(Deactivate, APinOnItIsRefused) {
  cx.must(deactivate(cx, "acme.extra"));
  const Failure f =
      cx.refused(TENON_E_PLUGIN,
                 tenon_runtime_set_pin(cx.get(), "acme.watch", TENON_NUL, "acme.extra", TENON_NUL));
  EXPECT_THAT(f.message, HasSubstr("plugin acme.extra in "));
  EXPECT_THAT(f.message,
              HasSubstr(" cannot be used: it was deactivated; a pin on it has no effect"));
}

TEST_F(Deactivate, OtherRuntimesGoOn) {
  const RuntimeHandle second = make_runtime();
  const Session other(second);
  const Tensor x = other.floats({1}, {3});
  cx.must(deactivate(cx, "acme.extra"));
  EXPECT_EQ(other.values(other.call("acme.watch", {arg(x)})), (Values{6}));
}

TEST_F(Deactivate, AnOptimizerIsRefusedByName) {
  const Tensor x = cx.leaf(cx.floats({2}, {1, 2}));
  const Optimizer sgd = cx.optimizer({x.get()});
  cx.backward(cx.call("acme.sum", {arg(x)}));
  cx.must(deactivate(cx, "acme.toy"));
  const Failure f = cx.refused(TENON_E_PLUGIN, tenon_optimizer_run(cx.get(), sgd.get(), 0));
  EXPECT_EQ(f.message, "acme.sgd: plugin acme.toy was deactivated");
  EXPECT_EQ(cx.values(x), (Values{1, 2}));
}

// ---- While others work --------------------------------------------------------------------------

struct Gate {
  std::atomic<bool> entered{false};
  std::atomic<bool> open{false};
  static void pass(void* self) {
    auto* gate = static_cast<Gate*>(self);
    gate->entered = true;
    while (!gate->open) std::this_thread::yield();
  }
};

class DeactivateThreads : public Toy {
 protected:
  // A thread that stands in a launch of acme.toy until the gate opens.
  std::thread stand_in(Gate& gate) {
    std::thread thread([this, &gate] {
      const Session own(runtime);
      own.call("acme.hook", {arg(own.floats({1}, {1}))},
               {address((void*)Gate::pass), address(&gate)});
    });
    while (!gate.entered) std::this_thread::yield();
    return thread;
  }
};

TEST_F(DeactivateThreads, WaitsForTheCallThatIsInside) {
  Gate gate;
  std::thread inside = stand_in(gate);
  std::atomic<bool> returned{false};
  std::thread waiting([&] {
    const Session own(runtime);
    own.must(deactivate(own, "acme.toy"));
    EXPECT_TRUE(gate.open);
    returned = true;
  });
  // It is out of use long before the wait is over.
  while (query(cx, "plugins").find("deactivated") == std::string::npos) std::this_thread::yield();
  EXPECT_FALSE(returned);
  gate.open = true;
  waiting.join();
  inside.join();
}

TEST_F(DeactivateThreads, TheWaitCanBeInterrupted) {
  Gate gate;
  std::thread inside = stand_in(gate);
  const Session own(runtime);
  std::thread waiting([&] {
    const Failure f = own.refused(TENON_E_INTERRUPTED, deactivate(own, "acme.toy"));
    EXPECT_THAT(f.message, HasSubstr("interrupted"));
  });
  while (query(cx, "plugins").find("deactivated") == std::string::npos) std::this_thread::yield();
  EXPECT_EQ(tenon_context_interrupt(own.get()), TENON_OK);
  waiting.join();
  gate.open = true;
  inside.join();
}

TEST_F(DeactivateThreads, TwoAtOnceDoNotWaitForEachOther) {
  std::thread one([&] {
    const Session own(runtime);
    own.must(deactivate(own, "acme.extra"));
  });
  std::thread two([&] {
    const Session own(runtime);
    own.must(deactivate(own, "acme.far"));
  });
  one.join();
  two.join();
}

// Eight threads call an op with both plugins' kernels while one of them is taken away: every result
// is one or the other's, and nothing is launched after the call has returned.
TEST_F(DeactivateThreads, EightThreadsGoOnDispatching) {
  for (int round = 0; round < 20; ++round) {
    const RuntimeHandle fresh = make_runtime();
    const Session main(fresh);
    Counters counters;
    std::atomic<bool> gone{false};
    std::atomic<bool> stop{false};
    std::atomic<int> done{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        const Session own(fresh);
        const Tensor x = own.leaf(own.floats({2}, {1, 2}));
        while (!stop) {
          const bool after = gone;
          Tensor y;
          const tenon_status status = own.try_call("acme.watch", {arg(x)}, {address(&counters)}, y);
          if (status != TENON_OK) {
            EXPECT_FALSE(after);
            EXPECT_EQ(own.failure().message, "acme.watch: plugin acme.extra was deactivated");
            continue;
          }
          const Values found = own.values(y);
          EXPECT_TRUE(found == (Values{2, 4}) || found == (Values{1, 2}));
          const tenon_status back = own.try_backward(own.call("acme.sum", {arg(y)}));
          if (back != TENON_OK) {
            EXPECT_EQ(own.failure().message, "acme.watch: plugin acme.extra was deactivated");
          }
          own.clear_grad(x);
          ++done;
        }
      });
    }
    while (counters.launched < 8) std::this_thread::yield();
    main.must(deactivate(main, "acme.extra"));
    gone = true;
    const int launched = counters.launched;
    EXPECT_EQ(counters.prepared, 0);
    const int before = done;
    while (done < before + 8) std::this_thread::yield();
    stop = true;
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(counters.launched, launched);
  }
}

}  // namespace
}  // namespace tenon::tests
