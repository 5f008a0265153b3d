// SPDX-License-Identifier: Apache-2.0
// plugins/ops/linalg/outer.cc: outer, the products of all pairs of two vectors' elements.
//
// y[m,n] = a[m] b[n]. Source: array-api `linalg.outer`.
#include <tenon/ext/draft/shapes.h>

#include "rules.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.outer";

constexpr std::string_view doc =
    R"(The outer product of two vectors: `y[m,n] = a[m] * b[n]`.

Gradient: `da = dy b`, `db = a dy`, by way of `tenon.mul`.

Source: Python array API standard, `linalg.outer`.

Canonical arithmetic: that of `tenon.mul`.)";

void compose(sdk::Compose& c) {
  rules::Dims column(c.meta(c.in(0).tensor()));
  column.push(1);
  c.set(0, c.call("tenon.mul", {rules::reshape(c, c.in(0), column), c.in(1)}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "outer(a: T[M], b: T[N]) -> T[M,N] where T: number promote",
             .doc = doc,
             .shape = TENON_SHAPE_SCHEMA,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[3], f64[4]"),
    sdk::sample(name, "f64[1], f64[3]"),
    sdk::sample(name, "f64[3], f64[1]"),
    sdk::sample(name, "f64[0], f64[3]"),
    sdk::sample(name, "f64[3], f64[0]"),
    sdk::sample(name, "f32[3], f16[2]"),
    sdk::sample(name, "i32[3], f32[2]"),
    sdk::sample(name, "i32[2]{2147483647,-5}, i32[2]{2,3}"),
    sdk::sample(name, "i64[2]{9223372036854775807,1}, i64[2]{2,-1}"),
    sdk::sample(name, "u8[2]{255,16}, u8[2]{255,16}"),
    sdk::sample(name, "f32[3]{3.4028235e38,1e-45,1.1754944e-38}, f32[2]{2.0,0.5}"),
    sdk::sample(name, "f64[2]{1.7976931348623157e308,5e-324}, f64[2]{0.5,2.0}"),
    sdk::sample(name, "f16[2]{65504.0,6e-8}, f16[2]{2.0,1.0}"),
    sdk::sample(name, "bf16[2]{3.39e38,9.2e-41}, bf16[2]{0.5,1.0}"),
    sdk::sample(name, "f32[3]{inf,nan,-0.0}, f32[3]{0.0,1.0,-2.0}"),
    sdk::refused(name, "f32[2,3], f32[3]", TENON_E_SHAPE, "wrong number of dimensions"),
    sdk::refused(name, "f32[3], f32[]", TENON_E_SHAPE, "wrong number of dimensions"),
    sdk::refused(name, "2.0, f32[3]", TENON_E_SHAPE, "is a number"),
    sdk::refused(name, "bool[2], bool[2]", TENON_E_DTYPE, "bool"),
    sdk::refused(name, "f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(outer) = {.ops = ops, .samples = samples};
