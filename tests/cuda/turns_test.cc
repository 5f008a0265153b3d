// SPDX-License-Identifier: Apache-2.0
// tests/cuda/turns_test.cc: the loss of a classifier and its gradient are one launch each at every
// size: the last block joins the results of all, the first counts for all.
#include <gmock/gmock.h>

#include "tests/cuda/cuda_support.h"

namespace tenon::tests {
namespace {

using testing::FloatNear;
using testing::Pointwise;

struct Size {
  int64_t rows;
  int64_t classes;
};
// One block, many, more than are launched; rows that each block counts, or only the first.
constexpr Size kSizes[] = {{8, 10}, {300, 200}, {3, 20011}, {2100, 17}, {16500, 2}};

class CudaTurns : public testing::Test {
 protected:
  ~CudaTurns() override { session.reset_driver(); }

  // A batch on one device. Each fifth target is `ignored`.
  struct Batch {
    Tensor logits, target, dy, top, top_prob;
  };
  Batch batch(const tenon_device& device, Size size, int64_t ignored = -100) const {
    std::vector<float> logits(static_cast<size_t>(size.rows * size.classes));
    for (size_t i = 0; i < logits.size(); ++i) {
      logits[i] = static_cast<float>(i * 7919 % 1013) / 200.0f;
    }
    std::vector<int64_t> target(static_cast<size_t>(size.rows));
    for (size_t n = 0; n < target.size(); ++n) {
      target[n] = n % 5 == 3 ? ignored : static_cast<int64_t>(n * 7) % size.classes;
    }
    Array numbers{TENON_DTYPE_I64, {size.rows}, {}};
    numbers.bytes.resize(target.size() * sizeof(int64_t));
    std::memcpy(numbers.bytes.data(), target.data(), numbers.bytes.size());
    return {session.f32(device, {size.rows, size.classes}, logits), session.on(device, numbers),
            session.f32(device, {}, {0.5f}),
            session.f32(device, {size.rows}, std::vector<float>(target.size(), 5.0f)),
            session.f32(device, {size.rows}, std::vector<float>(target.size(), 0.25f))};
  }
  Tensor loss(const Batch& of, const Named& named = {}) const {
    return session.call("tenon.softmax_cross_entropy",
                        {tensor_value(of.logits.get()), tensor_value(of.target.get())}, named);
  }
  Tensor gradient(const Batch& of, const Named& named = {}) const {
    return session.call(
        "tenon.softmax_cross_entropy_grad",
        {tensor_value(of.dy.get()), tensor_value(of.logits.get()), tensor_value(of.top.get()),
         tensor_value(of.top_prob.get()), tensor_value(of.target.get())},
        named);
  }

  CudaSession session;
  NoGrad off{session};
};

TEST_F(CudaTurns, OneLaunchEachAtEverySize) {
  for (const Size& size : kSizes) {
    SCOPED_TRACE(std::to_string(size.rows) + " rows of " + std::to_string(size.classes));
    const Named ignored = {{"ignore_index", int_value(size.classes)}};
    const Batch here = batch(session.cpu, size, size.classes);
    const Batch there = batch(session.cuda, size, size.classes);
    const std::vector<float> expected = session.floats(loss(here, ignored));
    const std::vector<float> slope = session.floats(gradient(here, ignored));
    // Again and again: each launch leaves the words by which blocks take turns as it found them.
    std::vector<float> first;
    for (int again = 0; again < 2; ++again) {
      int64_t before = session.counted("launch");
      const Tensor value = loss(there, ignored);
      EXPECT_EQ(session.counted("launch") - before, 1);
      before = session.counted("launch");
      const Tensor grad = gradient(there, ignored);
      EXPECT_EQ(session.counted("launch") - before, 1);
      EXPECT_THAT(session.floats(value), Pointwise(FloatNear(1e-5f), expected));
      EXPECT_THAT(session.floats(grad), Pointwise(FloatNear(1e-6f), slope));
      if (again == 0) first = session.floats(value);
      EXPECT_EQ(session.floats(value), first);
    }
  }
}

TEST_F(CudaTurns, NoRowCounts) {
  const Size size{2100, 20};
  Batch none = batch(session.cuda, size);
  const std::vector<int64_t> ignored(2100, -100);
  session.must(tenon_tensor_set_data(session, none.target.get(), ignored.data(), 2100 * 8));
  EXPECT_EQ(session.floats(loss(none)), (std::vector<float>{0}));
  EXPECT_THAT(session.floats(gradient(none)), testing::Each(0.0f));
}

TEST_F(CudaTurns, WrongTargetsDisturbNoLaterLaunch) {
  const Size size{2100, 20};
  const Batch good = batch(session.cuda, size);
  const std::vector<float> expected = session.floats(loss(good));
  const std::vector<float> slope = session.floats(gradient(good));
  Batch bad = batch(session.cuda, size);
  std::vector<int64_t> target(2100, 1);
  target[2050] = 20;
  session.must(tenon_tensor_set_data(session, bad.target.get(), target.data(), 2100 * 8));
  for (const bool forward : {true, false}) {
    const Tensor wrong = forward ? loss(bad) : gradient(bad);
    EXPECT_EQ(session.wait(session.cuda), TENON_E_DATA);
    EXPECT_THAT(session.message(), testing::HasSubstr("target[2050] is 20, which is not a class"));
    EXPECT_EQ(session.floats(loss(good)), expected);
    EXPECT_EQ(session.floats(gradient(good)), slope);
  }
}

TEST_F(CudaTurns, GraphsTakeThemToo) {
  const Batch there = batch(session.cuda, {2100, 16});
  const std::vector<float> expected = session.floats(loss(there));
  const std::vector<float> slope = session.floats(gradient(there));
  tenon_tensor* inputs[] = {there.logits.get()};
  session.must(tenon_capture_begin(session, inputs, 1));
  const Tensor value = loss(there);
  const Tensor grad = gradient(there);
  tenon_plan* plan = nullptr;
  session.must(tenon_capture_end(session, &plan));
  for (int k = 0; k < 3; ++k) {
    session.must(tenon_tensor_set_data(session, value.get(), std::vector<float>(1).data(), 4));
    session.must(tenon_plan_run(session, plan));
    EXPECT_EQ(session.floats(value), expected);
    EXPECT_EQ(session.floats(grad), slope);
    EXPECT_EQ(session.floats(loss(there)), expected);  // between two runs of the graph
  }
  EXPECT_EQ(session.counted("graph_run"), 2);
  tenon_plan_release(plan);
}

// The words are made when the first launch wants them.
TEST_F(CudaTurns, MemoryThatIsRefusedIsAskedForAgain) {
  const Batch there = batch(session.cuda, {300, 200});
  session.fail("copy", 2);
  EXPECT_EQ(session.status_of("tenon.softmax_cross_entropy",
                              {tensor_value(there.logits.get()), tensor_value(there.target.get())}),
            TENON_E_MEMORY);
  EXPECT_THAT(session.message(), testing::HasSubstr("no words for blocks to take turns by"));
  const int64_t copies = session.counted("copy");
  const Tensor value = loss(there);
  EXPECT_EQ(session.counted("copy"), copies + 1);
  const Tensor again = loss(there);
  EXPECT_EQ(session.counted("copy"), copies + 1);
  EXPECT_EQ(session.floats(value), session.floats(again));
}

}  // namespace
}  // namespace tenon::tests
