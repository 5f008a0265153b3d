// SPDX-License-Identifier: Apache-2.0
// plugins/ops/index/rows_put.cc: rows_put, puts rows in place of some rows of a tensor.
//
// x[indices[r], ...] = values[r, ...] for r ascending.
// Source: PyTorch's `index_copy_`.
#include "index/rows.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace rules = tenon::rules;
constexpr std::string_view name = "tenon.rows_put";

constexpr std::string_view doc =
    R"(Puts `values[r]` in place of row `indices[r]` of `x`, in place, for `r` ascending; of a
row named twice the last one stays. An index outside `x` is refused, and then nothing is written.
Update rules for rows are composed with this op.

No gradient: it is what parameters are updated with.

Source: PyTorch, `index_copy_`.

Canonical arithmetic: none; bits are moved.)";

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "rows_put(x!: T[N,...], indices: i64[R], values: T[R,...]) -> ()",
             .doc = doc,
             .infer = sdk::infer_fn<rules::infer_rows>})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[5,3], i64[3]{0,4,2}, f64[3,3]"),
    sdk::sample(name, "f64[5], i64[3]{1,3,1}, f64[3]"),
    sdk::sample(name, "f64[3,2,2], i64[1]{2}, f64[1,2,2]"),
    sdk::sample(name, "f64[3,2,1,2], i64[2]{0,2}, f64[2,2,1,2]"),
    sdk::sample(name, "f64[1,1], i64[1]{0}, f64[1,1]"),
    sdk::sample(name, "f64[5,3], i64[0], f64[0,3]"),
    sdk::sample(name, "f64[0,3], i64[0], f64[0,3]"),
    sdk::sample(name, "f64[2,0], i64[2]{1,0}, f64[2,0]"),
    sdk::sample(name, "f32[4]{nan,1.0,inf,2.0}, i64[4]{0,1,2,3}, f32[4]{1.0,nan,-inf,-0.0}"),
    sdk::sample(name, "f64[3], i64[3]{2,1,0}, f64[3]{1.7976931348623157e308,2.3e-308,5e-324}"),
    sdk::sample(name, "f16[3], i64[3]{0,1,2}, f16[3]{65504.0,6.1035e-5,6e-8}"),
    sdk::sample(name, "bf16[3], i64[3]{0,1,2}, bf16[3]{3.39e38,1.1755e-38,9.2e-41}"),
    sdk::sample(name, "i32[3], i64[2]{0,2}, i32[2]{-2147483648,2147483647}"),
    sdk::sample(name, "u8[2], i64[1]{1}, u8[1]{255}"),
    sdk::sample(name, "bool[3], i64[2]{0,2}, bool[2]{true,false}"),
    sdk::refused(name, "f32[5,3], i64[1]{5}, f32[1,3]", TENON_E_DATA, "indices"),
    sdk::refused(name, "f32[5,3], i64[2]{0,-1}, f32[2,3]", TENON_E_DATA, "indices"),
    sdk::refused(name, "f32[5,3], i64[2]{0,1}, f32[2,4]", TENON_E_SHAPE, "rows of values"),
    sdk::refused(name, "f32[5,3], i64[2]{0,1}, f32[2]", TENON_E_SHAPE, "rows of values"),
    sdk::refused(name, "f32[5,3], i64[3]{0,1,2}, f32[2,3]", TENON_E_SHAPE, "values"),
    sdk::refused(name, "f32[5,3], i64[1]{0}, f64[1,3]", TENON_E_DTYPE, "values"),
    sdk::refused(name, "f32[5,3], i32[1]{0}, f32[1,3]", TENON_E_DTYPE, "indices"),
    sdk::refused(name, "f32[5,3], i64[1]{0}", TENON_E_ARGUMENT, "number of operands"),
};

}  // namespace

TENON_UNIT(rows_put) = {.ops = ops, .samples = samples};
