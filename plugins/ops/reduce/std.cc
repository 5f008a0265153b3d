// SPDX-License-Identifier: Apache-2.0
// plugins/ops/reduce/std.cc: std, the standard deviation over some or all axes.
//
// y = sqrt(sum (x - m)^2 / (n - correction)), m = mean x;
// dx = dy (x - m) / (y (n - correction)), 0 where y = 0. Source: array-api `std`.
#include "reduce/variance.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.std";

constexpr std::string_view doc =
    R"(The standard deviation over `axes`: the square root of `tenon.var`, whose attributes it has.

Gradient: `dx = dy * (x - m) / (y * (n - correction))`; where the deviation `y` is 0 the slope is
taken as 0.

Source: Python array API standard, `std`, but for the default of `correction`, which is PyTorch's;
gradient as in PyTorch `tools/autograd/FunctionsManual.cpp`, `std_backward`.

Canonical arithmetic: as of `tenon.var`, with the square root taken in f64 before the one rounding
to T.)";

void compose(sdk::Compose& c) {
  const tenon_dtype dtype = c.meta(c.in(0).tensor()).dtype;
  tenon_tensor* root = c.call("tenon.sqrt", {rules::composed_variance(c)});
  c.set(0, rules::rounded_to(c, root, dtype));
}

void vjp(sdk::Vjp& v) {
  const sdk::Value dy = rules::beside_x(v, v.dy());
  rules::set_variance_grad(v, rules::quotient_or_0(v, dy, rules::beside_x(v, v.out())), 1.0);
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "std(x: T[...], *, axes: int[]?, keepdims: bool=false, "
                       "correction: float=1.0) -> T[...] where T: float",
             .doc = doc,
             .shape = TENON_SHAPE_REDUCE,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = sdk::bit(0), .outputs = sdk::bit(0), .input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp(
    {.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = rules::kVarAttributes})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3]"),
    sdk::sample(name, "f64[2,3,4] | axes=[1]"),
    sdk::sample(name, "f64[2,3,4] | axes=[-1,0], keepdims=true, correction=0.0"),
    sdk::sample(name, "f64[2,3,1,4] | axes=[1,3], correction=1.5"),
    sdk::sample(name, "f64[2,3] | axes=[]"),
    sdk::sample(name, "f64[2,3] | axes=[], correction=0.0"),
    sdk::sample(name, "f64[] | correction=-1.0"),
    sdk::sample(name, "f64[]"),
    sdk::sample(name, "f64[2,3] | axes=[1], correction=4.0"),
    sdk::sample(name, "f32[150](0,1)"),
    sdk::sample(name, "f32[70,67](0,1) | axes=[1]"),
    sdk::sample(name, "f32[70,9](3,4) | axes=[0]"),
    sdk::sample(name, "f64[4,1] | axes=[1], keepdims=true"),
    sdk::sample(name, "f64[0]"),
    sdk::sample(name, "f64[2,0,3] | axes=[1]"),
    sdk::sample(name, "f64[2,0,3] | axes=[0]"),
    sdk::sample(name, "f32[4]{16777216.0,16777218.0,16777220.0,16777218.0}"),
    sdk::sample(name, "f16[4]{60000.0,60032.0,-60000.0,1.0}"),
    sdk::sample(name, "f32[3]{2.5,2.5,2.5}"),
    sdk::sample(name, "f32[3]{1e19,1e-45,-1e19}"),
    sdk::sample(name, "f32[2]{3.4028235e38,-3.4028235e38}"),
    sdk::sample(name, "f64[2]{1e150,5e-324}"),
    sdk::sample(name, "f16[2]{6e-8,6.1035e-5}"),
    sdk::sample(name, "bf16[3]{1e18,9.2e-41,1.0}"),
    sdk::sample(name, "f32[3]{inf,-inf,1.0}"),
    sdk::sample(name, "f32[2,2]{nan,1.0,-inf,1.0} | axes=[1]"),
    sdk::refused(name, "f32[2,3] | axes=[2]", TENON_E_ATTRIBUTE, "axes"),
    sdk::refused(name, "f32[2,3] | axes=[0,0]", TENON_E_ATTRIBUTE, "twice"),
    sdk::refused(name, "f32[2,3] | axes=1", TENON_E_ATTRIBUTE, "axes"),
    sdk::refused(name, "f32[2,3] | keepdims=1", TENON_E_ATTRIBUTE, "keepdims"),
    sdk::refused(name, "f32[2,3] | correction=true", TENON_E_ATTRIBUTE, "correction"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "i32[3]", TENON_E_DTYPE, "i32"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "Kernels sum squares in f64, in one order or another; the composition in T, f32 at least, "
    "where the mean is rounded as well.",
    {.f16 = {1, 2e-06}, .bf16 = {1, 2e-06}, .f32 = {1, 2e-06}, .f64 = {1, 4e-15}});

}  // namespace

TENON_UNIT(std) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
