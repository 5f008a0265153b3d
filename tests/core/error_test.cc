// SPDX-License-Identifier: Apache-2.0
// tests/core/error_test.cc: the error record, states, interruption, the memory limit, statistics.
#include <atomic>
#include <thread>

#include "tests/core/support.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;
using Values = std::vector<float>;

class Errors : public Toy {
 protected:
  // Runs `body` inside the kernel of acme.hook, on this thread.
  tenon_status inside_a_kernel(void (*body)(void*), void* user) {
    const Tensor x = cx.floats({1}, {1});
    return cx.try_call("acme.hook",
                       {
                           arg(x),
                       },
                       {Value(static_cast<int64_t>(reinterpret_cast<intptr_t>(body))),
                        Value(static_cast<int64_t>(reinterpret_cast<intptr_t>(user)))});
  }
};

TEST_F(Errors, TheRecordSaysWhatWhereAndWhatToDo) {
  const Tensor a = cx.floats({2, 3}, Values(6, 1.0f));
  const Tensor b = cx.floats({4}, Values(4, 1.0f));
  cx.call("acme.neg", {arg(a)});
  cx.begin_scope("step");
  cx.begin_scope("encoder");
  const Failure f = cx.refused(TENON_E_SHAPE, cx.try_call("acme.add", {arg(a), arg(b)}));
  cx.end_scope();
  cx.end_scope();
  EXPECT_EQ(f.op, "acme.add");
  EXPECT_EQ(f.operand, "b");
  EXPECT_THAT(f.expected, HasSubstr("[2,3]"));
  EXPECT_EQ(f.found, "f32[4]");
  EXPECT_EQ(f.scope, "step/encoder");
  EXPECT_THAT(f.hint, HasSubstr("equal or 1"));
  EXPECT_EQ(f.sequence, 2u);
  EXPECT_TRUE(f.causes.empty());
  EXPECT_THAT(f.message, HasSubstr("acme.add"));
  EXPECT_EQ(f.message.find('\n'), std::string::npos);
}

TEST_F(Errors, TheRecordStaysUntilTheNextFailure) {
  const Tensor a = cx.floats({2}, {1, 2});
  tenon_error error{};
  error.struct_size = sizeof error;
  cx.must(tenon_context_get_error(cx.get(), &error));
  EXPECT_EQ(error.status, TENON_OK);
  EXPECT_STREQ(error.message, "");
  EXPECT_STREQ(error.op, "");
  cx.refused(TENON_E_SHAPE, cx.try_call("acme.transpose", {arg(a)}));
  cx.must(tenon_context_get_error(cx.get(), &error));
  const std::string message = error.message;
  for (int i = 0; i < 10; ++i) cx.call("acme.neg", {arg(a)});
  EXPECT_EQ(error.message, message);
  EXPECT_EQ(cx.failure().message, message);
  EXPECT_EQ(cx.failure().status, TENON_E_SHAPE);
  cx.refused(TENON_E_HANDLE, tenon_tensor_set_requires_grad(cx.get(), nullptr, 1));
  EXPECT_EQ(cx.failure().status, TENON_E_HANDLE);
  EXPECT_EQ(cx.failure().op, "");
  // An older caller's shorter struct is filled as far as it goes.
  tenon_error part{};
  part.struct_size = offsetof(tenon_error, op);
  part.op = "untouched";
  cx.must(tenon_context_get_error(cx.get(), &part));
  EXPECT_EQ(part.status, TENON_E_HANDLE);
  EXPECT_EQ(part.struct_size, offsetof(tenon_error, op));
  EXPECT_STREQ(part.op, "untouched");
}

TEST_F(Errors, FailuresOfPluginsCarryTheirWordsAndCauses) {
  const Tensor x = cx.floats({2}, {1, 2});
  const Failure f = cx.refused(TENON_E_DATA, cx.try_call("acme.fails", {arg(x)}));
  EXPECT_EQ(f.op, "acme.fails");
  EXPECT_EQ(f.plugin, "acme.toy");
  EXPECT_EQ(f.message, "acme.fails: it fails, always");
  EXPECT_EQ(f.operand, "x");
  EXPECT_EQ(f.expected, "mercy");
  EXPECT_EQ(f.found, "none");
  EXPECT_EQ(f.hint, "do not call it");
  const Failure outer = cx.refused(TENON_E_DATA, cx.try_call("acme.outer", {arg(x)}));
  EXPECT_EQ(outer.op, "acme.outer");
  EXPECT_THAT(outer.message, HasSubstr("the inner op failed"));
  ASSERT_EQ(outer.causes.size(), 1u);
  EXPECT_EQ(outer.causes[0], "acme.fails: it fails, always");
}

TEST_F(Errors, NoKernelNamesTheCandidatesAndWhyTheyLost) {
  const Tensor four = cx.floats({4}, Values(4, 1.0f));
  const Tensor five = cx.floats({5}, Values(5, 1.0f));
  EXPECT_EQ(cx.values(cx.call("acme.picky", {arg(four)})), Values(4, 1.0f));
  const Failure f = cx.refused(TENON_E_NO_KERNEL, cx.try_call("acme.picky", {arg(five)}));
  EXPECT_THAT(f.found, HasSubstr("acme.toy: more than four elements"));
  const Failure none = cx.refused(TENON_E_NO_KERNEL, cx.try_call("acme.nokernel", {arg(four)}));
  EXPECT_EQ(none.op, "acme.nokernel");
  EXPECT_EQ(none.found, "no plugin has a kernel for this op");
  const Tensor far = cx.on(cx.device("far"), four);
  const Failure elsewhere = cx.refused(TENON_E_NO_KERNEL, cx.try_call("acme.picky", {arg(far)}));
  EXPECT_THAT(elsewhere.found, HasSubstr("is for device toy"));
  EXPECT_THAT(elsewhere.expected, HasSubstr("far:0"));
}

TEST_F(Errors, OperandsOnDifferentDevicesAreRefused) {
  const Tensor x = cx.floats({2}, {1, 2});
  for (const tenon_device& other : {cx.device("far"), cx.device("toy", 1)}) {
    const Tensor y = cx.on(other, x);
    const Failure f = cx.refused(TENON_E_DEVICE, cx.try_call("acme.add", {arg(x), arg(y)}));
    EXPECT_EQ(f.operand, "b");
    EXPECT_THAT(f.expected, HasSubstr("toy:0"));
    EXPECT_THAT(f.hint, HasSubstr("tenon_tensor_create_copy"));
    const Failure out =
        cx.refused(TENON_E_DEVICE, cx.try_apply("acme.neg", {arg(x)}, {}, {y.get()}));
    EXPECT_EQ(out.operand, "out");
  }
  tenon_device none{};
  const Failure f =
      cx.refused(TENON_E_NOT_FOUND, tenon_device_find(cx.get(), "moon", TENON_NUL, 0, &none));
  EXPECT_THAT(f.message, HasSubstr("moon"));
  EXPECT_THAT(f.message, HasSubstr(test_plugin_dir()));
  cx.refused(TENON_E_DEVICE, tenon_device_find(cx.get(), "toy", TENON_NUL, 2, &none));
}

TEST_F(Errors, AViewRuleThatLeavesTheStorageIsRefused) {
  const Tensor x = cx.floats({2}, {1, 2});
  const Failure f = cx.refused(TENON_E_PLUGIN, cx.try_call("acme.stray", {arg(x)}));
  EXPECT_EQ(f.op, "acme.stray");
  EXPECT_THAT(f.message, HasSubstr("leaves the storage"));
}

TEST_F(Errors, OutputsMustFit) {
  const Tensor x = cx.floats({2, 3}, Values(6, 1.0f));
  const Failure shape = cx.refused(
      TENON_E_SHAPE,
      cx.try_apply("acme.neg", {arg(x)}, {}, {cx.floats({3, 2}, Values(6, 0.0f)).get()}));
  EXPECT_EQ(shape.operand, "out");
  EXPECT_EQ(shape.expected, "f32[2,3]");
  EXPECT_EQ(shape.found, "f32[3,2]");
  const Tensor wide = cx.tensor<double>({2, 3}, std::vector<double>(6, 0.0));
  cx.refused(TENON_E_DTYPE, cx.try_apply("acme.neg", {arg(x)}, {}, {wide.get()}));
  cx.refused(TENON_E_ARGUMENT, cx.try_apply("acme.neg", {arg(x)}, {}, {}));
  cx.refused(TENON_E_ARGUMENT, cx.try_apply("acme.neg", {arg(x)}, {}, {wide.get(), wide.get()}));
}

// ---- States -------------------------------------------------------------------------------------

TEST_F(Errors, APluginMayNotCallBackIntoItsContext) {
  struct Probe {
    tenon_context* context;
    tenon_status status;
  } probe{cx.get(), TENON_OK};
  const auto body = [](void* user) {
    Probe& p = *static_cast<Probe*>(user);
    p.status = tenon_scope_begin(p.context, "inner", TENON_NUL);
  };
  EXPECT_EQ(inside_a_kernel(body, &probe), TENON_OK);
  EXPECT_EQ(probe.status, TENON_E_STATE);
  cx.refused(TENON_E_STATE, tenon_scope_end(cx.get()));
}

class ErrorsThreads : public Errors {};

TEST_F(ErrorsThreads, AContextInUseIsRefusedToAnotherThread) {
  struct Probe {
    tenon_context* context;
    tenon_status status;
  } probe{cx.get(), TENON_OK};
  const auto body = [](void* user) {
    std::thread([user] {
      Probe& p = *static_cast<Probe*>(user);
      tenon_stats stats{};
      stats.struct_size = sizeof stats;
      p.status = tenon_runtime_get_stats(p.context, &stats);
    }).join();
  };
  EXPECT_EQ(inside_a_kernel(body, &probe), TENON_OK);
  EXPECT_EQ(probe.status, TENON_E_STATE);
}

TEST_F(ErrorsThreads, InterruptingEndsTheNextCall) {
  const Tensor x = cx.floats({1}, {1});
  std::thread([this] { EXPECT_EQ(tenon_context_interrupt(cx.get()), TENON_OK); }).join();
  cx.refused(TENON_E_INTERRUPTED, cx.try_call("acme.neg", {arg(x)}));
  EXPECT_EQ(cx.values(cx.call("acme.neg", {arg(x)})), Values{-1.0f});
}

TEST_F(ErrorsThreads, InterruptingEndsABackwardAndAReplay) {
  const Tensor x = cx.leaf(cx.floats({}, {1}));
  const auto body = [](void* user) {
    std::thread([user] { tenon_context_interrupt(static_cast<tenon_context*>(user)); }).join();
  };
  Tensor y = cx.call("acme.neg", {arg(x)});
  y = cx.call("acme.neg", {arg(y)});
  EXPECT_EQ(tenon_context_interrupt(cx.get()), TENON_OK);
  cx.refused(TENON_E_INTERRUPTED, cx.try_backward(y));
  EXPECT_EQ(cx.grad(x), nullptr);

  const Tensor plain = cx.floats({1}, {1});
  cx.begin_capture();
  const Tensor first = cx.call("acme.neg", {arg(plain)});
  const Tensor second = cx.call("acme.neg", {arg(first)});
  const Plan plan = cx.end_capture();
  EXPECT_EQ(tenon_context_interrupt(cx.get()), TENON_OK);
  cx.refused(TENON_E_INTERRUPTED, tenon_plan_run(cx.get(), plan.get()));
  cx.run(plan);
  EXPECT_EQ(cx.values(second), Values{1.0f});
  // From inside a launch: that launch finishes, the next call does not start.
  EXPECT_EQ(inside_a_kernel(body, cx.get()), TENON_OK);
  cx.refused(TENON_E_INTERRUPTED, cx.try_call("acme.neg", {arg(plain)}));
}

// Results that nobody has seen are given up halfway; what was there before is written whole.
TEST_F(ErrorsThreads, InterruptingEndsAKernelBetweenTwoPieces) {
  struct Seen {
    tenon_context* context;
    std::atomic<int> pieces{0};
  } seen{cx.get()};
  const auto body = [](void* user) {
    auto& all = *static_cast<Seen*>(user);
    if (++all.pieces != 1) return;
    std::thread([&all] { tenon_context_interrupt(all.context); }).join();
  };
  const Value function(static_cast<int64_t>(reinterpret_cast<intptr_t>(+body)));
  const Value user(static_cast<int64_t>(reinterpret_cast<intptr_t>(&seen)));
  const Tensor x = cx.floats({1}, {5});
  for (int i = 0; i < 2; ++i) {  // the second is a call seen before
    seen.pieces = 0;
    const Failure f =
        cx.refused(TENON_E_INTERRUPTED, cx.try_call("acme.hooks", {arg(x)}, {function, user}));
    EXPECT_THAT(f.message, HasSubstr("interrupted by tenon_context_interrupt"));
    EXPECT_LT(seen.pieces, 100);
  }
  seen.pieces = 0;
  const Tensor y = cx.floats({1}, {0});
  EXPECT_EQ(cx.try_apply("acme.hooks", {arg(x)}, {function, user}, {y.get()}), TENON_OK);
  EXPECT_EQ(seen.pieces, 100);
  cx.refused(TENON_E_INTERRUPTED, cx.try_call("acme.neg", {arg(x)}));
  EXPECT_EQ(cx.values(y), Values{5.0f});
}

// ---- Memory -------------------------------------------------------------------------------------

TEST(MemoryLimit, IsAnErrorAndLosesNothing) {
  const RuntimeHandle runtime = make_runtime({.check = "", .memory_limit = 4 << 20});
  const Session cx(runtime);
  const Tensor x = cx.leaf(cx.floats({1000}, Values(1000, 2.0f)));
  const tenon_stats before = cx.stats();
  const Shape big = {1 << 20, 1};
  tenon_tensor* made = nullptr;
  const Failure f = cx.refused(TENON_E_MEMORY, tenon_tensor_create(cx.get(), TENON_DTYPE_F64,
                                                                   nullptr, 2, big.data(), &made));
  EXPECT_THAT(f.message, HasSubstr("8388608 bytes"));
  EXPECT_EQ(made, nullptr);
  // The output of an op, with a gradient wanted.
  const Shape wide = {1000, 2000};
  const Tensor column = cx.view(cx.detached(x), {1000, 1}, {1, 1}, 0);
  cx.must(tenon_tensor_set_requires_grad(cx.get(), column.get(), 1));
  const Tensor spread = cx.call("acme.expand", {arg(column)}, {ints(wide)});
  cx.refused(TENON_E_MEMORY, cx.try_call("acme.square", {arg(spread)}));
  EXPECT_EQ(cx.stats().bytes_live, before.bytes_live);
  EXPECT_EQ(cx.stats().nodes, 1);
  // All works on, and with a higher limit the same call succeeds.
  cx.backward(cx.call("acme.sum", {arg(cx.call("acme.square", {arg(x)}))}));
  EXPECT_EQ(cx.grad_values(x), Values(1000, 4.0f));
  cx.must(tenon_runtime_set_memory_limit(cx.get(), 0));
  EXPECT_EQ(cx.info(cx.call("acme.square", {arg(spread)})).elements, 2000000);
}

TEST_F(Errors, StatisticsCountWhatLives) {
  const tenon_stats start = cx.stats();
  const Tensor x = cx.leaf(cx.floats({256}, Values(256, 1.0f)));
  const Tensor view = cx.call("acme.slice", {arg(x)}, {0, 0, 4});
  const Tensor y = cx.call("acme.square", {arg(view)});
  tenon_stats now = cx.stats();
  EXPECT_EQ(now.storages - start.storages, 2);
  EXPECT_EQ(now.nodes, 2);
  EXPECT_GE(now.tensors - start.tensors, 3);
  EXPECT_GE(now.bytes_live - start.bytes_live, 257 * sizeof(float));
  EXPECT_GE(now.bytes_reserved, now.bytes_live);
  EXPECT_GE(now.bytes_peak, now.bytes_live);
  EXPECT_EQ(now.allocations - start.allocations, 2u);
  EXPECT_GT(now.launches, start.launches);
  tenon_stats part{};
  cx.refused(TENON_E_ARGUMENT, tenon_runtime_get_stats(cx.get(), &part));
}

}  // namespace
}  // namespace tenon::tests
