// SPDX-License-Identifier: Apache-2.0
// plugins/ops/reduce/logsumexp.cc: logsumexp, the logarithm of a sum of powers over axes.
//
// y = m + log(sum exp(x - m)), m = max x;  dx = dy * exp(x - m) / sum exp(x - m).
// Source: SciPy's `logsumexp`; PyTorch's `logsumexp`.
#include "reduce/back.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.logsumexp";

constexpr std::string_view doc =
    R"(The logarithm of the sum of powers over `axes` (none: all of them; an empty list: no axis, so
that the values stay): `y = log(sum(exp(x)))`, computed as `m + log(sum(exp(x - m)))` with `m` the
largest element, so that no power overflows. `keepdims` leaves each reduced dimension as 1. -inf
where all elements are -inf or there are none, +inf where one is +inf.

Gradient: `dx = dy * exp(x - m) / sum(exp(x - m))`, 0 where `y` is -inf.

Source: PyTorch, `logsumexp`.

Canonical arithmetic: in f32 for f16, bf16 and f32, in f64 for f64: the differences, `exp` and `log`
as in `tenon.exp` and `tenon.log`; the elements of a result, in row-major order, are one line, whose
powers are added in the order of `tenon.sum`; rounded to T at the end.)";

// x - m is not a number where m is infinite; 0 does as well there.
tenon_tensor* finite_or_0(sdk::Calls& calls, sdk::Value m) {
  return calls.call("tenon.where", {calls.call("tenon.isfinite", {m}), m, 0});
}

void compose(sdk::Compose& c) {
  const tenon_dtype dtype = c.meta(c.in(0).tensor()).dtype;
  const sdk::Value x = rules::widened(c, c.in(0));
  const tenon_meta meta = c.meta(x.tensor());
  const sdk::Value axes = c.attrs[0];
  if (rules::reduced_count(rules::shape_of(meta), axes) == 0) {
    tenon_tensor* nothing = c.call("tenon.sum", {x}, {axes, c.attrs[1]});
    c.set(0, rules::rounded_to(c, c.call("tenon.log", {nothing}), dtype));
    return;
  }
  tenon_tensor* top = finite_or_0(c, c.call("tenon.max", {x}, {axes, true}));
  tenon_tensor* powers = c.call("tenon.exp", {c.call("tenon.sub", {x, top})});
  tenon_tensor* total = c.call("tenon.log", {c.call("tenon.sum", {powers}, {axes, c.attrs[1]})});
  const tenon_meta out = c.meta(total);
  c.set(0, rules::rounded_to(
               c, c.call("tenon.add", {total, rules::reshape(c, top, rules::Dims(out))}), dtype));
}

// exp(x - m) / sum exp(x - m): of large elements y has too few digits for exp(x - y).
void vjp(sdk::Vjp& v) {
  const sdk::Value x = rules::wide(v, v.in(0));
  if (sdk::count_of(rules::shape_of(v.in_meta(0))) == 0)
    return v.grad(0, v.call("tenon.copy", {v.in(0)}));
  const sdk::Value axes = v.attr(0);
  const sdk::Value top = finite_or_0(v, v.call("tenon.max", {x}, {axes, true}));
  const sdk::Value powers = v.call("tenon.exp", {v.call("tenon.sub", {x, top})});
  const sdk::Value total = v.call("tenon.sum", {powers}, {axes, true});
  const sdk::Value dy = rules::wide(v, rules::beside_x(v, v.dy()));
  rules::set_grad(v, v.call("tenon.mul", {powers, rules::quotient_or_0(v, dy, total)}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "logsumexp(x: T[...], *, axes: int[]?, keepdims: bool=false) -> T[...] "
                       "where T: float promote",
             .doc = doc,
             .shape = TENON_SHAPE_REDUCE,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.inputs = sdk::bit(0), .input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 2})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3](-2,2)"),
    sdk::sample(name, "f64[2,3,4] | axes=[1]"),
    sdk::sample(name, "f64[2,3,4] | axes=[-1,0], keepdims=true"),
    sdk::sample(name, "f64[2,3,1,4] | axes=[1,3]"),
    sdk::sample(name, "f64[2,3](1,2) | axes=[]"),
    sdk::sample(name, "f64[](1,2) | axes=[]"),
    sdk::sample(name, "f64[](1,2)"),
    sdk::sample(name, "i32[5]"),
    sdk::sample(name, "f32[150](-4,4)"),
    sdk::sample(name, "f32[70,67](-4,4) | axes=[1]"),
    sdk::sample(name, "f32[70,9](-4,4) | axes=[0]"),
    sdk::sample(name, "f64[4,1](1,2) | axes=[1], keepdims=true"),
    sdk::sample(name, "f64[0]"),
    sdk::sample(name, "f64[2,0,3] | axes=[1]"),
    sdk::sample(name, "f64[2,0,3] | axes=[0]"),
    sdk::sample(name, "f64[2,3](-1000,1000) | axes=[1]"),
    sdk::sample(name, "f32[2,3](-1000,1000) | axes=[1]"),
    sdk::sample(name, "f32[3]{0.0,-inf,1.0}"),
    sdk::sample(name, "f32[3]{nan,0.0,1.0}"),
    sdk::sample(name, "f32[2,2]{inf,1.0,inf,-inf} | axes=[1]"),
    sdk::sample(name, "f32[2,2]{-inf,-inf,-inf,3.0} | axes=[1]"),
    sdk::sample(name, "f32[2,2]{3.4028235e38,-3.4028235e38,1e-45,1.1754944e-38} | axes=[1]"),
    sdk::sample(name,
                "f64[2,2]{1.7976931348623157e308,-1.7976931348623157e308,5e-324,"
                "2.2250738585072014e-308} | axes=[1]"),
    sdk::sample(name, "f16[2,2]{65504.0,-65504.0,6e-8,6.1035e-5} | axes=[1]"),
    sdk::sample(name, "bf16[2,2]{3.39e38,-3.39e38,9.2e-41,1.0} | axes=[1]"),
    sdk::refused(name, "f32[2,3] | axes=[2]", TENON_E_ATTRIBUTE, "axes"),
    sdk::refused(name, "f32[2,3] | axes=[0,0]", TENON_E_ATTRIBUTE, "twice"),
    sdk::refused(name, "f32[2,3] | axes=1", TENON_E_ATTRIBUTE, "axes"),
    sdk::refused(name, "f32[2,3] | keepdims=1", TENON_E_ATTRIBUTE, "keepdims"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "The sum of powers depends on its order, exp and log are the C library's, and the largest "
    "element and the logarithm may cancel.",
    {.f16 = {1, 2e-06}, .bf16 = {1, 2e-06}, .f32 = {2, 2e-06}, .f64 = {4, 4e-15}});

}  // namespace

TENON_UNIT(logsumexp) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
