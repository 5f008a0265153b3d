// SPDX-License-Identifier: Apache-2.0
// plugins/ops/linalg/solve.cc: solve, systems of linear equations.
//
// y with a y = b;  db = a^-T dy, da = -db y^T. Source: array-api `linalg.solve`.
#include "linalg/systems.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace mx = tenon::matrices;
constexpr std::string_view name = "tenon.solve";

constexpr std::string_view doc =
    R"(The solution `y` of `a y = b` for square matrices `a`, which the last two dimensions hold.
`b` holds matrices of as many rows, whose columns are solved for one by one; a 1-D `b` is one
column, and that dimension is missing from the result. Leading dimensions are batches and
broadcast together. The operands are cast to their common dtype, integers alone to f32. A singular
matrix is refused by its place in the batch.

Gradient: `db` solves `a^T db = dy`, `da = -db y^T`, summed over broadcast batches.

Source: Python array API standard, `linalg.solve`.

Canonical arithmetic: none. The bits are those of the library that computes it, by default LAPACK
(`tenon.lapack`), and without one those of `tenon.ref`, which computes f32 in f64 and is for small
matrices. They are the same for any number of threads.)";

void vjp(sdk::Vjp& v) {
  const auto solve = [&](sdk::Value dy) { return v.call(name, {mx::transposed(v, v.in(0)), dy}); };
  mx::vjp_system(v, solve, [](tenon_tensor* da) { return da; });
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "solve(a: T[...], b: T[...]) -> T[...] where T: f32|f64 promote",
             .doc = doc,
             .flags = TENON_OP_LIBRARY_BITS,
             .infer = sdk::infer_fn<mx::infer_system>})};

constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = sdk::bit(0), .outputs = sdk::bit(0), .input_metas = sdk::bit(1)}),
    sdk::need({.inputs = sdk::bit(0), .input_metas = sdk::bit(1), .output_metas = sdk::bit(0)}),
};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>})};

// Matrices that integers and bools leave regular, too.
constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,2]{4.0,1.0,-2.0,0.0}, f64[2,3]"),
    sdk::sample(name, "f64[3,3]{0.5,1.0,0.0,2.0,0.0,0.25,-0.5,0.25,2.0}, f64[3]"),
    sdk::sample(name, "f64[3,3]{0.0,1.0,0.0,0.0,0.0,2.0,4.0,0.0,0.0}, f64[3,1]"),
    sdk::sample(name, "f64[2,2,2]{4.0,1.0,1.0,0.0,2.0,-1.0,-1.0,0.0}, f64[2,2,3]"),
    sdk::sample(name, "f64[2,1,2,2]{4.0,1.0,1.0,0.0,2.0,-1.0,-1.0,0.0}, f64[3,2,1]"),
    sdk::sample(name, "f64[2,2]{4.0,1.0,-2.0,0.0}, f64[2,1,2,2]"),
    sdk::sample(name, "f64[2,2,2]{4.0,1.0,1.0,0.0,2.0,-1.0,-1.0,0.0}, f64[2]"),
    sdk::sample(name, "f64[1,1]{2.0}, f64[1,1]"),
    sdk::sample(name, "f64[0,0], f64[0,2]"),
    sdk::sample(name, "f64[2,2]{4.0,1.0,-2.0,0.0}, f64[2,0]"),
    sdk::sample(name, "f64[0,2,2], f64[2,1]"),
    sdk::sample(name, "f32[2,2]{4.0,1.0,-2.0,0.0}, f32[2]{3.4028235e38,1e-45}"),
    sdk::sample(name, "f32[1,1]{1e18}, f32[1]{1e-18}"),
    sdk::sample(name, "f32[2,2]{1.0,0.0,0.0,2.0}, f32[2]{nan,1.0}"),
    sdk::sample(name, "f32[2,2]{4.0,1.0,-2.0,0.0}, f64[2,3]"),
    sdk::sample(name, "f64[2,2]{4.0,1.0,-2.0,0.0}, f16[2]"),
    sdk::sample(name, "i32[2,2]{4,1,-2,0}, f32[2,1]"),
    sdk::sample(name, "i64[2,2]{4,1,2,0}, u8[2]"),
    sdk::refused(name, "f32[2,2]{1.0,2.0,2.0,4.0}, f32[2]", TENON_E_DATA, "a is singular"),
    sdk::refused(name, "f32[2,1,1]{1.0,0.0}, f32[1,1]", TENON_E_DATA, "a[1] is singular"),
    sdk::refused(name, "f32[2,3], f32[2]", TENON_E_SHAPE, "square"),
    sdk::refused(name, "f32[2,2], f32[3]", TENON_E_SHAPE, "as many rows"),
    sdk::refused(name, "f32[2,2], f32[3,2]", TENON_E_SHAPE, "as many rows"),
    sdk::refused(name, "f32[2,2], f32[]", TENON_E_SHAPE, "as many rows"),
    sdk::refused(name, "f32[2,2,2], f32[3,2,2]", TENON_E_SHAPE, "batch dimensions"),
    sdk::refused(name, "f32[3], f32[3]", TENON_E_SHAPE, "2 dimensions or more"),
    sdk::refused(name, "f16[1,1], f16[1]", TENON_E_DTYPE, "f16"),
    sdk::refused(name, "f32[2,2]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr tenon_tolerance tolerances[] = {
    sdk::tolerance({name, TENON_DTYPE_F32, 1, 1e-5, "Each element is the end of many roundings."}),
    sdk::tolerance({name, TENON_DTYPE_F64, 1, 2e-14, "Each element is the end of many roundings."}),
};

}  // namespace

TENON_UNIT(solve) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
