// SPDX-License-Identifier: Apache-2.0
// plugins/ops/reduce/norm.cc: norm, the p-norm of vectors that lie along some or all axes.
//
// y = (sum |x|^p)^(1/p);  dx = dy sign(x) (|x| / y)^(p-1), 0 where x or y is 0.
// Source: array-api `linalg.vector_norm`; gradient as PyTorch's `norm_backward`.
#include <cmath>

#include "reduce/back.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.norm";

constexpr std::string_view doc =
    R"(The vector norm over `axes` (none: all of them; an empty list: no axis, so that each element
is a vector by itself): `y = (sum |x|^ord)^(1/ord)`. With `ord` inf it is the largest `|x|`, with
-inf the smallest, with 0 how many elements are not 0. `keepdims` leaves each reduced dimension as
1. The norm of nothing is 0; with `ord` below 0 or inf it is refused.

Gradient: `dx = dy * sign(x) * (|x| / y)^(ord - 1)`, computed in f64, taken as 0 where `x` or `y` is
0. With `ord` inf or -inf `dy` is shared equally among the elements that attain the norm; with 0 it
is 0.

Source: Python array API standard, `linalg.vector_norm`; gradient as in PyTorch
`torch/csrc/autograd/FunctionsManual.cpp`, `norm_backward`.

Canonical arithmetic: in f64: with `ord` 2 and 1 the sum of `x * x` or `|x|`, in the order of
`tenon.prod`, with lanes that start at 0, then the root; with inf, -inf and 0 exact; with any other
`ord` the C library's `pow`, within its error. Rounded once to T.)";

enum Attribute : uint32_t { kAxes, kKeepdims, kOrd, kAttributes };

double order(const tenon_value& value) { return sdk::Attrs::number(value); }

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const std::span<const int64_t> shape = args.shape(0);
  const double ord = args.attrs.real(kOrd);
  if (std::isnan(ord)) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "ord is not a number", "ord", "a number, inf or -inf",
                       "nan"};
  }
  const auto reduced = rules::reduced_axes(args.attrs[kAxes], shape.size());
  rules::Dims result;
  bool nothing = false;
  for (size_t i = 0; i < shape.size(); ++i) {
    nothing = nothing || (reduced[i] && shape[i] == 0);
    if (!reduced[i]) result.push(shape[i]);
    if (reduced[i] && args.attrs.flag(kKeepdims)) result.push(1);
  }
  if (nothing && (ord < 0 || std::isinf(ord))) {
    throw sdk::Failure{TENON_E_SHAPE,
                       "vectors of no elements have no norm of this order",
                       "x",
                       "a size of 1 or more along each reduced axis",
                       sdk::shape_text(shape),
                       "of finite orders of 0 or more the norm of nothing is 0"};
  }
  sdk::set_shape(out[0], result.span());
}

// y where x > 0, -y where x < 0, 0 where x is 0; y = x gives |x|.
tenon_tensor* with_sign_of(sdk::Vjp& v, sdk::Value y, sdk::Value x) {
  tenon_tensor* signed_y =
      v.call("tenon.where", {v.call("tenon.lt", {x, 0}), v.call("tenon.neg", {y}), y});
  return v.call("tenon.where", {v.call("tenon.eq", {x, 0}), 0, signed_y});
}

// dy shared among the elements whose magnitude is the norm; NaN if that is a NaN.
tenon_tensor* shared(sdk::Vjp& v, sdk::Value magnitude, sdk::Value y, sdk::Value dy) {
  tenon_tensor* attained = v.call("tenon.eq", {magnitude, y});
  const tenon_dtype dtype = v.meta(dy.tensor()).dtype;
  tenon_tensor* ones = v.call("tenon.cast", {attained}, {sdk::Value::dtype(dtype)});
  tenon_tensor* count = v.call("tenon.sum", {ones}, {v.attr(kAxes), true});
  return v.call("tenon.div", {v.call("tenon.where", {attained, dy, 0}), count});
}

// No number of elements that are not 0 changes with their values.
void set_no_slope(sdk::Vjp& v) {
  const tenon_meta meta = v.in_meta(0);
  v.grad(0,
         v.call("tenon.full", {}, {rules::Dims(meta).value(), 0.0, sdk::Value::dtype(meta.dtype)}));
}

void vjp(sdk::Vjp& v) {
  const double ord = order(v.attr(kOrd));
  if (ord == 0) return set_no_slope(v);
  const sdk::Value x = rules::as_f64(v, v.in(0));
  const sdk::Value dy = rules::as_f64(v, rules::beside_x(v, v.dy()));
  if (ord == 1) return rules::set_grad(v, with_sign_of(v, dy, x));
  // The norm again, since that of narrower floats is rounded, and may have left their range.
  const sdk::Value y = v.call(name, {x}, {v.attr(kAxes), true, ord});
  if (ord == 2) {
    return rules::set_grad(v, v.call("tenon.mul", {x, rules::quotient_or_0(v, dy, y)}));
  }
  tenon_tensor* magnitude = with_sign_of(v, x, x);
  if (std::isinf(ord)) {
    return rules::set_grad(v, with_sign_of(v, shared(v, magnitude, y, dy), x));
  }
  // Where either is 0, a quotient of 1 keeps the power finite, and its sign is 0.
  tenon_tensor* quotient = rules::quotient_or_0(v, magnitude, y);
  tenon_tensor* zero = v.call("tenon.eq", {quotient, 0});
  tenon_tensor* slope =
      v.call("tenon.pow", {v.call("tenon.where", {zero, 1, quotient}), ord - 1.0});
  slope = v.call("tenon.where", {zero, 0, v.call("tenon.mul", {slope, dy})});
  rules::set_grad(v, with_sign_of(v, slope, x));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "norm(x: T[...], *, axes: int[]?, keepdims: bool=false, ord: float=2.0) -> "
                       "T[...] where T: float",
             .doc = doc,
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.inputs = sdk::bit(0), .input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = kAttributes})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3](0.5,2)"),
    sdk::sample(name, "f64[2,3,4] | axes=[1]"),
    sdk::sample(name, "f64[2,3,4] | axes=[-1,0], keepdims=true, ord=1.0"),
    sdk::sample(name, "f64[2,3,1,4] | axes=[1,3], ord=3.0"),
    sdk::sample(name, "f64[2,3,4] | axes=[1], ord=inf"),
    sdk::sample(name, "f64[2,3,4] | axes=[2], ord=-inf"),
    sdk::sample(name, "f64[2,3] | axes=[0], ord=0.0"),
    sdk::sample(name, "f64[7](-2,2) | ord=2.5"),
    sdk::sample(name, "f64[7](-2,2) | ord=0.5"),
    sdk::sample(name, "f64[7](0.5,2) | ord=-1.0"),
    sdk::sample(name, "f64[2,3] | axes=[]"),
    sdk::sample(name, "f64[] | axes=[], ord=3.0"),
    sdk::sample(name, "f64[]"),
    sdk::sample(name, "f32[150](-1,1)"),
    sdk::sample(name, "f32[70,67](-1,1) | axes=[1]"),
    sdk::sample(name, "f32[70,9](-1,1) | axes=[0], ord=1.0"),
    sdk::sample(name, "f64[4,1] | axes=[1], keepdims=true"),
    sdk::sample(name, "f64[0]"),
    sdk::sample(name, "f64[2,0,3] | axes=[1], ord=3.0"),
    sdk::sample(name, "f64[2,0,3] | axes=[0], ord=inf"),
    sdk::sample(name, "f32[2,3]{0.0,0.0,-0.0,0.0,3.0,-4.0} | axes=[1]"),
    sdk::sample(name, "f32[2,3]{0.0,0.0,-0.0,0.0,3.0,-4.0} | axes=[1], ord=3.0"),
    sdk::sample(name, "f32[2,3]{0.0,0.0,-0.0,0.0,3.0,-4.0} | axes=[1], ord=-2.0"),
    sdk::sample(name, "f32[2,3]{2.0,-2.0,1.0,0.0,nan,-4.0} | axes=[1], ord=inf"),
    sdk::sample(name, "f32[2,3]{2.0,-1.0,1.0,0.0,nan,-4.0} | axes=[1], ord=-inf"),
    sdk::sample(name, "f32[2,3]{nan,-0.0,1.0,0.0,inf,-4.0} | axes=[1], ord=0.0"),
    sdk::sample(name, "f32[2,2]{nan,1.0,-inf,1.0} | axes=[1]"),
    sdk::sample(name, "f32[2,2]{nan,1.0,-inf,1.0} | axes=[1], ord=1.0"),
    sdk::sample(name, "f32[2]{3.4028235e38,1e-45}"),
    sdk::sample(name, "f32[3]{1e-45,1.1754944e-38,-1e-45}"),
    sdk::sample(name, "f64[2]{1.7976931348623157e308,-5e-324} | ord=1.0"),
    sdk::sample(name, "f64[2]{1e150,2.2250738585072014e-308}"),
    sdk::sample(name, "f16[3]{60000.0,-30000.0,6e-8}"),
    sdk::sample(name, "bf16[2]{3.39e38,9.2e-41} | ord=inf"),
    sdk::refused(name, "f32[2,3] | axes=[2]", TENON_E_ATTRIBUTE, "axes"),
    sdk::refused(name, "f32[2,3] | axes=[0,0]", TENON_E_ATTRIBUTE, "twice"),
    sdk::refused(name, "f32[2,3] | axes=1", TENON_E_ATTRIBUTE, "axes"),
    sdk::refused(name, "f32[2,3] | keepdims=1", TENON_E_ATTRIBUTE, "keepdims"),
    sdk::refused(name, "f32[2,3] | ord=nan", TENON_E_ATTRIBUTE, "ord is not a number"),
    sdk::refused(name, "f32[0] | ord=inf", TENON_E_SHAPE, "no norm of this order"),
    sdk::refused(name, "f32[2,0] | axes=[1], ord=-1.0", TENON_E_SHAPE, "no norm of this order"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "i32[3]", TENON_E_DTYPE, "i32"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name, "Sums of f64 in one order or another, and the C library's powers and roots.",
    {.f16 = {1, 0}, .bf16 = {1, 0}, .f32 = {1, 0}, .f64 = {8, 0}});

}  // namespace

TENON_UNIT(norm) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
