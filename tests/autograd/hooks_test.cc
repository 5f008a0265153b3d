// SPDX-License-Identifier: Apache-2.0
// tests/autograd/hooks_test.cc: gradients seen, replaced and kept in the middle of a backward.
#include <gmock/gmock.h>
#include <tenon/ext/draft/ownership.h>

#include <atomic>
#include <thread>

#include "tests/autograd/autograd_support.h"

namespace tenon::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Hooks = Autograd;
using RetainGrad = Autograd;

TEST_F(Hooks, SeeTheGradientOfWhatAnOpMade) {
  const Tensor x = leaf({1, 2});
  const Tensor square = times(x, x);
  const Tensor y = sum(times(square, square));
  Callback& seen = noting("square");
  begin_hook(square, seen);
  must(backward(y));
  EXPECT_THAT(log, ElementsAre("square 2 8"));
  EXPECT_THAT(grad(x), ElementsAre(4, 32));
}

// What a garbage collector asks: would the tensor, and its hooks, end with this handle?
TEST_F(Hooks, OfATensorThatIsAloneEndWithIt) {
  Tensor x = leaf({1, 2});
  EXPECT_EQ(tenon_tensor_is_alone(x.get()), 1u);
  must(tenon_tensor_retain(x.get()));
  EXPECT_EQ(tenon_tensor_is_alone(x.get()), 0u);
  EXPECT_EQ(tenon_tensor_is_held_by(x.get(), 0), 0u);
  EXPECT_EQ(tenon_tensor_is_held_by(x.get(), 1), 1u);
  EXPECT_EQ(tenon_tensor_is_held_by(x.get(), 2), 0u);
  tenon_tensor_release(x.get());
  Tensor y = times(x, x);
  EXPECT_EQ(tenon_tensor_is_alone(y.get()), 1u);
  EXPECT_EQ(tenon_tensor_is_alone(x.get()), 0u) << "a backward would lead to it";
  {
    const Tensor loss = sum(y);
    EXPECT_EQ(tenon_tensor_is_alone(y.get()), 0u);
    EXPECT_EQ(tenon_tensor_is_alone(loss.get()), 1u);
    must(backward(loss));
  }
  times(x, x);  // gives up what went before
  EXPECT_EQ(tenon_tensor_is_alone(y.get()), 1u);
  EXPECT_EQ(tenon_tensor_is_alone(nullptr), 0u);
}

TEST_F(Hooks, ReplaceItForAllThatComesAfter) {
  const Tensor x = leaf({1, 2});
  const Tensor square = times(x, x);
  const Tensor y = sum(square);
  Callback& first = scaling(10);
  Callback& second = noting("second");
  begin_hook(square, first);
  begin_hook(square, second);
  must(backward(y));
  EXPECT_THAT(log, ElementsAre("second 10 10"));
  EXPECT_THAT(grad(x), ElementsAre(20, 40));
}

TEST_F(Hooks, OfALeafSeeTheSumOfThisBackwardOnce) {
  const Tensor x = leaf({1, 2});
  Callback& seen = noting("x");
  Callback& halved = scaling(0.5);
  begin_hook(x, seen);
  begin_hook(x, halved);
  for (int i = 0; i < 2; ++i) {
    const Tensor y = sum(call("tenon.add", {one(times(x, x).get()), one(x.get())}));
    must(backward(y));
  }
  EXPECT_THAT(log, ElementsAre("x 3 5", "x 3 5"));
  EXPECT_THAT(grad(x), ElementsAre(3, 5));
}

TEST_F(Hooks, OfALeafAreCalledAsSoonAsItsGradientIsComplete) {
  const Tensor first = leaf({2});
  const Tensor last = leaf({3});
  const Tensor hidden = times(first, first);
  const Tensor y = sum(times(hidden, last));
  Callback& at_first = noting("first");
  Callback& at_hidden = noting("hidden");
  Callback& at_last = noting("last");
  begin_hook(first, at_first);
  begin_hook(hidden, at_hidden);
  begin_hook(last, at_last);
  must(backward(y));
  EXPECT_THAT(log, ElementsAre("last 4", "hidden 3", "first 12"));
}

TEST_F(Hooks, AreNotCalledWithoutAGradient) {
  const Tensor x = leaf({1});
  const Tensor other = leaf({1});
  Callback& seen = noting("other");
  begin_hook(other, seen);
  const Tensor aside = times(other, other);
  must(backward(sum(times(x, x))));
  EXPECT_THAT(log, ElementsAre());
}

TEST_F(Hooks, WorkForRootsThatAreLeavesAndForFunctionalGradients) {
  const Tensor x = leaf({5});
  Callback& doubled = scaling(2);
  begin_hook(x, doubled);
  must(backward(x));
  EXPECT_THAT(grad(x), ElementsAre(2));
  const Tensor y = times(x, x);
  tenon_tensor* const roots[] = {y.get()};
  tenon_tensor* const inputs[] = {x.get()};
  tenon_tensor* out = nullptr;
  must(tenon_gradient_call(context, roots, nullptr, 1, inputs, 1, 0, &out));
  const Tensor slope(out);
  EXPECT_THAT(values_of<double>(slope.get()), ElementsAre(20));
}

TEST_F(Hooks, EndOnRequestAndWithTheirTensors) {
  Callback& seen = noting("x");
  {
    const Tensor x = leaf({1});
    const uint64_t hook = begin_hook(x, seen);
    EXPECT_NE(hook, 0U);
    must(tenon_hook_end(context, x.get(), hook));
    EXPECT_EQ(seen.released, 1);
    must(backward(sum(x)));
    EXPECT_THAT(log, ElementsAre());
    EXPECT_THAT(refused(tenon_hook_end(context, x.get(), hook), TENON_E_NOT_FOUND),
                HasSubstr("no hook " + std::to_string(hook)));
    begin_hook(x, seen);
    const Tensor square = times(x, x);
    begin_hook(square, seen);
    EXPECT_EQ(seen.released, 1);
  }
  const Tensor last = leaf({1});  // a call, so that the context lets go of dropped nodes
  EXPECT_EQ(seen.released, 3);
}

TEST_F(Hooks, MayEndThemselves) {
  const Tensor x = leaf({1});
  const Tensor square = times(x, x);
  uint64_t hook = 0;
  Callback& once = callback({});
  once.hook = [&](tenon_context* cx, tenon_tensor*, tenon_tensor**) {
    log.push_back("once");
    return tenon_hook_end(cx, square.get(), hook);
  };
  hook = begin_hook(square, once);
  const Tensor y = sum(square);
  must(backward(y, TENON_BACKWARD_RETAIN));
  must(backward(y));
  EXPECT_THAT(log, ElementsAre("once"));
}

TEST_F(Hooks, FailTheWholeBackwardAndNoLeafChanges) {
  const Tensor x = leaf({1, 2});
  const Tensor w = leaf({3, 4});
  Callback& failing = callback({});
  failing.hook = [](tenon_context* cx, tenon_tensor* gradient, tenon_tensor** out) {
    return try_call(cx, "tenon.matmul", {one(gradient), real(1)}, out);
  };
  begin_hook(x, failing);
  const std::string words = refused(backward(sum(times(x, w))), TENON_E_SHAPE);
  EXPECT_THAT(words, HasSubstr("a hook on the gradient of the leaf f64[2] has returned "
                               "TENON_E_SHAPE"));
  tenon_error error{};
  error.struct_size = sizeof error;
  must(tenon_context_get_error(context, &error));
  ASSERT_EQ(error.n_causes, 1U);
  EXPECT_THAT(error.causes[0], HasSubstr("matmul"));
  EXPECT_THAT(grad(x), ElementsAre());
  EXPECT_THAT(grad(w), ElementsAre());
}

TEST_F(Hooks, RefuseGradientsOfAnotherShapeOrDtype) {
  const Tensor x = leaf({1, 2});
  Callback& wrong = callback({});
  wrong.hook = [](tenon_context* cx, tenon_tensor* gradient, tenon_tensor** out) {
    return try_call(cx, "tenon.sum", {one(gradient)}, out);
  };
  const uint64_t hook = begin_hook(x, wrong);
  const std::string words = refused(backward(sum(times(x, x))), TENON_E_SHAPE);
  EXPECT_THAT(words, HasSubstr("a hook must return a gradient like the one of the leaf"));
  EXPECT_THAT(words, HasSubstr("f64[2]\nf64[]"));
  must(tenon_hook_end(context, x.get(), hook));
  Callback& released = callback({});
  released.hook = [](tenon_context*, tenon_tensor* gradient, tenon_tensor** out) {
    *out = reinterpret_cast<tenon_tensor*>(reinterpret_cast<char*>(gradient) + 1);  // stale
    return TENON_OK;
  };
  begin_hook(x, released);
  EXPECT_THAT(refused(backward(sum(times(x, x))), TENON_E_SHAPE), HasSubstr("no live tensor"));
}

TEST_F(Hooks, AreRefusedWhereTheyCouldNeverBeCalled) {
  const Tensor plain = tensor<double>({1}, {1});
  Callback& seen = noting("plain");
  uint64_t hook = 7;
  EXPECT_THAT(refused(tenon_hook_begin(context, plain.get(), Callback::call, &seen,
                                       Callback::release, &hook),
                      TENON_E_GRAD),
              HasSubstr("a hook is for tensors that require a gradient"));
  EXPECT_EQ(hook, 7U);
  EXPECT_EQ(seen.released, 0);
}

TEST_F(Hooks, OfACaptureAreRefused) {
  const Tensor x = leaf({1});
  Callback& seen = noting("x");
  begin_hook(x, seen);
  must(tenon_capture_begin(context, nullptr, 0));
  EXPECT_THAT(refused(backward(sum(times(x, x))), TENON_E_CAPTURE),
              HasSubstr("a replay would not call"));
  tenon_plan* plan = nullptr;
  must(tenon_capture_end(context, &plan));
  tenon_plan_release(plan);
}

TEST_F(Hooks, MayRunABackwardThroughAnotherGraphOnly) {
  const Tensor x = leaf({2});
  const Tensor y = times(x, x);
  Callback& nested = callback({});
  nested.hook = [&](tenon_context* cx, tenon_tensor*, tenon_tensor**) {
    must(tenon_grad_begin(cx, TENON_GRAD_ENABLED));
    const Tensor other = leaf({3});
    const Tensor square = times(other, other);
    tenon_tensor* const own[] = {square.get()};
    must(tenon_backward_run(cx, own, nullptr, 1, 0));
    EXPECT_THAT(grad(other), ElementsAre(6));
    tenon_tensor* const outer[] = {y.get()};
    EXPECT_THAT(refused(tenon_backward_run(cx, outer, nullptr, 1, 0), TENON_E_STATE),
                HasSubstr("a hook has started a backward through tenon.mul"));
    return TENON_OK;
  };
  begin_hook(y, nested);
  must(backward(y));
  EXPECT_THAT(grad(x), ElementsAre(4));
}

TEST_F(Hooks, CannotPullTheGroundAway) {
  const Tensor x = leaf({2});
  const Tensor y = times(x, x);
  Callback& rude = callback({});
  rude.hook = [&](tenon_context* cx, tenon_tensor*, tenon_tensor**) {
    EXPECT_EQ(tenon_plugin_deactivate(cx, "tenon.ops", TENON_NUL), TENON_E_STATE);
    EXPECT_EQ(tenon_capture_begin(cx, nullptr, 0), TENON_E_STATE);
    tenon_context_release(cx);
    EXPECT_EQ(tenon_grad_begin(cx, TENON_GRAD_ENABLED), TENON_OK);
    return tenon_scope_begin(cx, "left open", TENON_NUL);
  };
  begin_hook(y, rude);
  must(backward(y));
  EXPECT_EQ(tenon_grad_end(context), TENON_E_STATE);
  EXPECT_EQ(tenon_scope_end(context), TENON_E_STATE);
  EXPECT_THAT(grad(x), ElementsAre(4));
}

TEST_F(Hooks, AreRecordedUnderCreateGraph) {
  const Tensor x = leaf({3});
  const Tensor y = call("tenon.mul", {one(times(x, x).get()), one(x.get())});
  Callback& squared = callback({});
  squared.hook = [](tenon_context* cx, tenon_tensor* gradient, tenon_tensor** out) {
    return try_call(cx, "tenon.mul", {one(gradient), one(gradient)}, out);
  };
  begin_hook(x, squared);
  tenon_tensor* const roots[] = {y.get()};
  tenon_tensor* const inputs[] = {x.get()};
  tenon_tensor* out = nullptr;
  must(tenon_gradient_call(context, roots, nullptr, 1, inputs, 1, TENON_BACKWARD_CREATE_GRAPH,
                           &out));
  const Tensor slope(out);  // (3x^2)^2 = 9x^4
  EXPECT_THAT(values_of<double>(slope.get()), ElementsAre(729));
  // x has its hook still: without it the derivative of 9x^4 would be 36x^3 = 972.
  must(tenon_gradient_call(context, &out, nullptr, 1, inputs, 1, 0, &out));
  const Tensor second(out);
  EXPECT_THAT(values_of<double>(second.get()), ElementsAre(972.0 * 972.0));
}

TEST_F(Hooks, TenThousandAreCalledInOrder) {
  const Tensor x = leaf({1});
  const Tensor y = times(x, x);
  std::vector<int> order;
  for (int i = 0; i < 10000; ++i) {
    Callback& noted = callback([&order, i](auto...) {
      order.push_back(i);
      return TENON_OK;
    });
    begin_hook(i % 2 ? x : y, noted);
  }
  must(backward(y));
  ASSERT_EQ(order.size(), 10000U);
  for (int i = 0; i < 5000; ++i) {
    EXPECT_EQ(order[static_cast<size_t>(i)], 2 * i);
    EXPECT_EQ(order[static_cast<size_t>(5000 + i)], 2 * i + 1);
  }
}

// Contexts of their own over shared leaves, each with hooks of its own there.
using HooksThreads = Autograd;

TEST_F(HooksThreads, ContextsShareLeavesWithHooks) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 50;
  const Tensor x = leaf({1, 2});
  std::atomic<int> calls{0};
  Callback& counting = callback({});
  counting.hook = [&calls](auto...) {
    calls.fetch_add(1);
    return TENON_OK;
  };
  begin_hook(x, counting);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      tenon_context* cx = nullptr;
      ASSERT_EQ(tenon_context_create(runtime, nullptr, &cx), TENON_OK);
      for (int i = 0; i < kRounds; ++i) {
        uint64_t hook = 0;
        ASSERT_EQ(tenon_hook_begin(cx, x.get(), Callback::call, &counting, nullptr, &hook),
                  TENON_OK);
        tenon_tensor* y = nullptr;
        ASSERT_EQ(try_call(cx, "tenon.mul", {one(x.get()), one(x.get())}, &y), TENON_OK);
        tenon_tensor* total = nullptr;
        ASSERT_EQ(try_call(cx, "tenon.sum", {one(y)}, &total), TENON_OK);
        ASSERT_EQ(tenon_grad_begin(cx, i % 2 ? TENON_GRAD_DISABLED : TENON_GRAD_ENABLED), TENON_OK);
        ASSERT_EQ(tenon_backward_run(cx, &total, nullptr, 1, 0), TENON_OK);
        ASSERT_EQ(tenon_grad_end(cx), TENON_OK);
        tenon_tensor_release(total);
        tenon_tensor_release(y);
        ASSERT_EQ(tenon_hook_end(cx, x.get(), hook), TENON_OK);
      }
      tenon_context_release(cx);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(grad(x), ElementsAre(2 * kThreads * kRounds, 4 * kThreads * kRounds));
  EXPECT_GE(calls.load(), 2 * kThreads * kRounds);
}

// ---- kept gradients -----------------------------------------------------------------------------

TEST_F(RetainGrad, KeepsTheSumOfAllBackwards) {
  const Tensor x = leaf({1, 2});
  const Tensor square = times(x, x);
  must(tenon_tensor_set_retain_grad(context, square.get(), 1));
  EXPECT_THAT(grad(square), ElementsAre());
  const Tensor y = sum(times(square, square));
  must(backward(y, TENON_BACKWARD_RETAIN));
  EXPECT_THAT(grad(square), ElementsAre(2, 8));
  must(backward(y));
  EXPECT_THAT(grad(square), ElementsAre(4, 16));
  must(tenon_tensor_set_grad(context, square.get(), nullptr));
  EXPECT_THAT(grad(square), ElementsAre());
  EXPECT_THAT(grad(x), ElementsAre(8, 64));
}

TEST_F(RetainGrad, StopsAndSaysHowToStart) {
  const Tensor x = leaf({1, 2});
  const Tensor square = times(x, x);
  must(tenon_tensor_set_retain_grad(context, square.get(), 1));
  must(tenon_tensor_set_retain_grad(context, square.get(), 0));
  must(backward(sum(square)));
  tenon_tensor* found = nullptr;
  EXPECT_THAT(refused(tenon_tensor_get_grad(context, square.get(), &found), TENON_E_GRAD),
              HasSubstr("tenon_tensor_set_retain_grad keeps"));
  must(tenon_tensor_set_retain_grad(context, x.get(), 0));
  EXPECT_THAT(grad(x), ElementsAre(2, 4));
  const Tensor plain = tensor<double>({1}, {1});
  EXPECT_THAT(refused(tenon_tensor_set_retain_grad(context, plain.get(), 1), TENON_E_GRAD),
              HasSubstr("retain_grad is for tensors that require a gradient"));
}

TEST_F(RetainGrad, ComesAfterHooks) {
  const Tensor x = leaf({1});
  const Tensor square = times(x, x);
  Callback& doubled = scaling(2);
  must(tenon_tensor_set_retain_grad(context, square.get(), 1));
  begin_hook(square, doubled);
  must(backward(sum(square)));
  EXPECT_THAT(grad(square), ElementsAre(2));
}

// ---- inference ----------------------------------------------------------------------------------

using Inference = Autograd;

TEST_F(Inference, NothingInsideRecords) {
  const Tensor x = leaf({1});
  must(tenon_grad_begin(context, TENON_GRAD_INFERENCE));
  must(tenon_grad_begin(context, TENON_GRAD_ENABLED));
  const Tensor y = times(x, x);
  EXPECT_THAT(refused(backward(y), TENON_E_STATE), HasSubstr("inference mode"));
  must(tenon_grad_end(context));
  must(tenon_grad_end(context));
  EXPECT_THAT(refused(backward(y), TENON_E_GRAD), HasSubstr("has no graph"));
  must(backward(times(x, x)));
  EXPECT_THAT(grad(x), ElementsAre(2));
}

}  // namespace
}  // namespace tenon::tests
