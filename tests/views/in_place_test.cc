// SPDX-License-Identifier: Apache-2.0
// tests/views/in_place_test.cc: writes into given outputs while gradients are recorded: which are
// refused and with what words, and that the others have the gradients of the same calls with new
// outputs.
#include <cmath>
#include <set>

#include "tests/views/view_steps.h"
#include "tests/views/views_support.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using Doubles = std::vector<double>;

class InPlace : public Shipped {
 protected:
  Tensor doubles(const Doubles& values) const {
    return cx.tensor<double>({static_cast<int64_t>(values.size())}, values);
  }
  Tensor parameter(const Doubles& values) const { return cx.leaf(doubles(values)); }
  Tensor view_of(const Tensor& x, const Step& step) const {
    const Value input = arg(x);
    tenon_tensor* made = nullptr;
    cx.must(tenon_op_call(cx.get(), cx.op(step.op), &input, 1, step.attrs.data(),
                          static_cast<uint32_t>(step.attrs.size()), &made, 1));
    return Tensor(made);
  }
  tenon_status negate_in_place(const Tensor& x) const {
    return cx.try_apply("tenon.neg", {arg(x)}, {}, {x.get()});
  }
  // d sum(y) / dx
  Doubles slope(const Tensor& y, const Tensor& x) const {
    const Tensor total = cx.call("tenon.sum", {arg(y)});
    return cx.values<double>(cx.gradient(total, x));
  }
  void expect_unchanged(const Tensor& x, const Doubles& values, uint64_t version) const {
    EXPECT_EQ(cx.values<double>(x), values);
    EXPECT_EQ(cx.info(x).version, version);
  }
};

TEST_F(InPlace, LeavesThatRequireAGradientAreRefused) {
  const Tensor x = parameter({1, 2});
  const Tensor plain = doubles({5, 6});
  const uint64_t version = cx.info(x).version;
  // From itself, and from what wants no gradient.
  for (const Tensor* source : {&x, &plain}) {
    const Failure failure =
        cx.refused(TENON_E_GRAD, cx.try_apply("tenon.neg", {arg(*source)}, {}, {x.get()}));
    EXPECT_THAT(failure.message, StartsWith("tenon.neg: "));
    EXPECT_THAT(failure.message, HasSubstr("is a leaf that requires a gradient"));
    EXPECT_EQ(failure.operand, "out");
    EXPECT_THAT(failure.expected, HasSubstr("not a leaf"));
    EXPECT_THAT(failure.found, HasSubstr("f64[2]"));
    EXPECT_THAT(failure.hint, HasSubstr("TENON_GRAD_DISABLED"));
    expect_unchanged(x, {1, 2}, version);
  }
  const NoGrad off(cx);
  cx.must(negate_in_place(x));
  EXPECT_EQ(cx.values<double>(x), (Doubles{-1, -2}));
  EXPECT_GT(cx.info(x).version, version);
  EXPECT_NE(cx.info(x).flags & TENON_TENSOR_LEAF, 0u);
  EXPECT_NE(cx.info(x).flags & TENON_TENSOR_REQUIRES_GRAD, 0u);
}

// Every view op, on a leaf and on what an op made.
TEST_F(InPlace, ViewsThatAGradientFlowsThroughAreRefused) {
  const uint64_t seed = fresh_seed();
  Random random(seed);
  const Shape shape = {2, 1, 3};
  for (const auto& [op, make] : view_steps()) {
    Step step;
    do {
      step = Step();
      step.op = op;
    } while (!make(random, shape, step) || step.from.empty() ||
             std::set<int64_t>(step.from.begin(), step.from.end()).size() < step.from.size());
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + op + step.text);
    const Tensor x = cx.leaf(cx.counting<double>(shape));
    const Tensor made = cx.call("tenon.neg", {arg(x)});
    for (const Tensor* base : {&x, &made}) {
      const Tensor view = view_of(*base, step);
      ASSERT_EQ(cx.info(view).storage, cx.info(*base).storage);
      const uint64_t version = cx.info(*base).version;
      const Doubles before = cx.values<double>(*base);
      const Failure failure = cx.refused(TENON_E_GRAD, negate_in_place(view));
      EXPECT_THAT(failure.message, HasSubstr("is a view that a gradient flows through"));
      EXPECT_EQ(failure.operand, "out");
      EXPECT_EQ(failure.expected, "a tensor with memory of its own");
      EXPECT_EQ(failure.hint, "write to a copy, or detach it");
      expect_unchanged(*base, before, version);
      // What the hint says.
      const Tensor copy = cx.call("tenon.copy", {arg(view)});
      cx.must(negate_in_place(copy));
      expect_unchanged(*base, before, version);
      cx.must(negate_in_place(cx.detached(view)));
      EXPECT_GT(cx.info(*base).version, version);
      EXPECT_NE(cx.values<double>(*base), before);
    }
  }
}

TEST_F(InPlace, ViewsOfWhatWasOverwrittenAreNotDifferentiated) {
  const Tensor x = parameter({1, 2, 3});
  const Tensor view = cx.call("tenon.flip", {arg(x)});
  {
    const NoGrad off(cx);
    cx.must(negate_in_place(x));
  }
  const Failure failure = cx.refused(TENON_E_VERSION, cx.try_call("tenon.neg", {arg(view)}));
  EXPECT_THAT(failure.message, HasSubstr("its base was overwritten by tenon.neg"));
  EXPECT_EQ(slope(cx.call("tenon.flip", {arg(x)}), x), (Doubles{1, 1, 1}));
}

// What arrives at the leaf is a view of the caller's own memory, and more is added to it later.
TEST_F(InPlace, GradientsThatTheCallerGaveStayAsTheyAre) {
  const Tensor x = cx.leaf(cx.tensor<double>({2, 2}, {1, 2, 3, 4}));
  const Tensor given = cx.tensor<double>({2, 2}, {1, 2, 3, 4});
  for (int i = 0; i < 2; ++i) {
    const Tensor turned = cx.call("tenon.transpose", {arg(x)});
    tenon_tensor* const roots[] = {turned.get()};
    tenon_tensor* const grads[] = {given.get()};
    cx.must(tenon_backward_run(cx.get(), roots, grads, 1, 0));
  }
  EXPECT_EQ(cx.values<double>(given), (Doubles{1, 2, 3, 4}));
  tenon_tensor* grad = nullptr;
  cx.must(tenon_tensor_get_grad(cx.get(), x.get(), &grad));
  tenon_tensor_retain(grad);
  EXPECT_EQ(cx.values<double>(Tensor(grad)), (Doubles{2, 6, 4, 8}));
}

TEST_F(InPlace, OutputsThatOverlapThemselvesAreRefused) {
  const Tensor plain = doubles({1, 2});
  const Tensor x = parameter({1, 2});
  const Shape wide = {3, 2};
  for (const Tensor* base : {&plain, &x}) {
    const Tensor expanded = cx.call("tenon.expand", {arg(*base)}, {ints(wide)});
    const Tensor windows = cx.call("tenon.unfold", {arg(expanded)}, {1, 1, 1});
    for (const Tensor* view : {&expanded, &windows}) {
      const Failure failure = cx.refused(TENON_E_ALIAS, negate_in_place(*view));
      EXPECT_THAT(failure.message, HasSubstr("overlaps itself"));
      EXPECT_EQ(failure.operand, "out");
      EXPECT_EQ(failure.expected, "one address for each element");
      EXPECT_THAT(failure.found, HasSubstr(sdk::shape_text(cx.strides(view->get()))));
    }
    EXPECT_EQ(cx.values<double>(*base), (Doubles{1, 2}));
  }
}

// The composition gives a view of its input, and what is written lies over that.
TEST_F(InPlace, CompositionsWriteOverTheirInputAsIfItHadBeenReadBefore) {
  for (int64_t first = 0; first <= 10; ++first) {
    SCOPED_TRACE("from " + std::to_string(first));
    const Tensor base = doubles({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13});
    const Tensor x = cx.view(base, {2, 2}, {4, 2}, 3);
    const Tensor out = cx.view(base, {4}, {1}, first);
    cx.apply("tenon.flatten", {arg(x)}, {}, {out.get()});
    EXPECT_EQ(cx.values<double>(out), (Doubles{3, 5, 7, 9}));
  }
}

TEST_F(InPlace, OtherOutputsAreRefusedWhileAGradientIsWanted) {
  const Tensor x = parameter({1, 2});
  const Tensor plain = doubles({5, 6});
  const Tensor part = cx.call("tenon.flip", {arg(plain)});
  const Tensor made = cx.call("tenon.neg", {arg(x)});
  const auto refuse = [&](const Tensor& input, const Tensor& out) {
    const Failure failure =
        cx.refused(TENON_E_GRAD, cx.try_apply("tenon.exp", {arg(input)}, {}, {out.get()}));
    EXPECT_THAT(failure.message, HasSubstr("is given while an input requires a gradient"));
    EXPECT_THAT(failure.expected, HasSubstr("in place"));
    EXPECT_THAT(failure.hint, HasSubstr("tenon_op_call"));
  };
  refuse(x, plain);
  refuse(x, part);
  refuse(x, made);
  refuse(plain, made);  // its gradient would be lost
  EXPECT_EQ(cx.values<double>(plain), (Doubles{5, 6}));
  EXPECT_EQ(cx.values<double>(made), (Doubles{-1, -2}));
  const NoGrad off(cx);
  cx.apply("tenon.neg", {arg(x)}, {}, {part.get()});
  EXPECT_EQ(cx.values<double>(plain), (Doubles{-2, -1}));
}

TEST_F(InPlace, GradientsAreThoseOfNewOutputs) {
  const Tensor x = parameter({0.5, -1.5, 2});
  const Tensor weights = doubles({2, 3, -1});
  const auto chain = [&](const auto& next) {
    Tensor y = cx.call("tenon.mul", {arg(x), arg(weights)});
    next("tenon.add", y, {arg(y), 0.25});
    next("tenon.mul", y, {arg(weights), arg(y)});  // saves the other operand
    next("tenon.neg", y, {arg(y)});
    next("tenon.tanh", y, {arg(y)});  // saves its output, so nothing may follow
    return y;
  };
  const Tensor anew = chain([&](const char* op, Tensor& y, std::initializer_list<Value> inputs) {
    y = cx.call(op, inputs);
  });
  const Tensor in_place =
      chain([&](const char* op, Tensor& y, std::initializer_list<Value> inputs) {
        const uint64_t version = cx.info(y).version;
        cx.apply(op, inputs, {}, {y.get()});
        EXPECT_GT(cx.info(y).version, version);
        EXPECT_STREQ(cx.info(y).node, op);
      });
  EXPECT_EQ(cx.values<double>(in_place), cx.values<double>(anew));
  EXPECT_EQ(slope(in_place, x), slope(anew, x));
}

TEST_F(InPlace, TheGradientOfTheGradientIsThatOfNewOutputs) {
  const Tensor x = parameter({0.5, -1});
  const Tensor y = cx.call("tenon.mul", {arg(x), arg(x)});
  cx.apply("tenon.exp", {arg(y)}, {}, {y.get()});
  const Tensor first = cx.gradient(cx.call("tenon.sum", {arg(y)}), x, TENON_BACKWARD_CREATE_GRAPH);
  const Doubles second = slope(first, x);
  const Doubles at = {0.5, -1};
  for (size_t i = 0; i < at.size(); ++i) {
    const double square = at[i] * at[i];
    EXPECT_NEAR(second[i], (2 + 4 * square) * std::exp(square), 1e-12);
  }
}

TEST_F(InPlace, AnOpThatOverwritesWhatItSavesIsNamedByBackward) {
  const Tensor x = parameter({0.5, 1});
  const Tensor y = cx.call("tenon.neg", {arg(x)});
  cx.apply("tenon.sin", {arg(y)}, {}, {y.get()});
  const Tensor total = cx.call("tenon.sum", {arg(y)});
  const Failure failure = cx.refused(TENON_E_VERSION, cx.try_backward(total));
  EXPECT_EQ(failure.op, "tenon.sin");
  EXPECT_THAT(failure.message, HasSubstr("overwritten by tenon.sin"));
}

TEST_F(InPlace, WritesThroughViewsReachWhatWasSaved) {
  const Tensor x = parameter({0.5, 1, 2, 3});
  const Tensor total = cx.call("tenon.sum", {arg(cx.call("tenon.sin", {arg(x)}))});
  {
    const NoGrad off(cx);
    const Tensor half = cx.call("tenon.chunk", {arg(x)}, {2, 1});
    const Tensor turned = cx.call("tenon.flip", {arg(half)});
    cx.must(negate_in_place(turned));
  }
  EXPECT_EQ(cx.values<double>(x), (Doubles{0.5, 1, -2, -3}));
  const Failure failure = cx.refused(TENON_E_VERSION, cx.try_backward(total));
  EXPECT_EQ(failure.op, "tenon.sin");
  EXPECT_THAT(failure.message, HasSubstr("overwritten by tenon.neg"));
}

TEST_F(InPlace, OperandsThatAnOpWritesFollowTheSameRules) {
  const Tensor table = cx.leaf(cx.counting<double>({3, 2}));
  const Tensor rows = cx.tensor<int64_t>({1}, {1});
  const Tensor values = cx.counting<double>({1, 2});
  const auto add_rows = [&] {
    const Value inputs[] = {arg(table), arg(rows), arg(values)};
    return tenon_op_call(cx.get(), cx.op("tenon.rows_add"), inputs, 3, nullptr, 0, nullptr, 0);
  };
  const uint64_t version = cx.info(table).version;
  const Failure failure = cx.refused(TENON_E_GRAD, add_rows());
  EXPECT_THAT(failure.message, HasSubstr("is written while it requires a gradient"));
  EXPECT_EQ(failure.operand, "x");
  EXPECT_THAT(failure.hint, HasSubstr("TENON_GRAD_DISABLED"));
  expect_unchanged(table, {1, 2, 3, 4, 5, 6}, version);
  const NoGrad off(cx);
  cx.must(add_rows());
  EXPECT_EQ(cx.values<double>(table), (Doubles{1, 2, 4, 6, 5, 6}));
  EXPECT_GT(cx.info(table).version, version);
}

}  // namespace
}  // namespace tenon::tests
