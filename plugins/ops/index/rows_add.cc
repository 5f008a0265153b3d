// SPDX-License-Identifier: Apache-2.0
// plugins/ops/index/rows_add.cc: rows_add, adds rows to some rows of a tensor, in place.
//
// x[indices[r], ...] += values[r, ...] for r ascending.
// Source: PyTorch's `index_add_`.
#include "index/rows.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.rows_add";

constexpr std::string_view doc =
    R"(Adds `values[r]` to row `indices[r]` of `x`, in place, for `r` ascending; a row named twice
gets both. An index outside `x` is refused, and then nothing is written. The runtime makes
row gradients dense and updates rows with this op (role ROWS_ADD).

No gradient: it is what gradients are made with.

Source: PyTorch, `index_add_`.

Canonical arithmetic: each addition is one IEEE 754 operation in T (f16 and bf16 in f32,
rounded once), in order of `r`.)";

constexpr tenon_op_desc ops[] = {sdk::op(
    {.name = name,
     .schema = "rows_add(x!: T[N,...], indices: i64[R], values: T[R,...]) -> () where T: float",
     .doc = doc,
     .role = TENON_ROLE_ROWS_ADD,
     .infer = sdk::infer_fn<rules::infer_rows>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[5,3], i64[4]{0,2,4,2}, f64[4,3]"),
    sdk::sample(name, "f64[5], i64[2]{1,1}, f64[2]"),
    sdk::sample(name, "f64[3,2,2], i64[1]{2}, f64[1,2,2]"),
    sdk::sample(name, "f64[3,2,1,2], i64[2]{0,2}, f64[2,2,1,2]"),
    sdk::sample(name, "f64[1,1], i64[1]{0}, f64[1,1]"),
    sdk::sample(name, "f64[5,3], i64[0], f64[0,3]"),
    sdk::sample(name, "f64[0,3], i64[0], f64[0,3]"),
    sdk::sample(name, "f64[2,0], i64[2]{1,0}, f64[2,0]"),
    sdk::sample(name, "f16[4,2](0,1000), i64[3]{3,3,3}, f16[3,2]"),
    sdk::sample(name, "f32[2]{inf,1e30}, i64[3]{0,1,1}, f32[3]{-inf,-1e30,1e-30}"),
    sdk::sample(
        name, "f32[3]{3.4028235e38,nan,-0.0}, i64[4]{0,1,2,2}, f32[4]{3.4028235e38,1.0,0.0,1e-45}"),
    sdk::sample(name,
                "f64[2]{1.7976931348623157e308,5e-324}, i64[2]{0,1}, "
                "f64[2]{-1.7976931348623157e308,-2.2250738585072014e-308}"),
    sdk::sample(name, "f16[2]{65504.0,6e-8}, i64[2]{0,1}, f16[2]{16.0,6.1035e-5}"),
    sdk::sample(name, "bf16[2]{3.39e38,9.2e-41}, i64[2]{0,1}, bf16[2]{1e36,1.1755e-38}"),
    sdk::refused(name, "f32[5,3], i64[1]{5}, f32[1,3]", TENON_E_DATA, "indices"),
    sdk::refused(name, "f32[5,3], i64[2]{0,-1}, f32[2,3]", TENON_E_DATA, "indices"),
    sdk::refused(name, "f32[5,3], i64[2]{0,1}, f32[2,4]", TENON_E_SHAPE, "rows of values"),
    sdk::refused(name, "f32[5,3], i64[2]{0,1}, f32[2]", TENON_E_SHAPE, "rows of values"),
    sdk::refused(name, "f32[5,3], i64[3]{0,1,2}, f32[2,3]", TENON_E_SHAPE, "values"),
    sdk::refused(name, "f32[5,3], i64[1]{0}, f64[1,3]", TENON_E_DTYPE, "values"),
    sdk::refused(name, "f32[5,3], i32[1]{0}, f32[1,3]", TENON_E_DTYPE, "indices"),
    sdk::refused(name, "i64[5,3], i64[1]{0}, i64[1,3]", TENON_E_DTYPE, "i64"),
    sdk::refused(name, "f32[5,3], i64[1]{0}", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(rows_add) = {.ops = ops, .samples = samples};
