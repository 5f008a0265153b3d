// SPDX-License-Identifier: Apache-2.0
// tests/core/operands_test.cc: memory of the caller's, numbers for tensors, promotion.
#include <cstring>

#include "tests/core/formulas.h"
#include "tests/core/support.h"

namespace tenon::tests {
namespace {

class CallersMemory : public Toy {
 protected:
  Tensor external(void* data, const Shape& shape, const Shape& strides, uint32_t flags = 0) {
    tenon_tensor* made = nullptr;
    cx.must(tenon_tensor_create_external(cx.get(), TENON_DTYPE_F32,
                                         static_cast<int32_t>(shape.size()), shape.data(),
                                         strides.data(), data, flags, nullptr, nullptr, &made));
    return Tensor(made);
  }
};

TEST_F(CallersMemory, AddressesThatAreNoMultipleOfTheElement) {
  for (size_t shift = 0; shift < 4; ++shift) {
    SCOPED_TRACE(shift);
    const Values numbers = {1, -2, 3, -4, 5, -6};
    std::vector<char> from(64, 'x');
    std::vector<char> to(64, 'y');
    std::memcpy(from.data() + shift, numbers.data(), 24);
    const Tensor x = external(from.data() + shift, {2, 3}, {3, 1});
    for (const Unary& unary : kUnary) {
      SCOPED_TRACE(unary.op);
      EXPECT_EQ(cx.values(cx.call(unary.op, {arg(x)})), unary.formula(numbers));
      std::fill(to.begin(), to.end(), 'y');
      const Tensor out = external(to.data() + 4 + shift, {2, 3}, {3, 1});
      cx.apply(unary.op, {arg(x)}, {}, {out.get()});
      Values written(6);
      std::memcpy(written.data(), to.data() + 4 + shift, 24);
      EXPECT_EQ(written, unary.formula(numbers));
      for (size_t i = 0; i < to.size(); ++i) {
        if (i < 4 + shift || i >= 28 + shift) {
          ASSERT_EQ(to[i], 'y') << i;
        }
      }
    }
    cx.run("acme.bump", {arg(x), arg(cx.floats({2, 3}, Values(6, 1.0f)))});
    Values bumped(6);
    std::memcpy(bumped.data(), from.data() + shift, 24);
    EXPECT_EQ(bumped, (Values{2, -1, 4, -3, 6, -5}));
  }
}

TEST_F(CallersMemory, ReadOnlyMemoryIsReadAndNeverWritten) {
  const Values numbers = {1, 2, 3, 4};
  Values memory = numbers;
  const Tensor x = external(memory.data(), {4}, {1}, TENON_VIEW_READ_ONLY);
  EXPECT_NE(cx.info(x).flags & TENON_TENSOR_READ_ONLY, 0u);
  EXPECT_EQ(cx.values(cx.call("acme.neg", {arg(x)})), (Values{-1, -2, -3, -4}));
  const Tensor y = cx.floats({4}, {5, 6, 7, 8});
  const Failure f = cx.refused(TENON_E_ALIAS, cx.try_apply("acme.neg", {arg(y)}, {}, {x.get()}));
  EXPECT_EQ(f.operand, "out");
  EXPECT_THAT(f.message, testing::HasSubstr("read-only"));
  cx.refused(TENON_E_ALIAS, cx.try_apply("acme.neg", {arg(x)}, {}, {x.get()}));
  const std::initializer_list<Value> operands = {arg(x), arg(y)};
  const Failure bump = cx.refused(
      TENON_E_ALIAS,
      tenon_op_call(cx.get(), cx.op("acme.bump"), operands.begin(), 2, nullptr, 0, nullptr, 0));
  EXPECT_EQ(bump.operand, "x");
  cx.refused(TENON_E_ALIAS,
             tenon_tensor_set_data(cx.get(), x.get(), numbers.data(), 4 * sizeof(float)));
  EXPECT_EQ(memory, numbers);
  // A view of read-only memory is read-only too.
  const Tensor view = cx.view(x, {2}, {2}, 0);
  cx.refused(TENON_E_ALIAS, cx.try_apply("acme.neg", {arg(view)}, {}, {view.get()}));
}

TEST_F(CallersMemory, TheDeleterRunsOnceWhenTheLastUserIsGone) {
  static int calls;
  calls = 0;
  Values memory = {1, 2};
  const Shape two = {2};
  tenon_tensor* made = nullptr;
  cx.must(tenon_tensor_create_external(
      cx.get(), TENON_DTYPE_F32, 1, two.data(), nullptr, memory.data(), 0,
      [](void* user) { ++*static_cast<int*>(user); }, &calls, &made));
  Tensor x(made);
  Tensor view = cx.view(x, {1}, {1}, 1);
  x.reset();
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(cx.values(view), Values{2.0f});
  view.reset();
  EXPECT_EQ(calls, 1);
}

// ---- Types --------------------------------------------------------------------------------------

class OperandTypes : public Toy {};

TEST_F(OperandTypes, TensorsMeetInTheirCommonDtype) {
  const Tensor f32 = cx.tensor<float>({2}, {1.5f, 2.5f});
  const Tensor f64 = cx.tensor<double>({2}, {10, 20});
  const Tensor i32 = cx.tensor<int32_t>({2}, {3, 4});
  const Tensor i64 = cx.tensor<int64_t>({2}, {5, 6});
  const Tensor u8 = cx.tensor<uint8_t>({2}, {200, 100});
  const Tensor i8 = cx.tensor<int8_t>({2}, {-1, 1});
  const Tensor wide = cx.call("acme.add", {arg(f32), arg(f64)});
  EXPECT_EQ(cx.dtype(wide), TENON_DTYPE_F64);
  EXPECT_EQ(cx.values<double>(wide), (std::vector<double>{11.5, 22.5}));
  const Tensor whole = cx.call("acme.add", {arg(i32), arg(i64)});
  EXPECT_EQ(cx.dtype(whole), TENON_DTYPE_I64);
  EXPECT_EQ(cx.values<int64_t>(whole), (std::vector<int64_t>{8, 10}));
  const Tensor middle = cx.call("acme.add", {arg(u8), arg(i8)});
  EXPECT_EQ(cx.dtype(middle), TENON_DTYPE_I16);
  EXPECT_EQ(cx.values<int16_t>(middle), (std::vector<int16_t>{199, 101}));
  const Tensor mixed = cx.call("acme.mul", {arg(i64), arg(f32)});
  EXPECT_EQ(cx.dtype(mixed), TENON_DTYPE_F32);
  EXPECT_EQ(cx.values(mixed), (Values{7.5f, 15.0f}));
  // An op of floats makes floats of integers.
  const Tensor strict = cx.call("acme.strict", {arg(i32), arg(i32)});
  EXPECT_EQ(cx.dtype(strict), TENON_DTYPE_F32);
  EXPECT_EQ(cx.values(strict), (Values{-3, -4}));
}

TEST_F(OperandTypes, NumbersNeverWidenWithinTheirKind) {
  const Tensor i32 = cx.tensor<int32_t>({2}, {3, 4});
  const Tensor f64 = cx.tensor<double>({2}, {10, 20});
  EXPECT_EQ(cx.dtype(cx.call("acme.add", {arg(i32), 1})), TENON_DTYPE_I32);
  EXPECT_EQ(cx.values<int32_t>(cx.call("acme.add", {1, arg(i32)})), (std::vector<int32_t>{4, 5}));
  EXPECT_EQ(cx.values<int32_t>(cx.call("acme.add", {arg(i32), true})),
            (std::vector<int32_t>{4, 5}));
  const Tensor real = cx.call("acme.mul", {arg(i32), 1.5});
  EXPECT_EQ(cx.dtype(real), TENON_DTYPE_F32);
  EXPECT_EQ(cx.values(real), (Values{4.5f, 6.0f}));
  const Tensor same = cx.call("acme.mul", {arg(f64), 0.1});
  EXPECT_EQ(cx.dtype(same), TENON_DTYPE_F64);
  EXPECT_EQ(cx.values<double>(same), (std::vector<double>{10 * 0.1, 20 * 0.1}));
  for (const int64_t limit : {int64_t{INT32_MIN}, int64_t{INT32_MAX}}) {
    EXPECT_EQ(cx.values<int32_t>(cx.call("acme.add", {arg(cx.tensor<int32_t>({1}, {0})), limit})),
              (std::vector<int32_t>{static_cast<int32_t>(limit)}));
  }
  // -3e9 does not fit i32.
  const Failure f =
      cx.refused(TENON_E_ARGUMENT, cx.try_call("acme.add", {arg(i32), int64_t{-3000000000}}));
  EXPECT_EQ(f.operand, "b");
}

TEST_F(OperandTypes, WithoutItDtypesMustBeEqual) {
  const Tensor f32 = cx.tensor<float>({2, 2}, {1, 2, 3, 4});
  const Tensor f64 = cx.tensor<double>({2, 2}, {1, 2, 3, 4});
  const Tensor i32 = cx.tensor<int32_t>({2}, {3, 4});
  const Failure f = cx.refused(TENON_E_DTYPE, cx.try_call("acme.matmul2", {arg(f32), arg(f64)}));
  EXPECT_EQ(f.operand, "b");
  EXPECT_EQ(f.expected, "f32");
  EXPECT_EQ(f.found, "f64");
  const Failure whole = cx.refused(TENON_E_DTYPE, cx.try_call("acme.neg", {arg(i32)}));
  EXPECT_EQ(whole.found, "i32");
  EXPECT_THAT(whole.expected, testing::HasSubstr("f32"));
}

TEST_F(OperandTypes, GradientsComeBackInTheOperandsDtype) {
  const Tensor a = cx.leaf(cx.tensor<float>({2}, {1.5f, 2.5f}));
  const Tensor b = cx.tensor<double>({2}, {10, 20});
  cx.backward(cx.call("acme.sum", {arg(cx.call("acme.mul", {arg(a), arg(b)}))}));
  EXPECT_EQ(cx.grad_values(a), (Values{10, 20}));
}

// acme.toy refuses where `prepare`, `workspace` or `predicate` see any.
TEST_F(OperandTypes, WhatIsAskedOfAKernelBeforeItsLaunchShowsNoData) {
  for (int round = 0; round < 3; ++round) {
    const Tensor x = cx.floats({4}, {1, 2, 3, 4});
    EXPECT_EQ(cx.values(cx.call("acme.reverse", {arg(x)})), (Values{4, 3, 2, 1}));
    EXPECT_EQ(cx.values(cx.call("acme.picky", {arg(x)})), (Values{1, 2, 3, 4}));
  }
}

}  // namespace
}  // namespace tenon::tests
