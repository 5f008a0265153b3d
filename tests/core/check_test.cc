// SPDX-License-Identifier: Apache-2.0
// tests/core/check_test.cc: the check modes blame the kernel that breaks its word, and no other.
#include <cmath>
#include <limits>

#include "tests/core/formulas.h"
#include "tests/core/support.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;

class CheckLayout : public testing::Test {
 protected:
  Failure refuse(const char* op, const Tensor& x) {
    const Failure f = cx.refused(TENON_E_CHECK, cx.try_call(op, {arg(x)}));
    EXPECT_EQ(f.op, op);
    EXPECT_EQ(f.plugin, "acme.toy");
    return f;
  }
  RuntimeHandle runtime = make_runtime({.check = "layout"});
  Session cx{runtime};
  Tensor base = cx.counting({40});
};

TEST_F(CheckLayout, CatchesAKernelThatIgnoresStrides) {
  const Tensor gaps = cx.view(base, {6}, {2}, 0);
  EXPECT_THAT(refuse("acme.liar", gaps).message, HasSubstr("acme.toy"));
  // Without gaps every byte it reads is one of the operand's, in the wrong order.
  refuse("acme.liar", cx.view(base, {3, 4}, {1, 3}, 0));
  refuse("acme.liar", cx.view(base, {3, 4}, {0, 1}, 0));
  refuse("acme.liar", cx.view(base, {6}, {-1}, 5));
  const Tensor plain = cx.view(base, {6}, {1}, 3);
  EXPECT_EQ(cx.values(cx.call("acme.liar", {arg(plain)})), (Values{4, 5, 6, 7, 8, 9}));
  // Its output where the memory has gaps: nothing of the caller's is touched.
  const Tensor out = cx.view(base, {6}, {3}, 1);
  const Values before = cx.values(base);
  const Failure f =
      cx.refused(TENON_E_CHECK, cx.try_apply("acme.liar", {arg(plain)}, {}, {out.get()}));
  EXPECT_EQ(f.operand, "output 0");
  EXPECT_EQ(cx.values(base), before);
}

TEST_F(CheckLayout, CatchesWhatIsNotWritten) {
  const Failure f = refuse("acme.lazy", cx.view(base, {6}, {1}, 0));
  EXPECT_THAT(f.message, HasSubstr("did not write all of"));
  EXPECT_EQ(f.operand, "output 0");
  refuse("acme.lazy", cx.view(base, {1}, {1}, 0));
}

TEST_F(CheckLayout, CatchesWritesOutside) {
  const Failure f = refuse("acme.rude", cx.view(base, {6}, {1}, 0));
  EXPECT_THAT(f.message, HasSubstr("wrote outside"));
  const Tensor x = cx.view(base, {6}, {1}, 0);
  const Failure greedy = refuse("acme.greedy", x);
  EXPECT_THAT(greedy.message, HasSubstr("wrote to input"));
  EXPECT_EQ(greedy.operand, "x");
  EXPECT_EQ(cx.values(x), (Values{1, 2, 3, 4, 5, 6}));
}

TEST_F(CheckLayout, LetsHonestKernelsPass) {
  struct Window {
    Shape strides;
    int64_t offset;
  };
  const Window windows[] = {{{4, 1}, 0},    {{4, 1}, 5}, {{1, 3}, 0}, {{9, 2}, 1},
                            {{-4, -1}, 11}, {{0, 1}, 2}, {{2, 1}, 0}};
  for (const Window& window : windows) {
    const Tensor x = cx.view(base, {3, 4}, window.strides, window.offset);
    const Values values = cx.values(x);
    for (const Unary& unary : kUnary) {
      SCOPED_TRACE(unary.op + std::string(" strides ") + std::to_string(window.strides[0]));
      EXPECT_EQ(cx.values(cx.call(unary.op, {arg(x)})), unary.formula(values));
      const Tensor out = cx.floats({64}, Values(64, 0.5f));
      const Tensor gaps = cx.view(out, {3, 4}, {16, 3}, 2);
      cx.apply(unary.op, {arg(x)}, {}, {gaps.get()});
      EXPECT_EQ(cx.values(gaps), unary.formula(values));
      EXPECT_EQ(cx.values(out)[3], 0.5f);
    }
    for (const Binary& binary : kBinary) {
      SCOPED_TRACE(binary.op);
      EXPECT_EQ(cx.values(cx.call(binary.op, {arg(x), 2.0})),
                both(values, Values(12, 2.0f), binary.formula));
    }
  }
}

TEST_F(CheckLayout, LetsATrainingStepPass) {
  cx.must(tenon_context_set_seed(cx.get(), 7, 0));
  const Shape shape = {3, 4};
  const Tensor noise = cx.call("acme.noise", {}, {ints(shape)});
  const Tensor w = cx.leaf(cx.view(cx.floats({4, 3}, Values(12, 0.5f)), {4, 3}, {1, 4}, 0));
  const Optimizer sgd = cx.optimizer({w.get()});
  const Tensor rows = cx.tensor<int64_t>({2}, {2, 2});
  Tensor y = cx.call("acme.matmul2", {arg(noise), arg(w)});
  y = cx.call("acme.sum", {arg(cx.call("acme.relu", {arg(y)}))});
  cx.backward(cx.call(
      "acme.add",
      {arg(y), arg(cx.call("acme.sum", {arg(cx.call("acme.take", {arg(w), arg(rows)}))}))}));
  cx.step(sgd);
  EXPECT_EQ(cx.values<int64_t>(cx.state(sgd, 0, "step"))[0], 1);
}

class CheckFinite : public testing::Test {
 protected:
  RuntimeHandle runtime = make_runtime({.check = "finite"});
  Session cx{runtime};
};

TEST_F(CheckFinite, NamesTheFirstOpWithANaNOrAnInfinity) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const Tensor x = cx.floats({2}, {1e30f, 2});
  EXPECT_EQ(cx.values(cx.call("acme.neg", {arg(x)})), (Values{-1e30f, -2}));
  cx.begin_scope("loss");
  const Failure f = cx.refused(TENON_E_CHECK, cx.try_call("acme.square", {arg(x)}));
  cx.end_scope();
  EXPECT_EQ(f.op, "acme.square");
  EXPECT_EQ(f.operand, "output 0");
  EXPECT_EQ(f.scope, "loss");
  EXPECT_THAT(f.message, HasSubstr("in loss"));
  const Tensor nan = cx.floats({2}, {1, std::nanf("")});
  EXPECT_EQ(cx.refused(TENON_E_CHECK, cx.try_call("acme.neg", {arg(nan)})).op, "acme.neg");
  const Tensor far = cx.on(cx.device("far"), cx.floats({1}, {1e30f}));
  EXPECT_EQ(cx.refused(TENON_E_CHECK, cx.try_call("acme.square", {arg(far)})).op, "acme.square");
  // What no op has made is not looked at.
  EXPECT_EQ(cx.values(cx.floats({1}, {kInfinity})), Values{kInfinity});
}

TEST_F(CheckFinite, LooksAtBackwardAsWell) {
  // 2 x of an x whose square is finite; the gradient that arrives is not.
  const Tensor x = cx.leaf(cx.floats({1}, {3}));
  const Tensor y = cx.call("acme.square", {arg(x)});
  const Tensor seed = cx.floats({1}, {3e38f});
  const Failure f = cx.refused(TENON_E_CHECK, cx.try_backward(y, 0, seed.get()));
  EXPECT_EQ(f.op, "acme.square");
  EXPECT_EQ(cx.grad(x), nullptr);
}

TEST(CheckModes, UnknownNamesAreRefused) {
  const std::string check = "layout,everything";
  tenon_runtime_options options{};
  options.struct_size = sizeof options;
  options.flags = TENON_RUNTIME_NO_DEFAULT_PATHS | TENON_RUNTIME_NO_ENVIRONMENT;
  options.check = {check.data(), check.size()};
  tenon_diag diag{};
  tenon_runtime* runtime = nullptr;
  EXPECT_EQ(tenon_runtime_create(&options, &diag, &runtime), TENON_E_ARGUMENT);
  EXPECT_EQ(diag.status, TENON_E_ARGUMENT);
  EXPECT_THAT(diag.message, HasSubstr("everything"));
  EXPECT_EQ(runtime, nullptr);
}

}  // namespace
}  // namespace tenon::tests
