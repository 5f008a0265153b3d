// SPDX-License-Identifier: Apache-2.0
// tests/cuda/tf32_test.cc: products in TF32: for who asks, and for nobody else.
#include <gmock/gmock.h>

#include "tests/cuda/cuda_support.h"

namespace tenon::tests {
namespace {

constexpr std::string_view kProvider = "test.cuda_tf32_emulated";
constexpr float kKept = 1 + 0x1p-10F;     // TF32 has 10 bits of fraction
constexpr float kRounded = 1 + 0x1p-12F;  // becomes 1

class CudaTf32 : public testing::Test {
 protected:
  void pin(std::string_view plugin) const {
    session_.must(tenon_runtime_set_pin(session_, "", 0, plugin.data(), plugin.size()));
  }
  Tensor matrix(const std::vector<float>& data) const {
    return session_.f32(session_.cuda, {2, 2}, data);
  }
  std::vector<float> product(const Tensor& a, const Tensor& b) const {
    return session_.floats(
        session_.call("tenon.matmul", {tensor_value(a.get()), tensor_value(b.get())}));
  }

  const CudaSession session_;
};

TEST_F(CudaTf32, FactorsAreRoundedOnlyWhereTheProviderIsPinned) {
  const Tensor x = matrix({kKept, kRounded, -kRounded, 3});
  const Tensor one = matrix({1, 0, 0, 1});
  const std::vector<float> whole = {kKept, kRounded, -kRounded, 3};
  const std::vector<float> rounded = {kKept, 1, -1, 3};
  EXPECT_EQ(product(x, one), whole);
  session_.must(tenon_context_set_arithmetic(session_, TENON_ARITHMETIC_FAST));
  EXPECT_EQ(product(x, one), whole);
  pin(kProvider);
  EXPECT_EQ(product(x, one), rounded);
  EXPECT_EQ(product(one, x), rounded);
  pin("");
  EXPECT_EQ(product(x, one), whole);
}

TEST_F(CudaTf32, LinearAddsItsBiasInF32) {
  const Tensor x = matrix({kRounded, 0, -kRounded, kKept});
  const Tensor one = matrix({1, 0, 0, 1});
  const Tensor bias = session_.f32(session_.cuda, {2}, {0x1p-20F, 1});
  pin(kProvider);
  EXPECT_EQ(session_.floats(session_.call(
                "tenon.linear",
                {tensor_value(x.get()), tensor_value(one.get()), tensor_value(bias.get())},
                {{"activation", text_value("relu")}})),
            (std::vector<float>{1 + 0x1p-20F, 1, 0, 1 + kKept}));
}

TEST_F(CudaTf32, WhatIsNoProductOfF32GoesToTheBackend) {
  pin(kProvider);
  const auto in_f64 = [&](const std::vector<float>& data) {
    return session_.call("tenon.cast", {tensor_value(matrix(data).get())},
                         {{"dtype", dtype_value(TENON_DTYPE_F64)}});
  };
  const Tensor x = in_f64({kRounded, 0, 0, 0});
  const Tensor one = in_f64({1, 0, 0, 1});
  const Tensor out =
      session_.call("tenon.matmul", {tensor_value(x.get()), tensor_value(one.get())});
  EXPECT_EQ(session_.item(session_.call("tenon.sum", {tensor_value(out.get())})), kRounded);
}

TEST_F(CudaTf32, AProductThatCublasRefusesIsToldOf) {
  pin(kProvider);
  session_.fail("cublasLtMatmulAlgoGetHeuristic", 15);
  const Tensor x = matrix({1, 2, 3, 4});
  EXPECT_EQ(session_.status_of("tenon.matmul", {tensor_value(x.get()), tensor_value(x.get())}),
            TENON_E_UNSUPPORTED);
  EXPECT_THAT(session_.message(),
              testing::HasSubstr("cuBLASLt has no way to compute this product in TF32"));
  session_.reset_driver();
}

TEST_F(CudaTf32, AProductThatCublasRefusesToStartIsToldOf) {
  pin(kProvider);
  session_.fail("cublasLtMatmul", 15, 0, 1);
  const Tensor x = matrix({1, 2, 3, 4});
  const std::vector<tenon_value> operands = {tensor_value(x.get()), tensor_value(x.get())};
  EXPECT_EQ(session_.status_of("tenon.matmul", operands), TENON_E_UNSUPPORTED);
  EXPECT_THAT(session_.message(),
              testing::HasSubstr("cuBLASLt refused this product in TF32 as it was started"));
  EXPECT_EQ(session_.status_of("tenon.matmul", operands), TENON_OK);
  session_.reset_driver();
}

}  // namespace
}  // namespace tenon::tests
