// SPDX-License-Identifier: Apache-2.0
// tests/core/autograd_test.cc: what gradients are: values, accumulation, rows, modes, second order.
#include <cmath>

#include "tests/core/support.h"

namespace tenon::tests {
namespace {

using Values = std::vector<float>;

class Autograd : public Toy {
 protected:
  Tensor total(const Tensor& x) { return cx.call("acme.sum", {arg(x)}); }
  Tensor parameter(const Shape& shape, const Values& values) {
    return cx.leaf(cx.floats(shape, values));
  }
};

TEST_F(Autograd, ProductsAndSums) {
  const Tensor x = parameter({2}, {1, 2});
  const Tensor y = parameter({2}, {3, 4});
  cx.backward(total(cx.call("acme.mul", {arg(x), arg(y)})));
  EXPECT_EQ(cx.grad_values(x), (Values{3, 4}));
  EXPECT_EQ(cx.grad_values(y), (Values{1, 2}));
}

TEST_F(Autograd, RulesThatReadInputsOutputsAndAuxOutputs) {
  const Tensor x = parameter({4}, {-2, -0.5, 0.5, 2});
  cx.backward(total(cx.call("acme.square", {arg(x)})));
  EXPECT_EQ(cx.grad_values(x), (Values{-4, -1, 1, 4}));
  cx.clear_grad(x);
  EXPECT_EQ(cx.grad(x), nullptr);
  cx.backward(total(cx.call("acme.relu", {arg(x)})));
  EXPECT_EQ(cx.grad_values(x), (Values{0, 0, 1, 1}));
  cx.clear_grad(x);
  cx.backward(total(cx.call("acme.tanh", {arg(x)})));
  const Values slopes = cx.grad_values(x);
  for (size_t i = 0; i < 4; ++i) {
    const double y = std::tanh(double{Values{-2, -0.5, 0.5, 2}[i]});
    EXPECT_NEAR(slopes[i], 1 - y * y, 1e-6);
  }
}

TEST_F(Autograd, AnAuxOutputIsMadeOnlyForABackward) {
  const Tensor x = parameter({4}, {-2, -0.5, 0.5, 2});
  const uint64_t start = cx.stats().allocations;
  {
    const NoGrad off(cx);
    cx.call("acme.relu", {arg(x)});
  }
  EXPECT_EQ(cx.stats().allocations - start, 1u);
  cx.call("acme.relu", {arg(x)});
  EXPECT_EQ(cx.stats().allocations - start, 3u);
}

TEST_F(Autograd, BroadcastingIsUndone) {
  const Tensor a = parameter({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor row = parameter({3}, {1, 1, 1});
  const Tensor column = parameter({2, 1}, {1, 1});
  const Tensor scalar = parameter({}, {2});
  Tensor y = cx.call("acme.strict", {arg(a), arg(row)});
  y = cx.call("acme.mul", {arg(y), arg(column)});
  y = cx.call("acme.add", {arg(y), arg(scalar)});
  cx.backward(total(y));
  EXPECT_EQ(cx.grad_values(a), Values(6, 1.0f));
  EXPECT_EQ(cx.grad_values(row), Values(3, -4.0f));
  EXPECT_EQ(cx.grad_values(column), (Values{0, 9}));
  EXPECT_EQ(cx.grad_values(scalar), Values{6.0f});
}

TEST_F(Autograd, MatricesAndViews) {
  const Tensor a = parameter({2, 2}, {1, 2, 3, 4});
  const Tensor b = parameter({2, 2}, {5, 6, 7, 8});
  const Tensor bt = cx.call("acme.transpose", {arg(b)});
  cx.backward(total(cx.call("acme.matmul2", {arg(a), arg(bt)})));
  EXPECT_EQ(cx.grad_values(a), (Values{12, 14, 12, 14}));
  EXPECT_EQ(cx.grad_values(b), (Values{4, 6, 4, 6}));

  const Tensor x = parameter({5}, {1, 2, 3, 4, 5});
  const Tensor cut = cx.call("acme.slice", {arg(x)}, {0, 1, 2, 2});
  EXPECT_EQ(cx.values(cut), (Values{2, 4}));
  EXPECT_EQ(cx.info(cut).storage, cx.info(x).storage);
  cx.backward(total(cx.call("acme.square", {arg(cut)})));
  EXPECT_EQ(cx.grad_values(x), (Values{0, 4, 0, 8, 0}));
}

TEST_F(Autograd, AnOpWithoutRuleRecordsItsComposition) {
  const Tensor x = parameter({2}, {3, -1});
  const Tensor y = cx.call("acme.composed", {arg(x)});
  EXPECT_EQ(cx.values(y), (Values{12, 0}));
  EXPECT_STREQ(cx.info(y).node, "acme.add");
  cx.backward(total(y));
  EXPECT_EQ(cx.grad_values(x), (Values{7, -1}));
}

TEST_F(Autograd, UsesAndBackwardsAccumulate) {
  const Tensor x = parameter({2}, {3, 5});
  cx.backward(total(cx.call("acme.mul", {arg(x), arg(x)})));
  EXPECT_EQ(cx.grad_values(x), (Values{6, 10}));
  cx.backward(total(cx.call("acme.mul", {arg(x), 2.0})));
  EXPECT_EQ(cx.grad_values(x), (Values{8, 12}));
  // The root itself may be a leaf.
  const Tensor scalar = parameter({}, {1});
  cx.backward(scalar);
  cx.backward(scalar);
  EXPECT_EQ(cx.grad_values(scalar), Values{2.0f});
}

TEST_F(Autograd, GradientsOfTwoLeavesNeverShareMemory) {
  const Tensor a = parameter({2}, {1, 2});
  const Tensor b = parameter({2}, {3, 4});
  const Tensor seed = cx.floats({2}, {10, 20});
  cx.backward(cx.call("acme.add", {arg(a), arg(b)}), 0, seed.get());
  EXPECT_NE(cx.info(cx.grad(a)).storage, cx.info(cx.grad(b)).storage);
  EXPECT_NE(cx.info(cx.grad(a)).storage, cx.info(seed).storage);
  const Tensor mine = cx.floats({2}, {1, 1});
  cx.backward(a, 0, mine.get());
  EXPECT_EQ(cx.grad_values(a), (Values{11, 21}));
  EXPECT_EQ(cx.grad_values(b), (Values{10, 20}));
  EXPECT_EQ(cx.values(mine), (Values{1, 1}));
}

TEST_F(Autograd, RecordedGradientsOfTwoLeavesNeverShareMemory) {
  const Tensor a = parameter({2}, {1, 2});
  const Tensor b = parameter({2}, {3, 4});
  const Tensor seed = parameter({2}, {10, 20});
  cx.backward(cx.call("acme.add", {arg(a), arg(b)}), TENON_BACKWARD_CREATE_GRAPH, seed.get());
  EXPECT_NE(cx.info(cx.grad(a)).storage, cx.info(cx.grad(b)).storage);
  EXPECT_NE(cx.info(cx.grad(a)).storage, cx.info(seed).storage);
  EXPECT_NE(cx.info(cx.grad(a)).flags & TENON_TENSOR_REQUIRES_GRAD, 0u);
  // A leaf that seeds itself is not its own gradient.
  cx.backward(seed, TENON_BACKWARD_CREATE_GRAPH, seed.get());
  EXPECT_NE(cx.grad(seed), seed.get());
  EXPECT_EQ(cx.grad_values(seed), (Values{10, 20}));
  for (const Tensor* each : {&a, &b, &seed}) cx.clear_grad(*each);
}

TEST_F(Autograd, SeedsAndSeveralRoots) {
  const Tensor x = parameter({2}, {3, 5});
  const Tensor y = cx.call("acme.square", {arg(x)});
  const Tensor z = total(cx.call("acme.neg", {arg(x)}));
  const Tensor seed = cx.floats({2}, {1, 10});
  tenon_tensor* roots[] = {y.get(), z.get()};
  tenon_tensor* seeds[] = {seed.get(), nullptr};
  cx.must(tenon_backward_run(cx.get(), roots, seeds, 2, 0));
  EXPECT_EQ(cx.grad_values(x), (Values{5, 99}));
}

TEST_F(Autograd, NothingIsRecordedWithGradientsDisabled) {
  const Tensor x = parameter({2}, {3, 5});
  const int64_t before = cx.stats().nodes;
  {
    const NoGrad off(cx);
    const Tensor y = cx.call("acme.square", {arg(x)});
    EXPECT_EQ(cx.info(y).flags & TENON_TENSOR_REQUIRES_GRAD, 0u);
    EXPECT_NE(cx.info(y).flags & TENON_TENSOR_LEAF, 0u);
    EXPECT_EQ(cx.stats().nodes, before);
    cx.must(tenon_grad_begin(cx.get(), TENON_GRAD_ENABLED));
    const Tensor z = cx.call("acme.square", {arg(x)});
    EXPECT_NE(cx.info(z).flags & TENON_TENSOR_REQUIRES_GRAD, 0u);
    EXPECT_STREQ(cx.info(z).node, "acme.square");
    cx.must(tenon_grad_end(cx.get()));
  }
  const Tensor plain = cx.floats({2}, {1, 1});
  cx.call("acme.square", {arg(plain)});
  EXPECT_EQ(cx.stats().nodes, before);
  cx.refused(TENON_E_STATE, tenon_grad_end(cx.get()));
}

TEST_F(Autograd, DetachingEndsTheGraph) {
  const Tensor x = parameter({2}, {3, 5});
  const Tensor y = cx.call("acme.square", {arg(x)});
  const Tensor cut = cx.detached(y);
  EXPECT_EQ(cx.info(cut).flags & TENON_TENSOR_REQUIRES_GRAD, 0u);
  cx.backward(total(cx.call("acme.mul", {arg(x), arg(cut)})));
  EXPECT_EQ(cx.grad_values(x), (Values{9, 25}));
}

TEST_F(Autograd, SecondDerivatives) {
  const Tensor x = parameter({2}, {2, 3});
  // x^3 through a rule that reads its input.
  const Tensor y = total(cx.call("acme.mul", {arg(cx.call("acme.square", {arg(x)})), arg(x)}));
  const Tensor first = cx.gradient(y, x, TENON_BACKWARD_CREATE_GRAPH);
  EXPECT_EQ(cx.values(first), (Values{12, 27}));
  const Tensor second = cx.gradient(total(first), x, TENON_BACKWARD_CREATE_GRAPH);
  EXPECT_EQ(cx.values(second), (Values{12, 18}));
  EXPECT_EQ(cx.values(cx.gradient(total(second), x)), (Values{6, 6}));
  EXPECT_EQ(cx.grad(x), nullptr);
}

TEST_F(Autograd, SecondDerivativesThroughASavedOutput) {
  const Tensor x = parameter({}, {0.5});
  const Tensor y = cx.call("acme.tanh", {arg(x)});
  const Tensor first = cx.gradient(y, x, TENON_BACKWARD_CREATE_GRAPH);
  const double t = std::tanh(0.5);
  EXPECT_NEAR(cx.values(first)[0], 1 - t * t, 1e-6);
  EXPECT_NEAR(cx.values(cx.gradient(first, x))[0], -2 * t * (1 - t * t), 1e-6);
}

TEST_F(Autograd, ABackwardThatIsRecordedAddsToLeavesWithHistory) {
  const Tensor x = parameter({2}, {2, 3});
  const Tensor y = total(cx.call("acme.mul", {arg(cx.call("acme.square", {arg(x)})), arg(x)}));
  cx.backward(y, TENON_BACKWARD_CREATE_GRAPH);
  EXPECT_EQ(cx.grad_values(x), (Values{12, 27}));
  tenon_tensor* grad = cx.grad(x);
  EXPECT_NE(cx.info(grad).flags & TENON_TENSOR_REQUIRES_GRAD, 0u);
  cx.must(tenon_tensor_retain(grad));
  const Tensor first(grad);
  cx.clear_grad(x);
  cx.backward(total(first));
  EXPECT_EQ(cx.grad_values(x), (Values{12, 18}));
}

TEST_F(Autograd, GradientCallsLeaveLeavesAlone) {
  const Tensor x = parameter({2}, {2, 3});
  const Tensor w = parameter({2}, {1, 1});
  const Tensor other = parameter({2}, {1, 1});
  cx.backward(total(w));
  const Tensor y = cx.call("acme.mul", {arg(x), arg(w)});
  const Tensor z = total(cx.call("acme.square", {arg(y)}));
  std::vector<Tensor> out;
  cx.must(cx.try_gradient(z, {x.get(), y.get(), other.get(), z.get()}, 0, out));
  EXPECT_EQ(cx.values(out[0]), (Values{4, 6}));
  EXPECT_EQ(cx.values(out[1]), (Values{4, 6}));
  EXPECT_EQ(out[2], nullptr);
  EXPECT_EQ(cx.values(out[3]), Values{1.0f});
  EXPECT_EQ(cx.grad(x), nullptr);
  EXPECT_EQ(cx.grad_values(w), (Values{1, 1}));
}

TEST_F(Autograd, WritingInPlaceRebindsTheTensor) {
  const Tensor x = parameter({2}, {2, 3});
  const Tensor y = cx.call("acme.neg", {arg(x)});
  cx.apply("acme.add", {arg(y), 10.0}, {}, {y.get()});
  EXPECT_EQ(cx.values(y), (Values{8, 7}));
  EXPECT_STREQ(cx.info(y).node, "acme.add");
  cx.apply("acme.mul", {arg(y), 3.0}, {}, {y.get()});
  cx.backward(total(y));
  EXPECT_EQ(cx.grad_values(x), (Values{-3, -3}));
}

TEST_F(Autograd, GradientsOnADeviceOfOtherMemory) {
  const tenon_device far = cx.device("far");
  const auto run = [&](const tenon_device& where) {
    const Tensor a = cx.leaf(cx.on(where, cx.floats({2, 3}, {1, 2, 3, 4, 5, 6})));
    const Tensor b = cx.leaf(cx.on(where, cx.floats({3}, {0.5, -1, 2})));
    Tensor y = cx.call("acme.tanh", {arg(cx.call("acme.strict", {arg(a), arg(b)}))});
    y = cx.call("acme.matmul2", {arg(y), arg(cx.call("acme.transpose", {arg(a)}))});
    cx.backward(total(cx.call("acme.relu", {arg(y)})));
    return std::pair(cx.grad_values(a), cx.grad_values(b));
  };
  EXPECT_EQ(run(far), run(cx.device("toy")));
}

// ---- Rows ---------------------------------------------------------------------------------------

class Rows : public Autograd {
 protected:
  using Pair = std::pair<std::vector<int64_t>, Values>;
  Pair rows(const Tensor& of) {
    tenon_tensor* indices = nullptr;
    tenon_tensor* values = nullptr;
    cx.must(tenon_tensor_get_grad_rows(cx.get(), of.get(), &indices, &values));
    return {cx.values<int64_t>(indices), cx.values(values)};
  }
  Tensor take(const Tensor& from, const std::vector<int64_t>& numbers) {
    const Tensor indices = cx.tensor<int64_t>({static_cast<int64_t>(numbers.size())}, numbers);
    return cx.call("acme.take", {arg(from), arg(indices)});
  }
  Tensor table = parameter({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
};

TEST_F(Rows, AreKeptSortedAndWithoutDuplicates) {
  const Tensor y = take(table, {3, 1, 3});
  const Tensor seed = cx.floats({3, 2}, {1, 2, 10, 20, 100, 200});
  cx.backward(y, 0, seed.get());
  EXPECT_EQ(rows(table), (Pair{{1, 3}, {10, 20, 101, 202}}));
  EXPECT_NE(cx.info(table).flags & TENON_TENSOR_GRAD_ROWS, 0u);
  tenon_tensor* grad = nullptr;
  const Failure f = cx.refused(TENON_E_ROWS, tenon_tensor_get_grad(cx.get(), table.get(), &grad));
  EXPECT_THAT(f.hint, testing::HasSubstr("rows"));
  // A second backward adds to them.
  cx.backward(total(take(table, {0, 3})));
  EXPECT_EQ(rows(table), (Pair{{0, 1, 3}, {1, 1, 10, 20, 102, 203}}));
  cx.clear_grad(table);
  EXPECT_EQ(cx.info(table).flags & TENON_TENSOR_HAS_GRAD, 0u);
}

TEST_F(Rows, BecomeDenseBesideADenseGradient) {
  const Values expected = {2, 4, 6 + 1, 8 + 1, 10, 12, 14 + 2, 16 + 2};
  const Tensor dense = total(cx.call("acme.square", {arg(table)}));
  const Tensor sparse = total(take(table, {3, 1, 3}));
  // Both in one backward.
  cx.backward(cx.call("acme.add", {arg(dense), arg(sparse)}), TENON_BACKWARD_RETAIN);
  EXPECT_EQ(cx.grad_values(table), expected);
  tenon_tensor* indices = nullptr;
  tenon_tensor* values = nullptr;
  cx.refused(TENON_E_ROWS, tenon_tensor_get_grad_rows(cx.get(), table.get(), &indices, &values));
  // Rows after dense, dense after rows.
  cx.clear_grad(table);
  cx.backward(dense, TENON_BACKWARD_RETAIN);
  cx.backward(sparse, TENON_BACKWARD_RETAIN);
  EXPECT_EQ(cx.grad_values(table), expected);
  cx.clear_grad(table);
  cx.backward(sparse);
  cx.backward(dense);
  EXPECT_EQ(cx.grad_values(table), expected);
}

TEST_F(Rows, AreRefusedWhereTheGradientIsRecorded) {
  const Tensor y = total(take(table, {3, 1, 3}));
  const Failure f = cx.refused(TENON_E_GRAD, cx.try_backward(y, TENON_BACKWARD_CREATE_GRAPH));
  EXPECT_EQ(f.op, "acme.take");
  EXPECT_THAT(f.message, testing::HasSubstr("rows of a gradient"));
  EXPECT_EQ(cx.grad(table), nullptr);
}

TEST_F(Rows, OfATableThatIsNoLeafAreDense) {
  const Tensor doubled = cx.call("acme.mul", {arg(table), 2.0});
  cx.backward(total(take(doubled, {3, 1, 3})));
  EXPECT_EQ(cx.grad_values(table), (Values{0, 0, 2, 2, 0, 0, 4, 4}));
}

TEST_F(Rows, OfAGradientCallAreDense) {
  EXPECT_EQ(cx.values(cx.gradient(total(take(table, {3, 1, 3})), table)),
            (Values{0, 0, 1, 1, 0, 0, 2, 2}));
}

TEST_F(Rows, ReachAnOptimizerWithoutAnOpForThem) {
  const Optimizer sgd = cx.optimizer({table.get()}, {{"lr", Value(1.0)}});
  cx.backward(total(take(table, {3, 1, 3})));
  cx.step(sgd);
  EXPECT_EQ(cx.values(table), (Values{1, 2, 2, 3, 5, 6, 5, 6}));
}

}  // namespace
}  // namespace tenon::tests
