// SPDX-License-Identifier: Apache-2.0
// plugins/ops/reduce/linear_recurrence.cc: linear_recurrence, y_i = a_i y_{i-1} + b_i along an
// axis.
//
// y_0 = b_0, y_i = a_i y_{i-1} + b_i;  db_i = dy_i + a_{i+1} db_{i+1}, da_i = db_i y_{i-1}.
// Source: G. Blelloch, "Prefix Sums and Their Applications", 1990, section 1.4, first-order
// recurrences.
#include <algorithm>

#include "reduce/scan.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.linear_recurrence";

constexpr std::string_view doc =
    R"(The first-order linear recurrence along `axis`: `y[0] = b[0]`, `y[i] = a[i] * y[i-1] + b[i]`.
With `reverse` it begins at the axis' end: `y[i] = a[i] * y[i+1] + b[i]`. `a` and `b` have one
shape; the first `a` on the way is never read.

It is a leaky sum, a filter of first order, the state of a linear recurrent layer, and the gradient
of `tenon.cumprod`.

Gradient: `db` is the recurrence from the other end, `db[i] = dy[i] + a[i+1] * db[i+1]`; `da[i] =
db[i] * y[i-1]`, 0 at the first place.

Source: G. Blelloch, "Prefix Sums and Their Applications", 1990, section 1.4.

Canonical arithmetic: one element after another in f64, product and sum rounded by themselves, each
`y` rounded to T where it is stored, but carried on in f64.)";

enum Attribute : uint32_t { kAxis, kReverse, kAttributes };

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const auto a = args.shape(0);
  const auto b = args.shape(1);
  if (!std::ranges::equal(a, b)) {
    throw sdk::Failure{TENON_E_SHAPE, "b must have the shape of a", "b", sdk::shape_text(a),
                       sdk::shape_text(b)};
  }
  rules::axis_of(args.attrs.integer(kAxis), a.size(), "axis", "a");
  sdk::set_shape(out[0], a);
}

void vjp(sdk::Vjp& v) {
  const sdk::Value axis = v.attr(kAxis);
  const bool reverse = v.attr(kReverse).as.i64 != 0;
  const tenon_dtype dtype = v.in_meta(0).dtype;
  const auto narrowed = [&](tenon_tensor* gradient) { return rules::as(v, gradient, dtype); };
  const sdk::Value a = rules::as_f64(v, v.in(0));
  tenon_tensor* factors = rules::neighbour_before(v, a, axis.as.i64, !reverse);
  tenon_tensor* db = v.call(name, {factors, rules::as_f64(v, v.dy())}, {axis, !reverse});
  if (v.wants(1)) v.grad(1, narrowed(db));
  if (!v.wants(0)) return;
  tenon_tensor* before =
      rules::neighbour_before(v, rules::as_f64(v, v.out()), axis.as.i64, reverse);
  v.grad(0, narrowed(v.call("tenon.mul", {db, before})));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "linear_recurrence(a: T[...], b: T[...], *, axis: int, "
                       "reverse: bool=false) -> T[...] where T: float promote",
             .doc = doc,
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = sdk::bit(0), .outputs = sdk::bit(0), .input_metas = sdk::bit(0)}),
    sdk::need({.inputs = sdk::bit(0), .input_metas = sdk::bit(0)}),
};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = kAttributes})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[5], f64[5] | axis=0"),
    sdk::sample(name, "f64[2,3,4], f64[2,3,4] | axis=1"),
    sdk::sample(name, "f64[2,3,4], f64[2,3,4] | axis=-1, reverse=true"),
    sdk::sample(name, "f64[2,1,3,2], f64[2,1,3,2] | axis=2"),
    sdk::sample(name, "f32[3,67](0,1), f32[3,67](0,1) | axis=1"),
    sdk::sample(name, "f32[67,5](0,1), f32[67,5](0,1) | axis=0"),
    sdk::sample(name, "f32[11,19](0,1), f32[11,19](0,1) | axis=1, reverse=true"),
    sdk::sample(name, "f64[4,1], f64[4,1] | axis=1"),
    sdk::sample(name, "f64[0], f64[0] | axis=0"),
    sdk::sample(name, "f64[2,0,3], f64[2,0,3] | axis=2, reverse=true"),
    sdk::sample(name, "f32[3], f16[3] | axis=0"),
    sdk::sample(name, "i32[3](0,3), f32[3] | axis=0"),
    sdk::sample(name, "f32[3]{nan,3.4028235e38,2.0}, f32[3]{1e-45,1.1754944e-38,1.0} | axis=0"),
    sdk::sample(name, "f32[3]{inf,2.0,0.5}, f32[3]{3.4028235e38,0.0,0.0} | axis=0"),
    sdk::sample(name, "f64[2]{0.0,0.5}, f64[2]{1.7976931348623157e308,5e-324} | axis=0"),
    sdk::sample(name, "f16[3]{0.0,2.0,0.25}, f16[3]{60000.0,6e-8,0.0} | axis=0"),
    sdk::sample(name, "bf16[2]{0.0,2.0}, bf16[2]{3.39e38,9.2e-41} | axis=0"),
    sdk::sample(name, "f32[4]{1.0,inf,0.0,2.0}, f32[4]{1.0,0.0,nan,-inf} | axis=0"),
    sdk::refused(name, "f32[2,3], f32[3] | axis=0", TENON_E_SHAPE, "must have the shape of a"),
    sdk::refused(name, "f32[2,3], f32[2,3] | axis=2", TENON_E_ATTRIBUTE, "axis is out of range"),
    sdk::refused(name, "f32[3], f32[3]", TENON_E_ATTRIBUTE, "axis"),
    sdk::refused(name, "f32[], f32[] | axis=0", TENON_E_SHAPE, "no dimensions"),
    sdk::refused(name, "f32[3], f32[3] | axis=0, reverse=1", TENON_E_ATTRIBUTE, "reverse"),
    sdk::refused(name, "f32[3] | axis=0", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "Products and sums of f64 round at each element; those of narrower floats once more than "
    "the exact result.",
    {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 0}, .f64 = {1, 1e-14}});

}  // namespace

TENON_UNIT(linear_recurrence) = {
    .ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
