// SPDX-License-Identifier: Apache-2.0
// tests/views/copies_test.cc: view ops allocate and launch nothing; what has to copy does it once.
#include "tests/views/view_steps.h"
#include "tests/views/views_support.h"

namespace tenon::tests {
namespace {

class Copies : public Shipped {
 protected:
  // Storages allocated and kernels launched by `call`, twice: the second call takes a known route.
  template <class Call>
  void expect_cost(uint64_t allocations, uint64_t launches, Call call) {
    for (int i = 0; i < 3; ++i) {
      const tenon_stats before = cx.stats();
      const Tensor result = call();
      const tenon_stats after = cx.stats();
      EXPECT_EQ(after.allocations - before.allocations, allocations) << "call " << i;
      EXPECT_EQ(after.launches - before.launches, launches) << "call " << i;
    }
  }
  void expect_one_copy(const char* op, const Tensor& x, std::initializer_list<Value> attrs) {
    SCOPED_TRACE(op);
    expect_cost(1, 1, [&] { return cx.call(op, {arg(x)}, attrs); });
  }
};

TEST_F(Copies, ViewOpsAllocateAndLaunchNothing) {
  const uint64_t seed = fresh_seed();
  Random random(seed);
  const Shape shape = {4, 1, 6};
  const Tensor plain = cx.counting<double>(shape);
  const Tensor leaf = cx.leaf(cx.counting<double>(shape));
  for (const auto& [op, make] : view_steps()) {
    for (int i = 0; i < 20; ++i) {
      Step step;
      step.op = op;
      if (!make(random, shape, step)) continue;
      SCOPED_TRACE("seed " + std::to_string(seed) + ": " + op + step.text);
      for (const Tensor* x : {&plain, &leaf}) {
        expect_cost(0, 0, [&] {
          const Value input = arg(*x);
          tenon_tensor* made = nullptr;
          cx.must(tenon_op_call(cx.get(), cx.op(step.op), &input, 1, step.attrs.data(),
                                static_cast<uint32_t>(step.attrs.size()), &made, 1));
          return Tensor(made);
        });
      }
    }
  }
}

TEST_F(Copies, AreMadeOnce) {
  const Tensor x = cx.counting<float>({4, 6});
  const Tensor turned = cx.call("tenon.transpose", {arg(x)});
  const Shape line = {24};
  expect_one_copy("tenon.reshape", turned, {ints(line)});
  expect_one_copy("tenon.flatten", turned, {});
  const Shape pairs = {1, 1, 2, 0};
  const Shape shifts = {1, -2};
  const Shape axes = {0, 1};
  const Shape times = {2, 3};
  for (const Tensor* operand : {&x, &turned}) {
    expect_one_copy("tenon.pad", *operand, {ints(pairs)});
    expect_one_copy("tenon.roll", *operand, {ints(shifts), ints(axes)});
    expect_one_copy("tenon.tile", *operand, {ints(times)});
    expect_one_copy("tenon.full_like", *operand, {1.5});
  }
  expect_one_copy("tenon.repeat", x, {3, 0});
  tenon_tensor* const list[] = {x.get(), x.get()};
  expect_cost(1, 1,
              [&] { return cx.call("tenon.stack", {std::span<tenon_tensor* const>(list)}, {1}); });
}

// Large enough for what kernels do with many elements.
TEST_F(Copies, OfPermutedOperandsAreInOrder) {
  const Shape shape = {40, 3, 50};
  const Shape line = {-1};
  const auto expect_order = [&]<class T>(T, const Shape& axes) {
    const Tensor x = cx.counting<T>(shape);
    const std::vector<T> values = cx.values<T>(x);
    const Tensor permuted = cx.call("tenon.permute", {arg(x)}, {ints(axes)});
    const auto found = cx.values<T>(cx.call("tenon.reshape", {arg(permuted)}, {ints(line)}));
    ASSERT_EQ(found.size(), values.size());
    const Shape strides = cx.strides(permuted.get());
    const Shape turned = cx.shape(permuted);
    for (int64_t i = 0; i < static_cast<int64_t>(found.size()); ++i) {
      const int64_t from = i / (turned[1] * turned[2]) * strides[0] +
                           i / turned[2] % turned[1] * strides[1] + i % turned[2] * strides[2];
      ASSERT_EQ(found[static_cast<size_t>(i)], values[static_cast<size_t>(from)]) << i;
    }
  };
  for (const Shape& axes : {Shape{2, 0, 1}, Shape{2, 1, 0}, Shape{0, 2, 1}, Shape{1, 0, 2}}) {
    SCOPED_TRACE(sdk::shape_text(axes));
    expect_order(uint8_t(), axes);
    expect_order(int16_t(), axes);
    expect_order(float(), axes);
    expect_order(double(), axes);
  }
}

}  // namespace
}  // namespace tenon::tests
