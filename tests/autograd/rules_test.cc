// SPDX-License-Identifier: Apache-2.0
// tests/autograd/rules_test.cc: gradients that differences of values do not show, where operands
// are equal and where a function has a corner.
#include <gmock/gmock.h>

#include "tests/autograd/autograd_support.h"

namespace tenon::tests {
namespace {

using testing::ElementsAre;

class Rules : public Autograd {};

TEST_F(Rules, EqualElementsShareTheGradientOfMaxAndMin) {
  for (const double sign : {1.0, -1.0}) {
    SCOPED_TRACE(sign);
    const Tensor x = leaf({2 * sign, sign, 2 * sign});
    must(backward(call(sign > 0 ? "tenon.max" : "tenon.min", {one(x.get())})));
    EXPECT_THAT(grad(x), ElementsAre(0.5, 0, 0.5));
  }
}

TEST_F(Rules, EqualOperandsShareTheGradientOfMaximumAndMinimum) {
  for (const char* name : {"tenon.maximum", "tenon.minimum"}) {
    SCOPED_TRACE(name);
    const Tensor a = leaf({3}), b = leaf({3});
    must(backward(call(name, {one(a.get()), one(b.get())})));
    EXPECT_THAT(grad(a), ElementsAre(0.5));
    EXPECT_THAT(grad(b), ElementsAre(0.5));
  }
}

TEST_F(Rules, APowerOfZeroHasNoSlopeAtZero) {
  const Tensor a = leaf({0, 0});
  const Tensor b = tensor<double>({2}, {0, 1});
  must(backward(call("tenon.sum", {one(call("tenon.pow", {one(a.get()), one(b.get())}).get())})));
  EXPECT_THAT(grad(a), ElementsAre(0, 1));
}

TEST_F(Rules, AnExclusiveSumGivesItsLastElementNothing) {
  for (const bool reverse : {false, true}) {
    SCOPED_TRACE(reverse);
    const Tensor x = leaf({1, 2, 3});
    must(backward(
        sum(call("tenon.cumsum", {one(x.get())},
                 {{"axis", whole(0)}, {"reverse", flag(reverse)}, {"exclusive", flag(true)}}))));
    EXPECT_THAT(grad(x), reverse ? ElementsAre(0, 1, 2) : ElementsAre(2, 1, 0));
  }
}

TEST_F(Rules, WhatDropoutKeepsHasTheSlopeItWasScaledWith) {
  const Tensor x = leaf(std::vector<double>(32, 1));
  const Tensor y = call("tenon.dropout", {one(x.get())}, {{"p", real(0.25)}});
  must(backward(sum(y)));
  EXPECT_EQ(grad(x), values_of<double>(y.get()));
}

}  // namespace
}  // namespace tenon::tests
