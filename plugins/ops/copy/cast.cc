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
    sdk::sample(name, "f64[5] | dtype=f32"),
    sdk::sample(name, "f32[6]{0.0,-0.0,inf,-inf,65520.0,1e-8} | dtype=f16"),
    sdk::sample(name, "f32[5]{1.00390625,1.01171875,3.4e38,nan,-2.5} | dtype=bf16"),
    sdk::sample(name, "f32[4]{-1.9,1.9,2.5,-0.5} | dtype=i32"),
    sdk::sample(name, "f32[5]{3e9,-3e9,inf,-inf,nan} | dtype=i32"),
    sdk::sample(name, "i64[3]{16777217,-1,9007199254740993} | dtype=f32"),
    sdk::sample(name, "i32[4]{-1,255,256,300} | dtype=u8"),
    sdk::sample(name, "f32[3]{0.0,0.5,nan} | dtype=bool"),
    sdk::sample(name, "bool[] | dtype=f64"),
    sdk::sample(name, "u8[0,2] | dtype=i64"),
    sdk::refused(name, "f32[2]", TENON_E_ATTRIBUTE, "dtype"),
    sdk::refused(name, "f32[2] | dtype=3", TENON_E_ATTRIBUTE, "dtype"),
};

}  // namespace

TENON_UNIT(cast) = {.ops = ops, .vjps = vjps, .samples = samples};
