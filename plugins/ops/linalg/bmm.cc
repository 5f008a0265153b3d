// SPDX-License-Identifier: Apache-2.0
// plugins/ops/linalg/bmm.cc: bmm, products of matrices pair by pair.
//
// y[b,m,n] = sum over k of a[b,m,k] b[b,k,n]. Source: PyTorch's `bmm`.
#include <tenon/ext/draft/shapes.h>

#include "linalg/products.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.bmm";

constexpr std::string_view doc =
    R"(The products of two batches of matrices, pair by pair: `y[i] = a[i] b[i]`. Nothing
broadcasts; otherwise it is `tenon.matmul`.

Gradient: `da = dy b^T`, `db = a^T dy`, by way of `tenon.matmul`.

Source: PyTorch, `bmm`.

Canonical arithmetic: that of `tenon.matmul`.)";

void compose(sdk::Compose& c) { c.set(0, c.call("tenon.matmul", {c.in(0), c.in(1)})); }

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "bmm(a: T[B,M,K], b: T[B,K,N]) -> T[B,M,N] where T: number promote",
             .doc = doc,
             .shape = TENON_SHAPE_SCHEMA,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,3,4], f64[2,4,5]"),
    sdk::sample(name, "f64[1,1,1], f64[1,1,1]"),
    sdk::sample(name, "f64[3,1,2], f64[3,2,1]"),
    sdk::sample(name, "f64[0,3,4], f64[0,4,2]"),
    sdk::sample(name, "f64[2,3,0], f64[2,0,2]"),
    sdk::sample(name, "f64[2,0,3], f64[2,3,2]"),
    sdk::sample(name, "f32[2,3,70](0,1), f32[2,70,3](0,1)"),
    sdk::sample(name, "f32[1,2,3], f16[1,3,2]"),
    sdk::sample(name, "i32[1,2,2]{2147483647,1,-5,3}, i32[1,2,2]{2,0,1,-1}"),
    sdk::sample(name, "i64[1,1,2]{9223372036854775807,1}, i64[1,2,1]{2,-1}"),
    sdk::sample(name, "u8[1,1,2]{255,16}, u8[1,2,1]{255,16}"),
    sdk::sample(name, "f32[1,1,2]{3.4028235e38,1e-45}, f32[1,2,1]{1.0,1.1754944e-38}"),
    sdk::sample(name, "f64[1,1,2]{1.7976931348623157e308,5e-324}, f64[1,2,1]{1.0,1.0}"),
    sdk::sample(name, "f16[1,1,2]{65504.0,6e-8}, f16[1,2,1]{2.0,1.0}"),
    sdk::sample(name, "bf16[1,1,2]{3.39e38,9.2e-41}, bf16[1,2,1]{0.5,1.0}"),
    sdk::sample(name, "f32[1,2,2]{inf,1.0,nan,1.0}, f32[1,2,2]{1.0,0.0,1.0,2.0}"),
    sdk::refused(name, "f32[2,3,4], f32[3,4,5]", TENON_E_SHAPE, "size B differs"),
    sdk::refused(name, "f32[2,3,4], f32[2,3,5]", TENON_E_SHAPE, "size K differs"),
    sdk::refused(name, "f32[3,4], f32[2,4,5]", TENON_E_SHAPE, "wrong number of dimensions"),
    sdk::refused(name, "f32[2,3,4], f32[4,5]", TENON_E_SHAPE, "wrong number of dimensions"),
    sdk::refused(name, "f32[2,3,4], 2.0", TENON_E_SHAPE, "is a number"),
    sdk::refused(name, "bool[1,2,2], bool[1,2,2]", TENON_E_DTYPE, "bool"),
    sdk::refused(name, "f32[2,2,2]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = rules::product_tolerances(name);

}  // namespace

TENON_UNIT(bmm) = {.ops = ops, .samples = samples, .tolerances = tolerances};
