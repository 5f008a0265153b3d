// SPDX-License-Identifier: Apache-2.0
// tests/autograd/losses_test.cc: losses where numbers are large, infinite or left out, and what a
// wrong target is told.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/autograd/autograd_support.h"

namespace tenon::tests {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pointwise;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Losses : public Autograd {
 protected:
  double value(const Tensor& loss) { return values_of<double>(loss.get()).at(0); }
  // Value of the loss of `x`, whose gradient is there afterwards.
  double loss_of(const char* name, const Tensor& x, const Tensor& target) {
    const Tensor loss = call(name, {one(x.get()), one(target.get())});
    must(backward(loss));
    return value(loss);
  }
};

TEST_F(Losses, OfInfiniteDifferencesHaveTheSlopeOfTheirLine) {
  const Tensor target = tensor<double>({4}, {0, 0, 1, 0});
  for (const char* name : {"tenon.l1_loss", "tenon.huber_loss", "tenon.smooth_l1_loss"}) {
    SCOPED_TRACE(name);
    const Tensor x = leaf({kInfinity, -kInfinity, 1, 3});
    EXPECT_EQ(loss_of(name, x, target), kInfinity);
    EXPECT_THAT(grad(x), ElementsAre(0.25, -0.25, 0, 0.25));
  }
}

TEST_F(Losses, OfCertainAnswersNeitherOverflowNorVanish) {
  const Tensor target = tensor<double>({6}, {1, 0, 0, 1, 0, 1});
  const Tensor x = leaf({1000, -1000, 1000, -1000, -100, 100});
  const double tiny = std::exp(-100.0);
  EXPECT_DOUBLE_EQ(loss_of("tenon.binary_cross_entropy_with_logits", x, target), 2000.0 / 6);
  EXPECT_THAT(grad(x), Pointwise(DoubleEq(), {0.0, 0.0, 1.0 / 6, -1.0 / 6, tiny / 6, 0.0}));
}

TEST_F(Losses, OfOneCertainAnswerKeepTheirDigits) {
  const Tensor target = tensor<double>({1}, {1});
  EXPECT_DOUBLE_EQ(loss_of("tenon.binary_cross_entropy_with_logits", leaf({100}), target),
                   std::exp(-100.0));
}

TEST_F(Losses, OfIgnoredRowsLeaveNoTrace) {
  const double nan = std::nan("");
  const Tensor target = tensor<int64_t>({2}, {-100, 1});
  for (const char* name : {"tenon.nll_loss", "tenon.softmax_cross_entropy"}) {
    SCOPED_TRACE(name);
    const Tensor x = parameter(tensor<double>({2, 2}, {nan, kInfinity, -1, -1}));
    const Tensor weight = leaf({2, 4});
    const Tensor loss = call(name, {one(x.get()), one(target.get()), one(weight.get())});
    must(backward(loss));
    EXPECT_TRUE(std::isfinite(value(loss)));
    EXPECT_EQ(grad(x)[0], 0);
    EXPECT_EQ(grad(x)[1], 0);
    EXPECT_LT(grad(x)[3], 0);
    EXPECT_THAT(grad(weight), ElementsAre(0, 0));  // of one row the mean has no weight
  }
}

TEST_F(Losses, WithoutACountedRowAreNoNumberOrNothing) {
  const Tensor target = tensor<int64_t>({2}, {-100, -100});
  const Tensor x = parameter(tensor<double>({2, 2}, {-1, -2, -3, -4}));
  EXPECT_TRUE(std::isnan(value(call("tenon.nll_loss", {one(x.get()), one(target.get())}))));
  const Tensor weight = tensor<double>({2}, {2, 4});
  const Tensor loss =
      call("tenon.softmax_cross_entropy", {one(x.get()), one(target.get()), one(weight.get())});
  must(backward(loss));
  EXPECT_EQ(value(loss), 0);
  EXPECT_THAT(grad(x), ElementsAre(0, 0, 0, 0));
}

TEST_F(Losses, OfImpossibleClassesSayNothingOfThem) {
  const Tensor target = tensor<double>({3}, {0, 1, 0});
  const Tensor x = leaf({-1, -1, 0});
  EXPECT_DOUBLE_EQ(loss_of("tenon.kl_div", x, target), 1.0 / 3);
  EXPECT_THAT(grad(x), ElementsAre(0, DoubleEq(-1.0 / 3), 0));
}

TEST_F(Losses, NameAWrongTargetAndItsPlace) {
  const Tensor x = tensor<double>({2, 3}, {0, 0, 0, 0, 0, 0});
  const Tensor target = tensor<int64_t>({2}, {0, 7});
  tenon_tensor* out = nullptr;
  const tenon_status status =
      try_call(context, "tenon.nll_loss", {one(x.get()), one(target.get())}, &out);
  const std::string words = refused(status, TENON_E_DATA);
  EXPECT_THAT(words, HasSubstr("target holds a number that is not a class and not ignore_index"));
  EXPECT_THAT(words, HasSubstr("0 <= class < 3, or ignore_index"));
  EXPECT_EQ(out, nullptr);
  tenon_error error{};
  error.struct_size = sizeof error;
  must(tenon_context_get_error(context, &error));
  ASSERT_GE(error.n_causes, 1u);
  EXPECT_THAT(error.causes[0], HasSubstr("is 7"));
}

}  // namespace
}  // namespace tenon::tests
