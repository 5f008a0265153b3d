// SPDX-License-Identifier: Apache-2.0
// plugins/ops/ternary/where.cc: where, one of two values by a condition, element by element.
//
// y = condition ? a : b;  da = condition ? dy : 0, db = condition ? 0 : dy.
// Source: array-api `where`.
#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
constexpr std::string_view name = "tenon.where";

constexpr std::string_view doc =
    R"(Picks from `a` where `condition` is true and from `b` where it is false. The three operands
are broadcast together.

Gradient: `da = where(condition, dy, 0)`, `db = where(condition, 0, dy)`. What was not
picked gets an exact zero, whatever it holds.

Source: Python array API standard, `where`.

Canonical arithmetic: none; the picked bits are copied.)";

void vjp(sdk::Vjp& v) {
  if (v.wants(1)) v.grad(1, v.call(name, {v.in(0), v.dy(), 0}));
  if (v.wants(2)) v.grad(2, v.call(name, {v.in(0), 0, v.dy()}));
}

constexpr tenon_op_desc ops[] = {sdk::op(
    {.name = name,
     .schema = "where(condition: bool[...], a: T[...], b: T[...]) -> T[...] where T: any promote",
     .doc = doc,
     .shape = TENON_SHAPE_BROADCAST,
     .flags = TENON_OP_ELEMENTWISE})};

constexpr tenon_vjp_need needs[] = {
    {},
    sdk::need({.inputs = sdk::bit(0)}),
    sdk::need({.inputs = sdk::bit(0)}),
};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp(
    {.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .non_differentiable = sdk::bit(0)})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "bool[2,3], f64[2,3], f64[2,3]"),
    sdk::sample(name, "bool[3], f64[2,3], f64[]"),
    sdk::sample(name, "bool[2,1], f64[3], f64[2,3]"),
    sdk::sample(name, "bool[2,1,3,1], f64[4,1,2], f64[2]"),
    sdk::sample(name, "bool[], f64[3], f64[3]"),
    sdk::sample(name, "bool[], f64[], f64[]"),
    sdk::sample(name, "bool[4], f64[4], 0"),
    sdk::sample(name, "bool[4], -1, f64[4]"),
    sdk::sample(name, "bool[0,3], f64[3], f64[1]"),
    sdk::sample(name, "bool[3]{true,false,true}, f32[3]{nan,nan,1.0}, f32[3]{inf,-inf,2.0}"),
    sdk::sample(name,
                "bool[4]{true,false,true,false}, f32[4]{3.4028235e38,0.0,-0.0,0.0}, "
                "f32[4]{0.0,1e-45,0.0,-0.0}"),
    sdk::sample(name,
                "bool[2]{true,false}, f64[2]{1.7976931348623157e308,0.0}, f64[2]{0.0,5e-324}"),
    sdk::sample(name, "bool[2]{true,false}, f16[2]{65504.0,0.0}, bf16[2]{0.0,9.2e-41}"),
    sdk::sample(name, "bool[2], i32[2], f64[2]"),
    sdk::sample(
        name, "bool[2]{true,false}, i64[2]{-9223372036854775808,0}, i64[2]{0,9223372036854775807}"),
    sdk::sample(name, "bool[3], u8[3], i8[3]"),
    sdk::sample(name, "bool[2], bool[2], bool[2]"),
    sdk::refused(name, "bool[2], f32[3], f32[3]", TENON_E_SHAPE, "broadcast"),
    sdk::refused(name, "f32[2], f32[2], f32[2]", TENON_E_DTYPE, "condition"),
    sdk::refused(name, "bool[2], f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(where) = {.ops = ops, .vjps = vjps, .samples = samples};
