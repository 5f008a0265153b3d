// SPDX-License-Identifier: Apache-2.0
// tests/autograd/function_test.cc: value and gradient of functions that the program wrote.
#include <gmock/gmock.h>

#include "tests/autograd/autograd_support.h"

namespace tenon::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class FunctionCall : public Autograd {
 protected:
  tenon_status mul(tenon_tensor* a, tenon_tensor* b, tenon_tensor** out) {
    return try_call(context, "tenon.mul", {one(a), one(b)}, out);
  }
  // sum(x^3)
  Function cubes() {
    return [this](tenon_tensor* const* in, tenon_tensor** out) {
      Tensor square, cube;
      tenon_tensor* made = nullptr;
      must(mul(in[0], in[0], &made));
      square.reset(made);
      must(mul(square.get(), in[0], &made));
      cube.reset(made);
      return try_call(context, "tenon.sum", {one(cube.get())}, out);
    };
  }
  // The gradient of `of`, itself a function.
  Function gradient_of(Function of) {
    return [this, of = std::move(of)](tenon_tensor* const* in, tenon_tensor** out) {
      std::vector<Tensor> values, slopes;
      const tenon_status status = run(of, {in[0]}, 1, TENON_BACKWARD_CREATE_GRAPH, values, slopes);
      if (status != TENON_OK) return status;
      return try_call(context, "tenon.sum", {one(slopes[0].get())}, out);
    };
  }

  std::vector<Tensor> outputs, grads;
};

TEST_F(FunctionCall, GivesValueAndGradient) {
  const Tensor x = tensor<double>({2}, {1, 2});
  must(run(cubes(), {x.get()}, 1, 0, outputs, grads));
  EXPECT_THAT(values_of<double>(outputs[0].get()), ElementsAre(9));
  EXPECT_THAT(values_of<double>(grads[0].get()), ElementsAre(3, 12));
  EXPECT_THAT(refused(backward(outputs[0]), TENON_E_GRAD), HasSubstr("has no graph"));
}

TEST_F(FunctionCall, TouchesNoLeafAndDifferentiatesItsInputsAlone) {
  const Tensor w = leaf({10, 20});
  const Tensor x = leaf({1, 2});
  const Function weighted = [&](tenon_tensor* const* in, tenon_tensor** out) {
    const Tensor product = call("tenon.mul", {one(in[0]), one(w.get())});
    return try_call(context, "tenon.sum", {one(product.get())}, out);
  };
  must(run(weighted, {x.get()}, 1, 0, outputs, grads));
  EXPECT_THAT(values_of<double>(grads[0].get()), ElementsAre(10, 20));
  EXPECT_THAT(grad(w), ElementsAre());
  EXPECT_THAT(grad(x), ElementsAre());
}

TEST_F(FunctionCall, TakesSeedsForOutputsOfManyElements) {
  const Tensor x = tensor<double>({2}, {1, 2});
  const Function two = [&](tenon_tensor* const* in, tenon_tensor** out) {
    must(mul(in[0], in[0], &out[0]));
    return try_call(context, "tenon.neg", {one(in[0])}, &out[1]);
  };
  const Tensor first = tensor<double>({2}, {1, 10});
  const Tensor second = tensor<double>({2}, {100, 1000});
  tenon_tensor* const seeds[] = {first.get(), second.get()};
  must(run(two, {x.get()}, 2, 0, outputs, grads, seeds));
  EXPECT_THAT(values_of<double>(grads[0].get()), ElementsAre(2 - 100, 40 - 1000));
  EXPECT_THAT(refused(run(two, {x.get()}, 2, 0, outputs, grads), TENON_E_GRAD),
              HasSubstr("is not a scalar, so its gradient needs a seed"));
}

TEST_F(FunctionCall, NestsToAnyOrder) {
  const Tensor x = tensor<double>({2}, {1, 2});
  must(run(gradient_of(cubes()), {x.get()}, 1, 0, outputs, grads));
  EXPECT_THAT(values_of<double>(outputs[0].get()), ElementsAre(15));
  EXPECT_THAT(values_of<double>(grads[0].get()), ElementsAre(6, 12));
  must(run(gradient_of(gradient_of(cubes())), {x.get()}, 1, 0, outputs, grads));
  EXPECT_THAT(values_of<double>(outputs[0].get()), ElementsAre(18));
  EXPECT_THAT(values_of<double>(grads[0].get()), ElementsAre(6, 6));
}

TEST_F(FunctionCall, HasNoGradientForIntegersAndForWhatIsNotUsed) {
  const Tensor x = tensor<double>({1}, {3});
  const Tensor unused = tensor<double>({1}, {3});
  const Tensor whole = tensor<int64_t>({1}, {2});
  const Function scaled = [&](tenon_tensor* const* in, tenon_tensor** out) {
    return mul(in[0], in[1], out);
  };
  must(run(scaled, {x.get(), whole.get(), unused.get()}, 1, 0, outputs, grads));
  EXPECT_THAT(values_of<double>(grads[0].get()), ElementsAre(2));
  EXPECT_EQ(grads[1], nullptr);
  EXPECT_EQ(grads[2], nullptr);
}

TEST_F(FunctionCall, RecordsWhateverTheModeOutsideIsAndEndsWhatIsLeftOpen) {
  const Tensor x = tensor<double>({1}, {3});
  must(tenon_grad_begin(context, TENON_GRAD_DISABLED));
  const Function careless = [&](tenon_tensor* const* in, tenon_tensor** out) {
    must(mul(in[0], in[0], out));
    must(tenon_scope_begin(context, "open", TENON_NUL));
    return tenon_grad_begin(context, TENON_GRAD_DISABLED);
  };
  must(run(careless, {x.get()}, 1, 0, outputs, grads));
  EXPECT_THAT(values_of<double>(grads[0].get()), ElementsAre(6));
  must(tenon_grad_end(context));
  EXPECT_EQ(tenon_grad_end(context), TENON_E_STATE);
  EXPECT_EQ(tenon_scope_end(context), TENON_E_STATE);
}

TEST_F(FunctionCall, SaysWhatTheFunctionDidWrong) {
  const Tensor x = tensor<double>({1}, {3});
  const Function nothing = [](auto...) { return TENON_OK; };
  EXPECT_THAT(refused(run(nothing, {x.get()}, 1, 0, outputs, grads), TENON_E_ARGUMENT),
              HasSubstr("the function has not set output 0"));
  const Function failing = [&](tenon_tensor* const* in, tenon_tensor** out) {
    return try_call(context, "tenon.no_such", {one(in[0])}, out);
  };
  EXPECT_THAT(refused(run(failing, {x.get()}, 1, 0, outputs, grads), TENON_E_NOT_FOUND),
              HasSubstr("the function has returned TENON_E_NOT_FOUND"));
  tenon_error error{};
  error.struct_size = sizeof error;
  must(tenon_context_get_error(context, &error));
  ASSERT_EQ(error.n_causes, 1U);
  EXPECT_THAT(error.causes[0], HasSubstr("tenon.no_such"));
  const Function own = [](auto...) { return TENON_E_DATA; };
  EXPECT_THAT(refused(run(own, {x.get()}, 1, 0, outputs, grads), TENON_E_DATA),
              HasSubstr("the function has returned TENON_E_DATA"));
  must(tenon_context_get_error(context, &error));
  EXPECT_EQ(error.n_causes, 0U);
}

TEST_F(FunctionCall, RefusesWhatHasNoMeaning) {
  const Tensor x = leaf({3});
  const Function same = [&](tenon_tensor* const* in, tenon_tensor** out) {
    return mul(in[0], in[1], out);
  };
  EXPECT_THAT(refused(run(same, {x.get(), x.get()}, 1, TENON_BACKWARD_CREATE_GRAPH, outputs, grads),
                      TENON_E_ARGUMENT),
              HasSubstr("each input is given once"));
  must(run(same, {x.get(), x.get()}, 1, 0, outputs, grads));
  EXPECT_THAT(values_of<double>(grads[1].get()), ElementsAre(3));
  EXPECT_THAT(
      refused(run(same, {x.get()}, 1, TENON_BACKWARD_RETAIN, outputs, grads), TENON_E_ARGUMENT),
      HasSubstr("unknown flags"));
  must(tenon_grad_begin(context, TENON_GRAD_INFERENCE));
  EXPECT_THAT(refused(run(same, {x.get()}, 1, 0, outputs, grads), TENON_E_STATE),
              HasSubstr("inference mode"));
}

// A gradient that stops at tensors in the middle walks no further than it has to.
TEST_F(FunctionCall, WalksNoFurtherThanWhatIsAskedFor) {
  const Tensor x = leaf({3});
  const Tensor middle = times(x, x);
  const Tensor y = times(middle, middle);
  tenon_tensor* const roots[] = {y.get()};
  tenon_tensor* const inputs[] = {middle.get()};
  tenon_tensor* out = nullptr;
  must(tenon_gradient_call(context, roots, nullptr, 1, inputs, 1, 0, &out));
  const Tensor slope(out);
  EXPECT_THAT(values_of<double>(slope.get()), ElementsAre(18));
  must(backward(middle));  // what lies before it was left as it is
  EXPECT_THAT(grad(x), ElementsAre(6));
}

}  // namespace
}  // namespace tenon::tests
