// SPDX-License-Identifier: Apache-2.0
// tests/checks/modes_test.cc: the check modes layout, launch and handles, and what is an error in
// every mode.
#include <cstring>

#include "tests/checks/checks_support.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;

// ---- layout: tests/core/check_test.cc tells what it finds; here, that it looks at plans, too

TEST(CheckLayoutPlan, LooksAtEveryRun) {
  const RuntimeHandle runtime = make_checked("layout");
  const Session cx(runtime);
  const Tensor x = cx.counting({2});
  // `how` 7 calls back.
  int calls = 0;
  const auto function = +[](void* user) { ++*static_cast<int*>(user); };
  cx.begin_capture({x.get()});
  const Tensor y = cx.call("test.misuse", {arg(x)},
                           {Value(int64_t{7}), Value(reinterpret_cast<int64_t>(function)),
                            Value(reinterpret_cast<int64_t>(&calls))});
  const Plan plan = cx.end_capture();
  EXPECT_EQ(calls, 2) << "twice on shadow copies";
  cx.must(tenon_plan_run(cx.get(), plan.get()));
  EXPECT_EQ(calls, 4) << "and so in every run";
  EXPECT_EQ(cx.values(y), (std::vector<float>{1, 2}));
}

TEST(CheckLayoutPlan, BlamesTheKernelThatMisbehavesInARun) {
  const RuntimeHandle runtime = make_checked("layout");
  const Session cx(runtime);
  const Tensor x = cx.counting({4});
  static bool greedy = false;
  greedy = false;
  // With `how` 14 the kernel writes after its output once the number at `user` is not 0.
  cx.begin_capture({x.get()});
  const Tensor y =
      cx.call("test.misuse", {arg(x)},
              {Value(int64_t{14}), Value(int64_t{0}), Value(reinterpret_cast<int64_t>(&greedy))});
  const Plan plan = cx.end_capture();
  cx.must(tenon_plan_run(cx.get(), plan.get()));
  greedy = true;
  const Failure f = cx.refused(TENON_E_CHECK, tenon_plan_run(cx.get(), plan.get()));
  EXPECT_EQ(f.op, "test.misuse");
  EXPECT_EQ(f.operand, "y");
  EXPECT_THAT(f.message, HasSubstr("kernel of test.misuse wrote outside operand \"y\""));
  EXPECT_EQ(cx.values(y), (std::vector<float>{1, 2, 3, 4}));
}

// ---- launch

tenon_value text_of(const char* words) {
  tenon_value value{TENON_VALUE_STRING, static_cast<uint32_t>(std::strlen(words)), {}};
  value.as.string = words;
  return value;
}

TEST(CheckLaunch, BlamesTheLaunchOfAPlan) {
  for (const char* check : {"", "launch"}) {
    const RuntimeHandle runtime = make_checked(check);
    const Session cx(runtime);
    const tenon_device sim = cx.device("sim");
    const Tensor x = cx.on(sim, cx.counting({2}));
    cx.begin_capture();
    const Tensor sum = cx.call("tenon.add", {arg(x), arg(x)});
    const Tensor product = cx.call("tenon.mul", {arg(sum), arg(x)});
    const Tensor last = cx.call("tenon.neg", {arg(product)});
    const Plan plan = cx.end_capture();
    cx.must(tenon_device_wait(cx.get(), &sim));
    cx.must(tenon_context_set_device(cx.get(), &sim));
    const tenon_value attrs[] = {text_of("launch"), Value(int64_t{1})};
    cx.must(tenon_op_call(cx.get(), cx.op("sim.inject"), nullptr, 0, attrs, 2, nullptr, 0));
    cx.must(tenon_context_set_device(cx.get(), nullptr));
    tenon_status status = tenon_plan_run(cx.get(), plan.get());
    if (*check) {
      EXPECT_EQ(cx.refused(TENON_E_DEVICE, status).op, "tenon.mul");
      continue;
    }
    // Without the mode the failure is noticed later, and the launches since are named.
    cx.must(status);
    status = tenon_device_wait(cx.get(), &sim);
    EXPECT_THAT(cx.refused(TENON_E_DEVICE, status).found, HasSubstr("tenon.add"));
  }
}

// ---- handles

// Does a handle that was released look alive again after its slot was used `times` more?
bool mistaken(const Session& cx, int times) {
  tenon_tensor* stale = cx.counting({1}).release();
  tenon_tensor_release(stale);
  bool alive = false;
  for (int i = 0; i < times; ++i) {
    const Tensor next = cx.counting({1});
    tenon_view view{};
    alive = alive || tenon_tensor_get_view(cx.get(), stale, &view) == TENON_OK;
  }
  return alive;
}

TEST(CheckHandles, StaleHandlesAreToldForLonger) {
  {
    const RuntimeHandle runtime = make_checked("");
    EXPECT_TRUE(mistaken(Session(runtime), 300)) << "255 uses of a slot are told apart";
  }
  {
    const RuntimeHandle runtime = make_checked("handles");
    EXPECT_FALSE(mistaken(Session(runtime), 300));
  }
  // It ends with the last runtime that asked for it.
  const RuntimeHandle runtime = make_checked("");
  EXPECT_TRUE(mistaken(Session(runtime), 300));
}

// ---- Always

class EveryMode : public testing::TestWithParam<const char*> {
 protected:
  RuntimeHandle runtime = make_checked(GetParam());
  Session cx{runtime};
  Tensor x = cx.floats({2}, {1, 2});
};

TEST_P(EveryMode, WhatAKernelThrowsNamesItsPlugin) {
  const Failure f =
      cx.refused(TENON_E_PLUGIN, cx.try_call("test.misuse", {arg(x)}, {Value(int64_t{6})}));
  EXPECT_EQ(f.message,
            "test.misuse: the kernel of plugin test.misuse has thrown an exception: up and away");
  EXPECT_EQ(f.plugin, "test.misuse");
  EXPECT_EQ(f.op, "test.misuse");
  EXPECT_EQ(
      cx.refused(TENON_E_PLUGIN, cx.try_call("test.misuse", {arg(x)}, {Value(int64_t{8})})).message,
      "test.misuse: the kernel of plugin test.misuse has thrown an exception");
}

TEST_P(EveryMode, WhatARuleThrowsNamesItsPlugin) {
  const Tensor leaf = cx.leaf(cx.floats({2}, {1, 2}));
  const Tensor y = cx.call("test.misuse", {arg(leaf)}, {Value(int64_t{12})});
  const Failure f = cx.refused(TENON_E_PLUGIN, cx.try_backward(y, 0, x.get()));
  EXPECT_EQ(f.message,
            "test.misuse: the backward rule of plugin test.misuse has thrown an "
            "exception: no way back");
  EXPECT_EQ(f.plugin, "test.misuse");
}

TEST_P(EveryMode, AGradientSetToNullIsRefused) {
  const Tensor leaf = cx.leaf(cx.floats({2}, {1, 2}));
  const Tensor y = cx.call("test.misuse", {arg(leaf)}, {Value(int64_t{11})});
  const Failure f = cx.refused(TENON_E_VJP, cx.try_backward(y, 0, x.get()));
  EXPECT_EQ(f.message, "backward rule of test.misuse: set the gradient of input \"x\" to NULL");
  EXPECT_EQ(f.operand, "x");
  EXPECT_EQ(f.plugin, "test.misuse");
  EXPECT_THAT(f.expected, HasSubstr("means zero"));
}

TEST_P(EveryMode, MemoryThatIsNotAlignedIsRefused) {
  const tenon_device crooked = cx.device("crooked");
  const int64_t shape[] = {3};
  tenon_tensor* made = nullptr;
  const Failure f = cx.refused(
      TENON_E_PLUGIN, tenon_tensor_create(cx.get(), TENON_DTYPE_F32, &crooked, 1, shape, &made));
  EXPECT_EQ(made, nullptr);
  EXPECT_EQ(f.message,
            "device crooked:0: plugin test.crooked gave memory that is not aligned to 64 bytes");
  EXPECT_EQ(f.found, "8 bytes beyond one");
  EXPECT_EQ(f.plugin, "test.crooked");
  EXPECT_EQ(cx.stats().bytes_reserved, cx.stats().bytes_live);
}

INSTANTIATE_TEST_SUITE_P(Modes, EveryMode, testing::Values("", "layout,finite,threads,launch"));

}  // namespace
}  // namespace tenon::tests
