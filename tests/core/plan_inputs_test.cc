// SPDX-License-Identifier: Apache-2.0
// tests/core/plan_inputs_test.cc: what may be, or become, an input of a captured step.
#include "tests/core/support.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;
using Values = std::vector<float>;
using Plans = Toy;

TEST_F(Plans, InputsAreExchangedForTheirLikeAlone) {
  const Tensor x = cx.floats({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor fixed = cx.floats({3}, {10, 20, 30});
  cx.begin_capture({x.get()});
  const Tensor row = cx.call("acme.slice", {arg(x)}, {0, 1, 1});
  const Tensor y = cx.call("acme.add", {arg(row), arg(fixed)});
  const Plan plan = cx.end_capture();
  EXPECT_EQ(cx.values(y), (Values{14, 25, 36}));
  const Tensor next = cx.floats({2, 3}, {0, 0, 0, -1, -2, -3});
  cx.set(plan, 0, next);
  EXPECT_EQ(cx.values(y), (Values{14, 25, 36}));
  cx.run(plan);
  EXPECT_EQ(cx.values(y), (Values{9, 18, 27}));
  EXPECT_EQ(cx.values(x), (Values{1, 2, 3, 4, 5, 6}));

  const auto refuse = [&](const Tensor& tensor) {
    return cx.refused(TENON_E_PLAN_SHAPE, tenon_plan_set(cx.get(), plan.get(), 0, tensor.get()));
  };
  const Failure f = refuse(cx.floats({3, 2}, Values(6, 0.0f)));
  EXPECT_EQ(f.operand, "input 0");
  EXPECT_THAT(f.expected, HasSubstr("f32[2,3]"));
  EXPECT_THAT(f.found, HasSubstr("f32[3,2]"));
  refuse(cx.tensor<double>({2, 3}, std::vector<double>(6, 0.0)));
  refuse(cx.view(cx.floats({3, 2}, Values(6, 0.0f)), {2, 3}, {1, 2}, 0));
  refuse(cx.on(cx.device("toy", 1), next));
  refuse(cx.on(cx.device("far"), next));
  cx.refused(TENON_E_ARGUMENT, tenon_plan_set(cx.get(), plan.get(), 1, next.get()));
  cx.run(plan);
  EXPECT_EQ(cx.values(y), (Values{9, 18, 27}));
}

TEST_F(Plans, OtherPartsOfAnInputsStorageStayWhereTheyAre) {
  const Tensor data = cx.counting({6, 2});
  const Tensor x = cx.view(data, {2, 2}, {2, 1}, 0);
  const Tensor fixed = cx.view(data, {2, 2}, {2, 1}, 8);
  const Tensor half = cx.view(data, {2, 2}, {2, 1}, 2);
  cx.begin_capture({x.get()});
  const Tensor y = cx.call("acme.add", {arg(x), arg(fixed)});
  const Plan plan = cx.end_capture();
  EXPECT_EQ(cx.values(y), (Values{10, 12, 14, 16}));
  cx.set(plan, 0, cx.floats({2, 2}, {100, 200, 300, 400}));
  cx.run(plan);
  EXPECT_EQ(cx.values(y), (Values{109, 210, 311, 412}));
  // Half inside, half outside: there is no right place for it.
  cx.begin_capture({x.get()});
  const Failure f = cx.refused(TENON_E_CAPTURE, cx.try_call("acme.neg", {arg(half)}));
  EXPECT_EQ(f.op, "acme.neg");
  tenon_plan* none = nullptr;
  cx.refused(TENON_E_CAPTURE, tenon_capture_end(cx.get(), &none));
}

// Equal, nested, overlapping, interleaved: what read the shared part would have read both.
TEST_F(Plans, InputsShareNoMemory) {
  const Tensor data = cx.counting({8});
  const Tensor x = cx.view(data, {4}, {1}, 2);
  const std::vector<std::pair<const char*, Tensor>> others = [&] {
    std::vector<std::pair<const char*, Tensor>> made;
    made.emplace_back("equal", cx.view(data, {4}, {1}, 2));
    made.emplace_back("inside", cx.view(data, {2}, {1}, 3));
    made.emplace_back("around", cx.view(data, {8}, {1}, 0));
    made.emplace_back("first element", cx.view(data, {3}, {1}, 0));
    made.emplace_back("last element", cx.view(data, {3}, {1}, 5));
    made.emplace_back("interleaved", cx.view(data, {3}, {2}, 1));
    made.emplace_back("backwards", cx.view(data, {4}, {-1}, 5));
    made.emplace_back("expanded", cx.view(data, {4}, {0}, 4));
    made.emplace_back("reshaped", cx.view(data, {2, 2}, {2, 1}, 2));
    return made;
  }();
  const auto refuse = [&](tenon_tensor* first, tenon_tensor* second) {
    tenon_tensor* const inputs[] = {first, second};
    const Failure f = cx.refused(TENON_E_ALIAS, tenon_capture_begin(cx.get(), inputs, 2));
    EXPECT_EQ(f.operand, "input 1");
    EXPECT_EQ(f.message, "plan input 1 shares memory with input 0");
    EXPECT_EQ(f.hint, "give a copy of it");
  };
  refuse(x.get(), x.get());
  for (const auto& [name, other] : others) {
    SCOPED_TRACE(name);
    refuse(x.get(), other.get());
    refuse(other.get(), x.get());
  }
  // Beside one another they are two.
  const Tensor before = cx.view(data, {2}, {1}, 0);
  const Tensor after = cx.view(data, {2}, {1}, 6);
  const Tensor none = cx.view(data, {0}, {1}, 3);
  cx.begin_capture({before.get(), x.get(), after.get(), none.get()});
  const Tensor y = cx.call("acme.add", {arg(before), arg(after)});
  const Plan plan = cx.end_capture();
  EXPECT_EQ(cx.values(y), (Values{8, 10}));
}

TEST_F(Plans, InputsThatAreOnlyReadMayBecomeOneTensor) {
  const Tensor a = cx.floats({2}, {1, 2});
  const Tensor b = cx.floats({2}, {10, 20});
  cx.begin_capture({a.get(), b.get()});
  const Tensor y = cx.call("acme.add", {arg(a), arg(b)});
  const Plan plan = cx.end_capture();
  cx.set(plan, 0, b);
  cx.run(plan);
  EXPECT_EQ(cx.values(y), (Values{20, 40}));
}

TEST_F(Plans, AnInputThatIsWrittenHasMemoryOfItsOwn) {
  const Tensor a = cx.floats({2}, {1, 2});
  const Tensor b = cx.floats({2}, {10, 20});
  cx.begin_capture({a.get(), b.get()});
  cx.apply("acme.neg", {arg(b)}, {}, {a.get()});
  const Plan plan = cx.end_capture();
  EXPECT_EQ(cx.values(a), (Values{-10, -20}));
  const Tensor data = cx.counting({3});
  const Tensor low = cx.view(data, {2}, {1}, 0);
  const Tensor high = cx.view(data, {2}, {1}, 1);
  cx.set(plan, 0, low);
  cx.set(plan, 1, high);
  const Failure f = cx.refused(TENON_E_ALIAS, tenon_plan_run(cx.get(), plan.get()));
  EXPECT_EQ(f.operand, "input 1");
  EXPECT_THAT(f.message, HasSubstr("input 0, which the plan writes"));
  EXPECT_EQ(cx.values(data), (Values{1, 2, 3}));
  // Exchanged one after the other they may meet for a moment.
  cx.set(plan, 0, b);
  cx.set(plan, 1, a);
  cx.run(plan);
  EXPECT_EQ(cx.values(b), (Values{10, 20}));
}

// A replay writes its results early or late: a run that reads them as its input would be a guess.
TEST_F(Plans, WhatAPlanWritesIsNotItsInput) {
  for (const char* name : {"toy", "far"}) {
    SCOPED_TRACE(name);
    const tenon_device where = cx.device(name);
    const Tensor x = cx.tensor<float>({2, 2}, {1, 2, 3, 4}, &where);
    cx.begin_capture({x.get()});
    const Tensor y = cx.call("acme.matmul2", {arg(x), arg(x)});
    const Plan plan = cx.end_capture();
    const Failure f = cx.refused(TENON_E_ALIAS, tenon_plan_set(cx.get(), plan.get(), 0, y.get()));
    EXPECT_EQ(f.operand, "input 0");
    EXPECT_THAT(f.message, HasSubstr("what the plan writes"));
    EXPECT_THAT(f.found, HasSubstr("f32[2,2]"));
    cx.run(plan);  // with what was there
    EXPECT_EQ(cx.values(y), (Values{7, 10, 15, 22}));
    cx.set(plan, 0, cx.tensor<float>({2, 2}, cx.values(y), &where));
    cx.run(plan);
    EXPECT_EQ(cx.values(y), (Values{199, 290, 435, 634}));
  }
}

TEST_F(Plans, AnInputIsHeldUntilItIsExchanged) {
  Tensor x = cx.floats({2}, {1, 2});
  cx.begin_capture({x.get()});
  const Tensor y = cx.call("acme.neg", {arg(x)});
  Plan plan = cx.end_capture();
  x.reset();
  Tensor next = cx.floats({2}, {5, 6});
  cx.set(plan, 0, next);
  next.reset();
  cx.run(plan);
  EXPECT_EQ(cx.values(y), (Values{-5, -6}));
}

TEST_F(Plans, AnInputMayBeWritten) {
  const Tensor x = cx.floats({2}, {1, 2});
  cx.begin_capture({x.get()});
  cx.apply("acme.neg", {arg(x)}, {}, {x.get()});
  const Plan plan = cx.end_capture();
  const Tensor other = cx.floats({2}, {7, 8});
  const uint64_t version = cx.info(other).version;
  cx.set(plan, 0, other);
  cx.run(plan);
  EXPECT_EQ(cx.values(other), (Values{-7, -8}));
  EXPECT_EQ(cx.values(x), (Values{-1, -2}));
  EXPECT_GT(cx.info(other).version, version);
}

}  // namespace
}  // namespace tenon::tests
