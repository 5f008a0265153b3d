// SPDX-License-Identifier: Apache-2.0
// tests/cuda/products_test.cc: linear where cuBLASLt refuses its product, when it is prepared or
// when it is started: the backend's own kernels give what the op's composition gives. Small
// products of f32.
#include "tests/cuda/cuda_support.h"

namespace tenon::tests {
namespace {

// Sums of these are exact in any order, in f16 too.
std::vector<float> quarters(int64_t count, int32_t factor) {
  std::vector<float> numbers;
  for (int64_t i = 0; i < count; ++i) {
    numbers.push_back(static_cast<float>(i * factor % 17 - 8) / 4);
  }
  return numbers;
}

struct Case {
  const char* activation;
  const char* op;  // what it is composed of; "" for none
  Named attributes;
};

class CudaLinear : public testing::TestWithParam<tenon_dtype> {
 protected:
  Tensor numbers(const Shape& shape, int32_t factor) const {
    int64_t count = 1;
    for (const int64_t size : shape) count *= size;
    const Tensor whole = session_.f32(session_.cuda, shape, quarters(count, factor));
    return session_.call("tenon.cast", {tensor_value(whole.get())},
                         {{"dtype", dtype_value(GetParam())}});
  }
  bool equal(const Tensor& a, const Tensor& b) const {
    const Tensor same = session_.call("tenon.eq", {tensor_value(a.get()), tensor_value(b.get())});
    return session_.item(session_.call("tenon.all", {tensor_value(same.get())})) != 0;
  }

  const CudaSession session_;
};

TEST_P(CudaLinear, IsItsCompositionWhereCublasRefusesIt) {
  const Tensor x = numbers({3, 5, 9}, 5);
  const Tensor weight = numbers({70, 9}, 7);
  const Tensor turned = session_.call("tenon.transpose", {tensor_value(weight.get())});
  const Tensor bias = numbers({70}, 3);
  const Tensor product =
      session_.call("tenon.matmul", {tensor_value(x.get()), tensor_value(turned.get())});
  const Tensor sum =
      session_.call("tenon.add", {tensor_value(product.get()), tensor_value(bias.get())});
  const Case cases[] = {{"none", "", {}},
                        {"relu", "tenon.relu", {}},
                        {"gelu_tanh", "tenon.gelu", {{"approximate", text_value("tanh")}}}};
  for (const Case& each : cases) {
    SCOPED_TRACE(each.activation);
    const auto bent = [&](const Tensor& of) {
      return *each.op ? session_.call(each.op, {tensor_value(of.get())}, each.attributes)
                      : session_.call("tenon.copy", {tensor_value(of.get())});
    };
    const std::vector<tenon_value> operands = {tensor_value(x.get()), tensor_value(weight.get())};
    for (const char* refusing : {"cublasLtMatmulAlgoGetHeuristic", "cublasLtMatmul"}) {
      SCOPED_TRACE(refusing);
      const auto linear = [&](const std::vector<tenon_value>& of) {
        session_.fail(refusing, 15, 0, 1);
        return session_.call("tenon.linear", of, {{"activation", text_value(each.activation)}});
      };
      EXPECT_TRUE(equal(linear(operands), bent(product)));
      EXPECT_TRUE(equal(linear({operands[0], operands[1], tensor_value(bias.get())}), bent(sum)));
    }
  }
  session_.reset_driver();
}

INSTANTIATE_TEST_SUITE_P(Each, CudaLinear,
                         testing::Values(TENON_DTYPE_F16, TENON_DTYPE_BF16, TENON_DTYPE_F32,
                                         TENON_DTYPE_F64));

// [batch, rows, columns], or the transpose of [batch, columns, rows].
struct Stored {
  int64_t rows, columns;
  bool turned;
};

// Sums over more than one round of k, tiles that are not whole, and every way matrices may lie.
TEST(CudaSmallProducts, AreExactWhereSumsAre) {
  const CudaSession session;
  const auto numbers = [&](const Stored& of, int32_t factor) {
    const Shape shape = of.turned ? Shape{2, of.columns, of.rows} : Shape{2, of.rows, of.columns};
    Tensor x = session.f32(session.cuda, shape, quarters(2 * of.rows * of.columns, factor));
    return of.turned ? session.call("tenon.transpose", {tensor_value(x.get())}) : std::move(x);
  };
  const auto wide = [&](const Tensor& x) {
    return session.call("tenon.cast", {tensor_value(x.get())},
                        {{"dtype", dtype_value(TENON_DTYPE_F64)}});
  };
  for (const auto& [m, n, k] : {std::array<int64_t, 3>{1, 1, 1}, {17, 33, 600}, {64, 10, 257}}) {
    for (const bool a_turned : {false, true}) {
      for (const bool b_turned : {false, true}) {
        SCOPED_TRACE(testing::Message() << m << " " << n << " " << k << a_turned << b_turned);
        const Tensor a = numbers({m, k, a_turned}, 5);
        const Tensor b = numbers({k, n, b_turned}, 7);
        const Tensor product =
            session.call("tenon.matmul", {tensor_value(a.get()), tensor_value(b.get())});
        const Tensor a_wide = wide(a);
        const Tensor b_wide = wide(b);
        const Tensor right =
            session.call("tenon.matmul", {tensor_value(a_wide.get()), tensor_value(b_wide.get())});
        const Tensor found = wide(product);
        const Tensor same =
            session.call("tenon.eq", {tensor_value(found.get()), tensor_value(right.get())});
        EXPECT_EQ(session.item(session.call("tenon.all", {tensor_value(same.get())})), 1);
      }
    }
  }
}

}  // namespace
}  // namespace tenon::tests
