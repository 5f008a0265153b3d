// SPDX-License-Identifier: Apache-2.0
// tests/core/written_test.cc: long lists of tensors that one launch writes, and what shares memory.
#include "tests/core/support.h"

namespace tenon::tests {
namespace {

using Values = std::vector<float>;
constexpr size_t kTensors = 40;

// acme.sgd_step over lists of pairs: velocity = velocity / 2 + grad, param = param - velocity.
class Written : public Toy {
 protected:
  void SetUp() override {
    for (size_t i = 0; i < kTensors; ++i) {
      params.push_back(cx.floats({2}, {1, 2}));
      grads.push_back(cx.floats({2}, {4, 8}));
      velocity.push_back(cx.floats({2}, {2, 2}));
      steps.push_back(cx.tensor<int64_t>({}, {0}));
    }
  }
  tenon_status step() {
    const std::vector<tenon_tensor*> lists[] = {plain(params), plain(grads), plain(velocity),
                                                plain(steps)};
    const Tensor lr = cx.tensor<double>({}, {1});
    const Value inputs[] = {Value(std::span(lists[0])), Value(std::span(lists[1])),
                            Value(std::span(lists[2])), Value(std::span(lists[3])), arg(lr)};
    const Value decay(0.0);
    return tenon_op_call(cx.get(), cx.op("acme.sgd_step"), inputs, 5, &decay, 1, nullptr, 0);
  }
  void expect_refused(const std::string& second, const std::string& first) {
    const Failure f = cx.refused(TENON_E_ALIAS, step());
    EXPECT_EQ(f.op, "acme.sgd_step");
    EXPECT_EQ(f.message, "acme.sgd_step: two operands that are written share memory");
    EXPECT_EQ(f.operand, second);
    EXPECT_EQ(f.expected, "separate memory");
    EXPECT_EQ(f.found, "overlap with \"" + first + "\"");
    for (const Tensor& each : params) EXPECT_EQ(cx.values(each)[1], 2) << "something was written";
  }

  std::vector<Tensor> params, grads, velocity, steps;

 private:
  static std::vector<tenon_tensor*> plain(const std::vector<Tensor>& list) {
    std::vector<tenon_tensor*> handles;
    for (const Tensor& each : list) handles.push_back(each.get());
    return handles;
  }
};

TEST_F(Written, ListsThatShareNothingAreWrittenInPlace) {
  cx.must(step());
  for (const Tensor& each : params) EXPECT_EQ(cx.values(each), (Values{-4, -7}));
}

TEST_F(Written, NeighboursInOneBufferShareNothing) {
  const Tensor base = cx.floats({2 * kTensors}, Values(2 * kTensors, 3));
  // Not in the order of their addresses.
  for (size_t i = 0; i < kTensors; ++i) {
    params[i] = cx.view(base, {2}, {1}, static_cast<int64_t>(2 * (i * 7 % kTensors)));
  }
  cx.must(step());
  for (const Tensor& each : params) EXPECT_EQ(cx.values(each), (Values{-2, -6}));
}

TEST_F(Written, TwoThatShareMemoryAreRefused) {
  const Tensor base = cx.floats({3}, {1, 2, 2});
  params[31] = cx.view(base, {2}, {1}, 0);
  velocity[17] = cx.view(base, {2}, {1}, 1);
  expect_refused("velocity", "params");
}

TEST_F(Written, TheFirstPairInTheOrderOfOperandsIsNamed) {
  velocity[1] = cx.view(velocity[0], {2}, {1}, 0);
  expect_refused("velocity", "velocity");
  params[38] = cx.view(params[39], {2}, {1}, 0);
  expect_refused("params", "params");
  velocity[20] = cx.view(params[6], {2}, {1}, 0);
  expect_refused("velocity", "params");
}

TEST_F(Written, NoElementsShareNothing) {
  params[3] = cx.view(params[2], {0}, {1}, 0);
  grads[3] = cx.floats({0}, {});
  velocity[3] = cx.floats({0}, {});
  cx.must(step());
  EXPECT_EQ(cx.values(params[2]), (Values{-4, -7}));
}

TEST_F(Written, WhatIsReadIsCopiedBeforeItsMemoryIsWritten) {
  const Tensor base = cx.floats({5}, {1, 2, 3, 4, 5});
  params[0] = cx.view(base, {2}, {1}, 1);
  params[39] = cx.view(base, {2}, {1}, 3);
  grads[39] = cx.view(base, {2}, {1}, 2);  // half of one, half of the other
  cx.must(step());
  EXPECT_EQ(cx.values(params[0]), (Values{2 - 5, 3 - 9}));
  EXPECT_EQ(cx.values(velocity[39]), (Values{1 + 3, 1 + 4}));
  EXPECT_EQ(cx.values(params[39]), (Values{4 - 4, 5 - 5}));
}

}  // namespace
}  // namespace tenon::tests
