// SPDX-License-Identifier: Apache-2.0
// tests/core/graph_test.cc: the recorded graph: each node once, ends without recursion, and what it
// refuses.
#include <pthread.h>
#include <tenon/sdk/plugin/plugin.hpp>

#include <fstream>
#include <functional>

#include "tests/core/support.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;
using Values = std::vector<float>;

class Graph : public Toy {
 protected:
  Tensor total(const Tensor& x) { return cx.call("acme.sum", {arg(x)}); }
  Tensor parameter(const Shape& shape, const Values& values) {
    return cx.leaf(cx.floats(shape, values));
  }
};

TEST_F(Graph, RunsEachNodeOfADiamondOnce) {
  const Tensor x = parameter({}, {1});
  Tensor y = cx.call("acme.mul", {arg(x), 1.0});
  constexpr int kLevels = 30;
  for (int i = 0; i < kLevels; ++i) {
    const Tensor left = cx.call("acme.neg", {arg(y)});
    const Tensor right = cx.call("acme.mul", {arg(y), 3.0});
    y = cx.call("acme.add", {arg(left), arg(right)});
  }
  EXPECT_EQ(cx.stats().nodes, 3 * kLevels + 1);
  const uint64_t before = cx.stats().launches;
  cx.backward(y);
  EXPECT_EQ(cx.grad_values(x), Values{static_cast<float>(1 << kLevels)});
  // A level is a negation, a product and a sum; then the first product. The seed is not a launch.
  EXPECT_EQ(cx.stats().launches - before, 3u * kLevels + 1u);
}

// ---- Size ---------------------------------------------------------------------------------------

// Runs `body` on a thread whose stack is too small for any recursion over the graph.
void on_small_stack(std::function<void()> body) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 256 * 1024), 0);
  pthread_t thread{};
  const auto run = [](void* user) -> void* {
    (*static_cast<std::function<void()>*>(user))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &body), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

class GraphFull : public Graph {
 protected:
  static constexpr int kLength = 1'000'000;
  Tensor chain(const Tensor& x) {
    Tensor y = cx.call("acme.neg", {arg(x)});
    const tenon_op* op = cx.op("acme.neg");
    for (int i = 1; i < kLength; ++i) {
      const Value input = arg(y);
      tenon_tensor* next = nullptr;
      cx.must(tenon_op_call(cx.get(), op, &input, 1, nullptr, 0, &next, 1));
      y.reset(next);
    }
    return y;
  }
};

TEST_F(GraphFull, AMillionOpsRunBackwardAndEndWithoutStack) {
  const Tensor x = parameter({}, {3});
  on_small_stack([&] {
    Tensor y = chain(x);
    EXPECT_EQ(cx.stats().nodes, kLength);
    cx.backward(y);
    y.reset();
    EXPECT_EQ(cx.stats().nodes, 0);
  });
  EXPECT_EQ(cx.grad_values(x), Values{1.0f});
}

TEST_F(GraphFull, AMillionOpsAreReleasedWithoutABackward) {
  const Tensor x = parameter({}, {3});
  on_small_stack([&] {
    Tensor y = chain(x);
    y.reset();
    EXPECT_EQ(cx.stats().nodes, 0);
    const Tensor held = chain(x);
    cx.handle.reset();
  });
  EXPECT_EQ(tenon_tensor_retain(x.get()), TENON_OK);
  tenon_tensor_release(x.get());
}

int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  int64_t pages = 0;
  int64_t resident = 0;
  file >> pages >> resident;
  return resident * 4096;
}

TEST_F(GraphFull, AThousandTrainingStepsLeaveNothingBehind) {
  const Tensor w1 = parameter({8, 16}, Values(128, 0.01f));
  const Tensor w2 = parameter({16, 4}, Values(64, 0.02f));
  const Tensor b = parameter({16}, Values(16, 0.0f));
  const Tensor x = cx.counting({32, 8});
  const Optimizer sgd = cx.optimizer({w1.get(), w2.get(), b.get()}, {{"lr", Value(1e-6)}});
  const auto step = [&] {
    Tensor y = cx.call("acme.matmul2", {arg(x), arg(w1)});
    y = cx.call("acme.relu", {arg(cx.call("acme.add", {arg(y), arg(b)}))});
    y = cx.call("acme.tanh", {arg(cx.call("acme.matmul2", {arg(y), arg(w2)}))});
    cx.backward(total(cx.call("acme.square", {arg(y)})));
    cx.step(sgd);
  };
  for (int i = 0; i < 50; ++i) step();
  const tenon_stats before = cx.stats();
  const int64_t resident = resident_bytes();
  for (int i = 0; i < 1000; ++i) step();
  const tenon_stats after = cx.stats();
  EXPECT_EQ(after.tensors, before.tensors);
  EXPECT_EQ(after.storages, before.storages);
  EXPECT_EQ(after.nodes, 0);
  EXPECT_EQ(before.nodes, 0);
  EXPECT_EQ(after.bytes_live, before.bytes_live);
  EXPECT_EQ(after.bytes_reserved, before.bytes_reserved);
  EXPECT_GT(after.launches, before.launches + 10000);
  // Sanitizers keep freed memory.
  if (TENON_SANITIZER_BUILT == TENON_SANITIZER_NONE) {
    EXPECT_LT(resident_bytes() - resident, 2 << 20);
  }
}

// ---- What it refuses ----------------------------------------------------------------------------

TEST_F(Graph, ASecondBackwardNeedsTheFirstToRetain) {
  const Tensor x = parameter({2}, {2, 3});
  const Tensor y = total(cx.call("acme.square", {arg(x)}));
  cx.backward(y, TENON_BACKWARD_RETAIN);
  cx.backward(y);
  EXPECT_EQ(cx.grad_values(x), (Values{8, 12}));
  const Failure f = cx.refused(TENON_E_GRAPH_FREED, cx.try_backward(y));
  EXPECT_EQ(f.op, "acme.sum");
  EXPECT_THAT(f.hint, HasSubstr("TENON_BACKWARD_RETAIN"));
  EXPECT_EQ(cx.grad_values(x), (Values{8, 12}));
}

TEST_F(Graph, RootsNeedAGraphAndManyElementsASeed) {
  const Tensor x = parameter({2}, {2, 3});
  const Tensor y = cx.call("acme.square", {arg(x)});
  const Failure many = cx.refused(TENON_E_GRAD, cx.try_backward(y));
  EXPECT_THAT(many.message, HasSubstr("not a scalar"));
  EXPECT_EQ(many.operand, "root 0");
  EXPECT_EQ(many.found, "f32[2]");
  const Tensor wrong = cx.floats({3}, {1, 1, 1});
  const Failure seed = cx.refused(TENON_E_SHAPE, cx.try_backward(y, 0, wrong.get()));
  EXPECT_EQ(seed.expected, "f32[2]");
  EXPECT_EQ(seed.found, "f32[3]");
  const Tensor plain = cx.floats({}, {1});
  const Failure none = cx.refused(TENON_E_GRAD, cx.try_backward(plain));
  EXPECT_THAT(none.message, HasSubstr("no graph"));
  EXPECT_EQ(cx.grad(x), nullptr);
  cx.refused(TENON_E_ARGUMENT, cx.try_backward(total(y), 64));
}

TEST_F(Graph, AnUndeclaredReadIsNamed) {
  const Tensor x = parameter({2}, {2, 3});
  const Failure f = cx.refused(TENON_E_VJP, cx.try_backward(total(cx.call("acme.nosy", {arg(x)}))));
  EXPECT_EQ(f.op, "acme.nosy");
  EXPECT_EQ(f.plugin, "acme.toy");
  EXPECT_THAT(f.message, HasSubstr("reads input 0"));
  EXPECT_EQ(f.operand, "input 0");
  EXPECT_EQ(cx.grad(x), nullptr);
}

TEST_F(Graph, AWrongGradientIsNamed) {
  const Tensor x = parameter({2}, {2, 3});
  const Failure f =
      cx.refused(TENON_E_VJP, cx.try_backward(total(cx.call("acme.badgrad", {arg(x)}))));
  EXPECT_EQ(f.op, "acme.badgrad");
  EXPECT_EQ(f.operand, "x");
  EXPECT_EQ(f.expected, "f32[2]");
  EXPECT_EQ(f.found, "f32[]");
  EXPECT_THAT(f.message, HasSubstr("wrong shape"));
  EXPECT_THAT(f.message, HasSubstr("\"x\""));
}

TEST_F(Graph, AnOpWithoutRuleIsNamed) {
  const Tensor x = parameter({2}, {2, 3});
  const Tensor y = cx.call("acme.norule", {arg(x)});
  const Failure f = cx.refused(TENON_E_GRAD, cx.try_backward(total(y)));
  EXPECT_EQ(f.op, "acme.norule");
  EXPECT_THAT(f.message, HasSubstr("no backward rule"));
}

TEST_F(Graph, ARuleThatIsNotDifferentiableIsNamed) {
  const Tensor x = parameter({2}, {2, 3});
  const Tensor y = total(cx.call("acme.once", {arg(x)}));
  const Failure f = cx.refused(TENON_E_GRAD, cx.try_backward(y, TENON_BACKWARD_CREATE_GRAPH));
  EXPECT_EQ(f.op, "acme.once");
  EXPECT_THAT(f.expected, HasSubstr("TENON_VJP_TWICE"));
}

TEST_F(Graph, AnOverwrittenSavedTensorNamesBothOpsAndScopes) {
  const Tensor x = parameter({2}, {2, 3});
  cx.begin_scope("step");
  cx.begin_scope("encoder");
  const Tensor y = cx.call("acme.mul", {arg(x), 2.0});
  const Tensor z = cx.call("acme.square", {arg(y)});
  cx.end_scope();
  cx.begin_scope("head");
  cx.apply("acme.neg", {arg(y)}, {}, {y.get()});
  cx.end_scope();
  cx.end_scope();
  const Failure f = cx.refused(TENON_E_VERSION, cx.try_backward(total(z)));
  EXPECT_EQ(f.op, "acme.square");
  EXPECT_THAT(f.message, HasSubstr("acme.square (in step/encoder)"));
  EXPECT_THAT(f.message, HasSubstr("acme.neg (in step/head)"));
  EXPECT_EQ(cx.grad(x), nullptr);
}

TEST_F(Graph, WritesByTheHostAndThroughViewsAreSeen) {
  const Tensor x = parameter({2}, {2, 3});
  const Tensor factor = cx.floats({2}, {5, 6});
  const Tensor y = cx.call("acme.mul", {arg(x), arg(factor)});
  const Tensor view = cx.view(factor, {1}, {1}, 1);
  const float one = 1;
  cx.must(tenon_tensor_set_data(cx.get(), view.get(), &one, sizeof one));
  const Failure f = cx.refused(TENON_E_VERSION, cx.try_backward(total(y)));
  EXPECT_THAT(f.message, HasSubstr("a host write"));
  // A saved output counts as well.
  const Tensor t = cx.call("acme.tanh", {arg(x)});
  {
    const NoGrad off(cx);
    cx.apply("acme.add", {arg(t), 1.0}, {}, {t.get()});
  }
  EXPECT_EQ(cx.refused(TENON_E_VERSION, cx.try_backward(total(t))).op, "acme.tanh");
}

TEST_F(Graph, WritesThatAGradientCannotFollowAreRefused) {
  const Tensor x = parameter({2}, {2, 3});
  const Tensor plain = cx.floats({2}, {1, 1});
  const Failure leaf = cx.refused(TENON_E_GRAD, cx.try_apply("acme.neg", {arg(x)}, {}, {x.get()}));
  EXPECT_THAT(leaf.message, HasSubstr("leaf"));
  EXPECT_THAT(leaf.hint, HasSubstr("TENON_GRAD_DISABLED"));
  cx.refused(TENON_E_GRAD, cx.try_apply("acme.neg", {arg(plain)}, {}, {x.get()}));
  const Failure out =
      cx.refused(TENON_E_GRAD, cx.try_apply("acme.neg", {arg(x)}, {}, {plain.get()}));
  EXPECT_THAT(out.message, HasSubstr("requires a gradient"));
  const Tensor y = cx.call("acme.neg", {arg(x)});
  const Tensor view = cx.call("acme.slice", {arg(y)}, {0, 0, 1});
  const Failure through =
      cx.refused(TENON_E_GRAD, cx.try_apply("acme.neg", {arg(view)}, {}, {view.get()}));
  EXPECT_THAT(through.message, HasSubstr("view"));
  const float data[2] = {7, 7};
  cx.refused(TENON_E_GRAD, tenon_tensor_set_data(cx.get(), x.get(), data, sizeof data));
  tenon_tensor* made = nullptr;
  const int64_t one = 1;
  cx.refused(TENON_E_GRAD, tenon_tensor_create_view(cx.get(), x.get(), 1, &one, &one, 0, &made));
  const std::initializer_list<Value> operands = {arg(x), arg(plain)};
  cx.refused(TENON_E_GRAD, tenon_op_call(cx.get(), cx.op("acme.bump"), operands.begin(), 2, nullptr,
                                         0, nullptr, 0));
  EXPECT_EQ(cx.values(x), (Values{2, 3}));
  EXPECT_EQ(cx.values(plain), (Values{1, 1}));
  const NoGrad off(cx);
  cx.apply("acme.neg", {arg(x)}, {}, {x.get()});
  EXPECT_EQ(cx.values(x), (Values{-2, -3}));
  EXPECT_NE(cx.info(x).flags & TENON_TENSOR_REQUIRES_GRAD, 0u);
}

TEST_F(Graph, AViewOfAnOverwrittenBaseIsNotDifferentiable) {
  const Tensor x = parameter({2}, {2, 3});
  const Tensor y = cx.call("acme.neg", {arg(x)});
  const Tensor view = cx.call("acme.slice", {arg(y)}, {0, 0, 1});
  cx.apply("acme.add", {arg(y), 1.0}, {}, {y.get()});
  const Failure f = cx.refused(TENON_E_VERSION, cx.try_call("acme.square", {arg(view)}));
  EXPECT_THAT(f.message, HasSubstr("acme.slice"));
  EXPECT_THAT(f.message, HasSubstr("acme.add"));
}

TEST_F(Graph, OnlyFloatLeavesCollectGradients) {
  const Tensor whole = cx.tensor<int64_t>({1}, {1});
  cx.refused(TENON_E_DTYPE, tenon_tensor_set_requires_grad(cx.get(), whole.get(), 1));
  const Tensor x = parameter({2}, {2, 3});
  const Tensor y = cx.call("acme.neg", {arg(x)});
  cx.refused(TENON_E_GRAD, tenon_tensor_set_requires_grad(cx.get(), y.get(), 1));
  tenon_tensor* grad = nullptr;
  cx.refused(TENON_E_GRAD, tenon_tensor_get_grad(cx.get(), y.get(), &grad));
  const Tensor wrong = cx.floats({3}, {1, 1, 1});
  const Failure f =
      cx.refused(TENON_E_SHAPE, tenon_tensor_set_grad(cx.get(), x.get(), wrong.get()));
  EXPECT_EQ(f.found, "f32[3] on toy:0");
  void* managed = nullptr;
  cx.refused(TENON_E_GRAD, tenon_tensor_get_dlpack(cx.get(), x.get(), &managed));
}

// ---- Contexts -----------------------------------------------------------------------------------

TEST_F(Graph, AnotherContextsGraphIsRefusedAndLeavesAreShared) {
  const Session other(runtime);
  const Tensor x = parameter({2}, {2, 3});
  const Tensor y = cx.call("acme.square", {arg(x)});
  const Failure f = other.refused(TENON_E_GRAPH_OWNER, other.try_call("acme.neg", {arg(y)}));
  EXPECT_THAT(f.found, HasSubstr("acme.square"));
  EXPECT_EQ(other.stats().nodes, 0);
  {
    const NoGrad off(other);
    EXPECT_EQ(other.values(other.call("acme.neg", {arg(y)})), (Values{-4, -9}));
  }
  other.backward(other.call("acme.sum", {arg(other.call("acme.mul", {arg(x), 3.0}))}));
  cx.backward(total(y));
  EXPECT_EQ(cx.grad_values(x), (Values{7, 9}));
}

TEST_F(Graph, TensorsOutliveTheirContextWithoutTheirGraph) {
  auto gone = std::make_unique<Session>(runtime);
  const Tensor x = parameter({2}, {2, 3});
  const Tensor y = gone->call("acme.square", {arg(x)});
  const Tensor view = gone->call("acme.slice", {arg(y)}, {0, 0, 1});
  EXPECT_STREQ(gone->info(y).node, "acme.square");
  EXPECT_STREQ(cx.info(y).node, "");  // another context's node may be on its way out
  gone.reset();
  EXPECT_EQ(cx.values(y), (Values{4, 9}));
  EXPECT_EQ(cx.values(view), Values{4.0f});
  EXPECT_EQ(cx.info(y).flags & TENON_TENSOR_REQUIRES_GRAD, 0u);
  EXPECT_NE(cx.info(y).flags & TENON_TENSOR_LEAF, 0u);
  EXPECT_STREQ(cx.info(y).node, "");
  cx.refused(TENON_E_GRAD, cx.try_backward(y));
  cx.must(tenon_tensor_set_requires_grad(cx.get(), y.get(), 1));
  cx.backward(total(cx.call("acme.square", {arg(y)})));
  EXPECT_EQ(cx.grad_values(y), (Values{8, 18}));
  EXPECT_EQ(cx.grad(x), nullptr);
}

}  // namespace
}  // namespace tenon::tests
