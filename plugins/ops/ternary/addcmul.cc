// SPDX-License-Identifier: Apache-2.0
// plugins/ops/ternary/addcmul.cc: addcmul, adds a scaled product, element by element.
//
// y = x + value * a * b;  dx = dy, da = dy value b, db = dy value a.
// Source: PyTorch's `addcmul`.
#include "ternary/add_scaled.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.addcmul";

constexpr std::string_view doc =
    R"(Adds a scaled product: `y = x + value * a * b`. The operands are broadcast together. Where
they are integers, `value` is one too, of their dtype.

In place it is the step of a running mean of squares: `addcmul(v, g, g, value=1 - beta)`.

Gradient: `dx = dy`, `da = dy * value * b`, `db = dy * value * a`.

Source: PyTorch, `addcmul`; gradient as in `tools/autograd/derivatives.yaml`.

Canonical arithmetic: `x + ((value * a) * b)`, three IEEE 754 operations in C, each rounded to
nearest even and none fused; C is f32 for f16, bf16 and f32, f64 for f64. `value` is rounded to C
first. f16 and bf16 are rounded once more, at the end. Integers are exact modulo 2^bits.)";

// Is the number one of T?
bool fits(const tenon_value& value, tenon_dtype dtype) {
  if (value.tag == TENON_VALUE_F64) return false;
  bool same = false;
  sdk::dispatch_dtype<sdk::IntegerTypes>(dtype, [&]<class T>() {
    same = static_cast<int64_t>(static_cast<T>(value.as.i64)) == value.as.i64;
  });
  return same;
}

std::string text_of(const tenon_value& value) {
  return value.tag == TENON_VALUE_F64 ? std::to_string(value.as.f64) : std::to_string(value.as.i64);
}

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const rules::Dims both = rules::common_shape(args.shape(0), args.shape(1), "x", "a");
  const rules::Dims all = rules::common_shape(both.span(), args.shape(2), "x with a", "b");
  sdk::set_shape(out[0], all.span());
  if (sdk::is_float(out[0].dtype) || fits(args.attrs[0], out[0].dtype)) return;
  throw sdk::Failure{TENON_E_ATTRIBUTE,
                     "value is not an integer of the operands' dtype",
                     "value",
                     "an integer that their dtype can hold",
                     text_of(args.attrs[0]),
                     "cast one of the operands to a float, or to a wider integer"};
}

// The product of two numbers as one of the dtype.
int64_t wrapped_product(int64_t a, int64_t b, tenon_dtype dtype) {
  int64_t product = 0;
  sdk::dispatch_dtype<sdk::IntegerTypes>(dtype, [&]<class T>() {
    const uint64_t bits = static_cast<uint64_t>(a) * static_cast<uint64_t>(b);
    product = static_cast<int64_t>(static_cast<T>(bits));
  });
  return product;
}

void compose_whole(sdk::Compose& c, tenon_dtype dtype) {
  const auto product = [&](const sdk::Value& a, const sdk::Value& b) -> sdk::Value {
    if (a.is_tensor() || b.is_tensor()) return c.call("tenon.mul", {a, b});
    return wrapped_product(a.as.i64, b.as.i64, dtype);
  };
  const sdk::Value term = product(product(c.attrs[0], c.in(1)), c.in(2));
  c.set(0, c.call("tenon.add", {c.in(0), term}));
}

void compose(sdk::Compose& c) {
  const tenon_dtype dtype = rules::dtype_of_scaled(c, TENON_DTYPE_I64);
  if (!sdk::is_float(dtype)) return compose_whole(c, dtype);
  rules::AddScaled(c, dtype, "tenon.mul", [](double a, double b) { return a * b; }).compose();
}

void vjp(sdk::Vjp& v) {
  if (v.wants(0)) v.grad(0, v.dy());
  if (!v.wants(1) && !v.wants(2)) return;
  tenon_tensor* scaled = v.call("tenon.mul", {v.dy(), v.attr(0)});
  if (v.wants(1)) v.grad(1, v.call("tenon.mul", {scaled, v.in(2)}));
  if (v.wants(2)) v.grad(2, v.call("tenon.mul", {scaled, v.in(1)}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "addcmul(x: T[...], a: T[...], b: T[...], *, value: number=1) -> T[...] "
                       "where T: number promote",
             .doc = doc,
             .flags = TENON_OP_ELEMENTWISE,
             .infer = sdk::infer_fn<infer>,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_vjp_need needs[] = {
    {},
    sdk::need({.inputs = sdk::bit(2)}),
    sdk::need({.inputs = sdk::bit(1)}),
};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 1})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3], f64[2,3], f64[2,3]"),
    sdk::sample(name, "f64[2,3], f64[3], f64[2,1] | value=0.5"),
    sdk::sample(name, "f64[2,1,2,3], f64[2,2,1], f64[3] | value=-2.0"),
    sdk::sample(name, "f64[], f64[2], f64[2] | value=0.001"),
    sdk::sample(name, "f64[3], 2.5, f64[3]"),
    sdk::sample(name, "1, f64[2,2], f64[2,2]"),
    sdk::sample(name, "f32[4], f32[4], 1.0 | value=0.1"),
    sdk::sample(name, "f32[3], f16[3], f64[3]"),
    sdk::sample(name, "i32[3], f32[3], f32[3]"),
    sdk::sample(name, "i32[2,3], i32[3], i32[2,1] | value=-3"),
    sdk::sample(name, "i64[4], i32[4], i8[4] | value=2"),
    sdk::sample(name, "i16[3], 2, 3"),
    sdk::sample(name, "1, 2, u8[3]"),
    sdk::sample(name, "i32[3], i32[3], 0.5 | value=0.5"),
    sdk::sample(name, "2, 3, 4 | value=5"),
    sdk::sample(name, "i64[0,3], i64[3], i64[1,3] | value=true"),
    sdk::sample(name, "u8[3], bool[3], i8[3]"),
    // Whatever leaves the range of integers comes back at its other end.
    sdk::sample(name,
                "i64[3]{9223372036854775807,-9223372036854775808,5}, "
                "i64[3]{9007199254740993,-1,4611686018427387905}, i64[3]{3,1,4} | "
                "value=9223372036854775807"),
    sdk::sample(name, "i8[4]{127,-128,0,1}, i8[4]{2,-128,127,64}, i8[4]{1,-1,127,2} | value=-128"),
    sdk::sample(name, "u8[3]{255,0,1}, u8[3]{1,255,16}, u8[3]{1,255,16} | value=255"),
    sdk::sample(name, "i16[3], 32767, 32767 | value=-32768"),
    sdk::sample(name, "f64[0,3], f64[3], f64[1,3]"),
    sdk::sample(name, "f32[5], f32[5], f32[5] | value=0.0"),
    sdk::sample(name,
                "f32[4]{1.0,1.0,3.4028235e38,1e-45}, "
                "f32[4]{1.1754944e-38,1e-45,3.4028235e38,1.1754944e-38}, f32[4]{1.0,0.5,1.0,1e-7}"),
    sdk::sample(
        name,
        "f16[3]{65504.0,6.1035e-5,5.96e-8}, f16[3]{16.0,6.1035e-5,5.96e-8}, f16[3]{2.0,0.5,1.0}"),
    sdk::sample(
        name,
        "bf16[2]{3.3895314e38,1.1754944e-38}, bf16[2]{3.3895314e38,9.2e-41}, bf16[2]{-1.0,1.0}"),
    sdk::sample(name,
                "f64[3]{1.7976931348623157e308,2.2250738585072014e-308,5e-324}, "
                "f64[3]{1.0,5e-324,5e-324}, f64[3]{1.0,1.0,-2.0} | value=2.0"),
    sdk::sample(
        name,
        "f32[5]{nan,0.0,inf,inf,-0.0}, f32[5]{1.0,nan,1.0,-inf,0.0}, f32[5]{1.0,1.0,1.0,1.0,-1.0}"),
    sdk::refused(name, "f32[2], f32[3], f32[3]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[2,3], f32[2], f32[]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "f32[2], f32[2], f32[2] | value=\"one\"", TENON_E_ATTRIBUTE, "value"),
    sdk::refused(name, "i32[2], i32[2], i32[2] | value=0.5", TENON_E_ATTRIBUTE,
                 "value is not an integer"),
    sdk::refused(name, "i32[2], i32[2], i32[2] | value=2.0", TENON_E_ATTRIBUTE,
                 "value is not an integer"),
    sdk::refused(name, "u8[2], u8[2], u8[2] | value=-1", TENON_E_ATTRIBUTE,
                 "value is not an integer"),
    sdk::refused(name, "bool[2], bool[2], bool[2]", TENON_E_DTYPE, "bool"),
};

constexpr auto tolerances = sdk::float_tolerances(
    name,
    "Three rounded operations, whose errors count against the largest result where x and the term "
    "cancel.",
    {.f16 = {1, 4e-07}, .bf16 = {1, 4e-07}, .f32 = {2, 4e-07}, .f64 = {2, 1e-15}});

}  // namespace

TENON_UNIT(addcmul) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
