// SPDX-License-Identifier: Apache-2.0
// plugins/ops/copy/cast.cc: cast, the same values in another dtype.
//
// y = convert(x);  dx = convert(dy) back to x's dtype. Source: array-api `astype`.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.cast";

constexpr std::string_view doc = R"(The values of `x` in another dtype: `y = dtype(x)`.

Gradient: `dx` is `dy` in the dtype of `x`, where both dtypes are floats; otherwise none flows.

Source: Python array API standard, `astype`.

Canonical arithmetic: to a float, to nearest, ties to even, straight from the source value. Float
to integer truncates toward zero; what lies outside the range gives the range's end, NaN gives 0.
Integer to integer keeps the low bits. To bool is `x != 0`, so that a NaN is true.)";

void vjp(sdk::Vjp& v) {
  v.grad(0, v.call(name, {v.dy()}, {sdk::Value::dtype(v.in_meta(0).dtype)}));
}

constexpr tenon_op_desc ops[] = {sdk::op({.name = name,
                                          .schema = "cast(x: T[...], *, dtype: U) -> U[...]",
                                          .doc = doc,
                                          .shape = TENON_SHAPE_SAME_AS_0,
                                          .flags = TENON_OP_ELEMENTWISE | TENON_OP_LINEAR,
                                          .role = TENON_ROLE_CAST})};

constexpr tenon_vjp_need needs[] = {sdk::need({.input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 1})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3] | dtype=f64"),
    sdk::sample(name, "f32[4,5](-1000,1000) | dtype=f64"),
    sdk::sample(name, "f64[2,1,3,2](-100,100) | dtype=f32"),
    sdk::sample(name, "f64[] | dtype=bf16"),
    sdk::sample(name, "f32[8]{0.0,-0.0,inf,-inf,65520.0,65519.9,1e-8,3e-8} | dtype=f16"),
    // Rounded once: by way of f32 they would be ties.
    sdk::sample(name, "f64[3]{1.00048828126,-1.00048828126,65519.999999} | dtype=f16"),
    sdk::sample(name, "f64[2]{1.00390625001,-1.00390625001} | dtype=bf16"),
    sdk::sample(name, "f32[6]{1.00390625,1.01171875,3.4e38,nan,-2.5,1e-40} | dtype=bf16"),
    sdk::sample(
        name, "f64[5]{1.7976931348623157e308,3.4028235677973366e38,1e-46,5e-324,nan} | dtype=f32"),
    sdk::sample(name, "f32[6]{-1.9,1.9,2.5,-0.5,-0.0,1e-45} | dtype=i32"),
    sdk::sample(name, "f32[5]{3e9,-3e9,inf,-inf,nan} | dtype=i32"),
    sdk::sample(name, "f64[6]{9.3e18,-9.3e18,9007199254740993.0,inf,-inf,nan} | dtype=i64"),
    sdk::sample(name, "f32[5]{255.9,256.0,-0.9,-1.0,nan} | dtype=u8"),
    sdk::sample(name, "i64[4]{16777217,-1,9007199254740993,-9223372036854775808} | dtype=f32"),
    sdk::sample(name, "i64[3]{2049,65520,-65519} | dtype=f16"),
    sdk::sample(name, "i64[4](0,100) | dtype=i32"),
    sdk::sample(name, "i32[4]{-1,255,256,300} | dtype=u8"),
    sdk::sample(name, "i32[4]{-129,128,32768,-32769} | dtype=i8"),
    sdk::sample(name, "f32[4]{0.0,-0.0,0.5,nan} | dtype=bool"),
    sdk::sample(name, "i32[3]{0,-1,256} | dtype=bool"),
    sdk::sample(name, "bool[] | dtype=f64"),
    sdk::sample(name, "bool[3] | dtype=i16"),
    sdk::sample(name, "u8[0,2] | dtype=i64"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "f32[2], f32[2] | dtype=f32", TENON_E_ARGUMENT, "number of operands"),
    sdk::refused(name, "f32[2]", TENON_E_ATTRIBUTE, "dtype"),
    sdk::refused(name, "f32[2] | dtype=3", TENON_E_ATTRIBUTE, "dtype"),
    sdk::refused(name, "f32[2] | dtype=none", TENON_E_ATTRIBUTE, "dtype"),
};

}  // namespace

TENON_UNIT(cast) = {.ops = ops, .vjps = vjps, .samples = samples};
