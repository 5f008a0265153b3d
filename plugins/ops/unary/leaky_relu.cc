// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/leaky_relu.cc: leaky_relu, the positive part and a share of the negative one,
// element by element.
//
// y = x where x > 0, else negative_slope x;  dx = dy or negative_slope dy.
// Source: A. Maas, A. Hannun, A. Ng, "Rectifier Nonlinearities Improve Neural Network Acoustic
// Models", 2013; PyTorch's `leaky_relu`.
#include "elementwise.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace unary = tenon::unary;
constexpr std::string_view name = "tenon.leaky_relu";

constexpr std::string_view doc =
    R"(`y = x` where `x > 0`, else `negative_slope * x`.

Gradient: `dx = dy` where `x > 0`, else `negative_slope * dy`, at `x = 0` too.

Source: A. Maas, A. Hannun, A. Ng, "Rectifier Nonlinearities Improve Neural Network Acoustic
Models", 2013; PyTorch, `leaky_relu`.

Canonical arithmetic: one product in T, rounded to nearest even; for f16, bf16 and f32 it is one
of f32, to which `negative_slope` is rounded before.)";

void vjp(sdk::Vjp& v) {
  tenon_tensor* positive = v.call("tenon.lt", {0, v.in(0)});
  tenon_tensor* share = v.call("tenon.mul", {v.dy(), v.attr(0).as.f64});
  v.grad(0, v.call("tenon.where", {positive, v.dy(), share}));
}

constexpr tenon_op_desc ops[] = {unary::op(name,
                                           "leaky_relu(x: T[...], *, negative_slope: float=0.01)"
                                           " -> T[...] where T: float promote",
                                           doc)};

constexpr tenon_vjp_desc vjps[] = {unary::vjp<vjp>(name, unary::kInput, 1)};

constexpr auto samples = unary::joined(
    unary::float_samples(name, "f64[2,3](-2,2)", "f64[7](-6,6)", "f64[2,1,3,2](-2,2)",
                         "f64[](0.5,2)", "f64[1,5,1](-2,2)", "f64[7](-6,6) | negative_slope=0.2",
                         "f32[5](-3,3) | negative_slope=-0.3", "f64[4](-3,3) | negative_slope=0",
                         "f32[4] | negative_slope=2.5"),
    std::array{sdk::refused(name, "f32[2] | negative_slope=\"steep\"", TENON_E_ATTRIBUTE,
                            "negative_slope")});

}  // namespace

TENON_UNIT(leaky_relu) = {.ops = ops, .vjps = vjps, .samples = samples};
