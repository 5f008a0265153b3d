// SPDX-License-Identifier: Apache-2.0
// plugins/ops/linalg/dot.cc: dot, the inner product of two vectors.
//
// y = sum over n of a[n] b[n]. Source: PyTorch's `dot`.
#include <tenon/ext/draft/shapes.h>

#include "linalg/products.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.dot";

constexpr std::string_view doc =
    R"(The inner product of two vectors of one length: `y = sum_n a[n] b[n]`. It is `tenon.matmul`
of two vectors and nothing more.

Gradient: `da = dy * b`, `db = dy * a`, by way of `tenon.matmul`.

Source: PyTorch, `dot`.

Canonical arithmetic: that of `tenon.matmul`.)";

void compose(sdk::Compose& c) { c.set(0, c.call("tenon.matmul", {c.in(0), c.in(1)})); }

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "dot(a: T[N], b: T[N]) -> T[] where T: number promote",
             .doc = doc,
             .shape = TENON_SHAPE_SCHEMA,
             .compose = sdk::compose_fn<compose>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[3], f64[3]"),
    sdk::sample(name, "f64[1], f64[1]"),
    sdk::sample(name, "f64[0], f64[0]"),
    sdk::sample(name, "f32[150](0,1), f32[150](0,1)"),
    sdk::sample(name, "f32[3], f16[3]"),
    sdk::sample(name, "i32[3], f32[3]"),
    sdk::sample(name, "i32[2]{2147483647,-5}, i32[2]{2,3}"),
    sdk::sample(name, "i64[2]{9223372036854775807,1}, i64[2]{2,-1}"),
    sdk::sample(name, "u8[3]{255,16,1}, u8[3]{255,16,2}"),
    sdk::sample(name, "f32[2]{3.4028235e38,1e-45}, f32[2]{1.0,1.1754944e-38}"),
    sdk::sample(name, "f64[2]{1.7976931348623157e308,5e-324}, f64[2]{1.0,1.0}"),
    sdk::sample(name, "f16[2]{65504.0,6e-8}, f16[2]{2.0,1.0}"),
    sdk::sample(name, "bf16[2]{3.39e38,9.2e-41}, bf16[2]{0.5,1.0}"),
    sdk::sample(name, "f32[3]{inf,nan,1.0}, f32[3]{1.0,0.0,2.0}"),
    sdk::refused(name, "f32[3], f32[4]", TENON_E_SHAPE, "size N differs"),
    sdk::refused(name, "f32[2,3], f32[3]", TENON_E_SHAPE, "wrong number of dimensions"),
    sdk::refused(name, "f32[3], f32[2,3]", TENON_E_SHAPE, "wrong number of dimensions"),
    sdk::refused(name, "f32[3], 2.0", TENON_E_SHAPE, "is a number"),
    sdk::refused(name, "bool[2], bool[2]", TENON_E_DTYPE, "bool"),
    sdk::refused(name, "f32[2]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr auto tolerances = rules::product_tolerances(name);

}  // namespace

TENON_UNIT(dot) = {.ops = ops, .samples = samples, .tolerances = tolerances};
