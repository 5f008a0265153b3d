// SPDX-License-Identifier: Apache-2.0
// tests/autograd/lending_test.cc: compositions and backward rules that are lent their context and
// call the program's own functions with it.
#include <gmock/gmock.h>
#include <tenon/ext/draft/lending.h>

#include "tests/autograd/autograd_support.h"
#include "tests/support/program_plugin.h"

namespace tenon::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// acme.lent_cube: what its composition and its rule do is said by the test.
struct Lent {
  std::function<tenon_status(tenon_context*, tenon_tensor* x, tenon_tensor** out)> forward;
  std::function<tenon_status(tenon_context*, tenon_tensor* x, tenon_tensor* dy, tenon_tensor** dx)>
      backward;
  bool gives_inside = false;  // the gradient, while the context is lent
};
Lent behaviour;

const tenon_host_lending& lending(tenon_call* call) {
  return *static_cast<const tenon_host_lending*>(
      call->host->get_interface(call->host, TENON_HOST_LENDING, TENON_NUL));
}

struct Use {
  std::function<tenon_status(tenon_context*)> body;
  static tenon_status call(tenon_context* context, void* user) {
    return static_cast<Use*>(user)->body(context);
  }
};

tenon_status compose(tenon_call* call, const tenon_value* inputs, uint32_t, const tenon_value*,
                     uint32_t) {
  tenon_tensor* made = nullptr;
  Use use{[&](tenon_context* cx) { return behaviour.forward(cx, inputs[0].as.tensor, &made); }};
  tenon_status status = lending(call).lend(call, Use::call, &use);
  if (status == TENON_OK) status = call->dispatch->set_output(call, 0, made);
  tenon_tensor_release(made);
  return status;
}

tenon_status vjp(tenon_call* call, void*) {
  tenon_value x{}, dy{};
  tenon_tensor* dx = nullptr;
  call->vjp->get_input(call, 0, &x);
  call->vjp->get_output_grad(call, 0, &dy);
  Use use{[&](tenon_context* cx) {
    const tenon_status made = behaviour.backward(cx, x.as.tensor, dy.as.tensor, &dx);
    if (made != TENON_OK || !behaviour.gives_inside) return made;
    return call->vjp->set_input_grad(call, 0, 0, dx);
  }};
  tenon_status status = lending(call).lend(call, Use::call, &use);
  if (status == TENON_OK && !behaviour.gives_inside)
    status = call->vjp->set_input_grad(call, 0, 0, dx);
  tenon_tensor_release(dx);
  return status;
}

const void* get_interface(void*, const char* id, uint64_t length) {
  static program::OneOp cube(compose, vjp);
  cube.name("acme.lent_cube", "lent_cube(x: T[...]) -> T[...] where T: float");
  return cube.find({id, length});
}

tenon_status query(const tenon_host* host, tenon_plugin* out, tenon_diag*) {
  program::introduce(host, "acme.lent", out);
  out->get_interface = get_interface;
  return TENON_OK;
}

class Lending : public Autograd {
 protected:
  void SetUp() override {
    Autograd::SetUp();
    must(tenon_plugin_load(context, query));
    behaviour.gives_inside = false;
    behaviour.forward = [](tenon_context* cx, tenon_tensor* x, tenon_tensor** out) {
      return product(cx, x, x, x, out);
    };
    behaviour.backward = [](tenon_context* cx, tenon_tensor* x, tenon_tensor* dy,
                            tenon_tensor** dx) {
      tenon_tensor* square = nullptr;
      const tenon_status status = product(cx, x, x, dy, &square);
      if (status != TENON_OK) return status;
      const Tensor held(square);
      return try_call(cx, "tenon.mul", {one(square), real(3)}, dx);
    };
  }
  static tenon_status product(tenon_context* cx, tenon_tensor* a, tenon_tensor* b, tenon_tensor* c,
                              tenon_tensor** out) {
    tenon_tensor* made = nullptr;
    const tenon_status status = try_call(cx, "tenon.mul", {one(a), one(b)}, &made);
    if (status != TENON_OK) return status;
    const Tensor held(made);
    return try_call(cx, "tenon.mul", {one(made), one(c)}, out);
  }
  tenon_status try_cube(const Tensor& x, tenon_tensor** out) {
    return try_call(context, "acme.lent_cube", {one(x.get())}, out);
  }
  Tensor cube(const Tensor& x) { return call("acme.lent_cube", {one(x.get())}); }
};

TEST_F(Lending, RunsForwardAndBackward) {
  const Tensor x = leaf({1, 2});
  const Tensor y = cube(x);
  EXPECT_THAT(values_of<double>(y.get()), ElementsAre(1, 8));
  must(backward(sum(y)));
  EXPECT_THAT(grad(x), ElementsAre(3, 12));
}

TEST_F(Lending, IsRecordedUnderCreateGraph) {
  const Tensor x = leaf({2});
  const Tensor y = cube(x);
  tenon_tensor* const roots[] = {y.get()};
  tenon_tensor* const inputs[] = {x.get()};
  tenon_tensor* slope = nullptr;
  must(tenon_gradient_call(context, roots, nullptr, 1, inputs, 1, TENON_BACKWARD_CREATE_GRAPH,
                           &slope));
  const Tensor first(slope);
  must(backward(first));
  EXPECT_THAT(grad(x), ElementsAre(12));
}

TEST_F(Lending, IsCaptured) {
  const Tensor x = tensor<double>({2}, {1, 2});
  must(tenon_capture_begin(context, nullptr, 0));
  const Tensor y = cube(x);
  tenon_plan* plan = nullptr;
  must(tenon_capture_end(context, &plan));
  const double changed[] = {3, 4};
  must(tenon_tensor_set_data(context, x.get(), changed, sizeof changed));
  must(tenon_plan_run(context, plan));
  EXPECT_THAT(values_of<double>(y.get()), ElementsAre(27, 64));
  tenon_plan_release(plan);
}

TEST_F(Lending, Nests) {
  const Tensor x = tensor<double>({1}, {2});
  int depth = 0;
  behaviour.forward = [&](tenon_context* cx, tenon_tensor* at, tenon_tensor** out) {
    if (depth++ == 2) return try_call(cx, "tenon.neg", {one(at)}, out);
    return try_call(cx, "acme.lent_cube", {one(at)}, out);
  };
  EXPECT_THAT(values_of<double>(cube(x).get()), ElementsAre(-2));
}

TEST_F(Lending, LetsABackwardOfItsOwnRunInside) {
  behaviour.backward = [this](tenon_context* cx, tenon_tensor* x, tenon_tensor*,
                              tenon_tensor** dx) {
    const Tensor own = leaf(values_of<double>(x));
    must(tenon_grad_begin(cx, TENON_GRAD_ENABLED));
    must(backward(sum(times(own, own))));
    must(tenon_grad_end(cx));
    tenon_tensor* grad = nullptr;
    must(tenon_tensor_get_grad(cx, own.get(), &grad));
    return try_call(cx, "tenon.copy", {one(grad)}, dx);
  };
  const Tensor x = leaf({5});
  must(backward(sum(cube(x))));
  EXPECT_THAT(grad(x), ElementsAre(10));
}

TEST_F(Lending, GivesTheWordsOfWhatFailedInside) {
  const Tensor x = leaf({1, 2});
  behaviour.forward = [](tenon_context* cx, tenon_tensor* at, tenon_tensor** out) {
    return try_call(cx, "tenon.matmul", {one(at), one(at), one(at)}, out);
  };
  tenon_tensor* y = nullptr;
  EXPECT_THAT(refused(try_cube(x, &y), TENON_E_ARGUMENT), HasSubstr("tenon.matmul"));
  behaviour.forward = [](auto...) { return TENON_E_DATA; };
  EXPECT_THAT(refused(try_cube(x, &y), TENON_E_DATA),
              HasSubstr("acme.lent_cube: what the context was lent to has returned TENON_E_DATA"));
}

// What fails through the tenon_call inside has its words there.
TEST_F(Lending, KeepsTheWordsOfTheCall) {
  const Tensor x = leaf({1, 2});
  behaviour.gives_inside = true;
  behaviour.backward = [](tenon_context* cx, tenon_tensor* at, tenon_tensor*, tenon_tensor** dx) {
    tenon_tensor* const both[] = {at, at};
    return try_call(cx, "tenon.concat", {list(both)}, dx);
  };
  EXPECT_THAT(refused(backward(sum(cube(x))), TENON_E_VJP),
              HasSubstr("returned a gradient of the wrong shape"));
}

TEST_F(Lending, EndsWhatIsLeftOpenAndRefusesWhatWouldPullTheGroundAway) {
  const Tensor x = leaf({2});
  tenon_status capture = TENON_OK;
  behaviour.forward = [&](tenon_context* cx, tenon_tensor* at, tenon_tensor** out) {
    capture = tenon_capture_begin(cx, nullptr, 0);
    must(tenon_scope_begin(cx, "open", TENON_NUL));
    must(tenon_grad_begin(cx, TENON_GRAD_DISABLED));
    tenon_context_release(cx);
    return try_call(cx, "tenon.neg", {one(at)}, out);
  };
  const Tensor y = cube(x);
  EXPECT_EQ(capture, TENON_E_STATE);
  EXPECT_EQ(tenon_grad_end(context), TENON_E_STATE);
  EXPECT_EQ(tenon_scope_end(context), TENON_E_STATE);
}

}  // namespace
}  // namespace tenon::tests
