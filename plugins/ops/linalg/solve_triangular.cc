// SPDX-License-Identifier: Apache-2.0
// plugins/ops/linalg/solve_triangular.cc: solve_triangular, systems of linear equations with
// triangles.
//
// y with a y = b, a of which one triangle is read;  db = a^-T dy, da = that triangle of -db y^T.
// Source: PyTorch's `linalg.solve_triangular`.
#include "linalg/systems.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace mx = tenon::matrices;
constexpr std::string_view name = "tenon.solve_triangular";

constexpr std::string_view doc =
    R"(The solution `y` of `a y = b` for the lower triangles of square matrices `a`, or with `upper`
the upper ones; nothing else of `a` is read. `b`, batches and dtypes are as in `tenon.solve`. A zero
on the diagonal is divided by: the result is not finite there.

Gradient: `db` solves `a^T db = dy`; `da` is the triangle of `-db y^T`, summed over broadcast
batches.

Source: PyTorch, `linalg.solve_triangular`; SciPy, `linalg.solve_triangular`.

Canonical arithmetic: none. The bits are those of the library that computes it, by default LAPACK
(`tenon.lapack`), and without one those of `tenon.ref`, which computes f32 in f64 and is for small
matrices. They are the same for any number of threads.)";

void vjp(sdk::Vjp& v) {
  const bool upper = v.attr(0).as.i64 != 0;
  const auto solve = [&](sdk::Value dy) {
    return v.call(name, {mx::transposed(v, v.in(0)), dy}, {!upper});
  };
  mx::vjp_system(v, solve, [&](tenon_tensor* da) {
    return v.call(upper ? "tenon.triu" : "tenon.tril", {da}, {0});
  });
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "solve_triangular(a: T[...], b: T[...], *, upper: bool=false) -> T[...] "
                       "where T: f32|f64 promote",
             .doc = doc,
             .flags = TENON_OP_LIBRARY_BITS,
             .infer = sdk::infer_fn<mx::infer_system>})};

constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = sdk::bit(0), .outputs = sdk::bit(0), .input_metas = sdk::bit(1)}),
    sdk::need({.inputs = sdk::bit(0), .input_metas = sdk::bit(1), .output_metas = sdk::bit(0)}),
};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 1})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,2]{4.0,1.0,-2.0,3.0}, f64[2,3]"),
    sdk::sample(name, "f64[3,3]{1.5,1.0,-0.5,2.0,3.0,0.25,-0.5,0.25,2.0}, f64[3]"),
    sdk::sample(name, "f64[3,3]{1.5,1.0,-0.5,2.0,3.0,0.25,-0.5,0.25,2.0}, f64[3,1] | upper=true"),
    sdk::sample(name, "f64[2,2,2]{4.0,1.0,1.0,3.0,2.0,-1.0,-1.0,5.0}, f64[2] | upper=true"),
    sdk::sample(name, "f64[2,2,2]{4.0,1.0,1.0,3.0,2.0,-1.0,-1.0,5.0}, f64[2,2,3]"),
    sdk::sample(name, "f64[2,1,2,2]{4.0,1.0,1.0,3.0,2.0,-1.0,-1.0,5.0}, f64[3,2,1]"),
    sdk::sample(name, "f64[2,2]{4.0,1.0,-2.0,3.0}, f64[2,1,2,2]"),
    sdk::sample(name, "f64[2,2,2]{4.0,1.0,1.0,3.0,2.0,-1.0,-1.0,5.0}, f64[2]"),
    sdk::sample(name, "f64[1,1]{2.0}, f64[1,1]"),
    sdk::sample(name, "f64[0,0], f64[0,2]"),
    sdk::sample(name, "f64[2,2]{4.0,1.0,-2.0,3.0}, f64[2,0]"),
    sdk::sample(name, "f64[0,2,2], f64[2,1]"),
    sdk::sample(name, "f32[2,2]{4.0,1.0,-2.0,3.0}, f32[2]{3.4028235e38,1e-45}"),
    sdk::sample(name, "f32[1,1]{1e18}, f32[1]{1e-18}"),
    sdk::sample(name, "f32[2,2]{4.0,1.0,-2.0,3.0}, f64[2,3]"),
    sdk::sample(name, "i32[2,2]{4,1,-2,3}, f32[2,1] | upper=true"),
    sdk::refused(name, "f32[2,3], f32[2]", TENON_E_SHAPE, "square"),
    sdk::refused(name, "f32[2,2], f32[3]", TENON_E_SHAPE, "as many rows"),
    sdk::refused(name, "f32[2,2], f32[3,2]", TENON_E_SHAPE, "as many rows"),
    sdk::refused(name, "f32[2,2], f32[]", TENON_E_SHAPE, "as many rows"),
    sdk::refused(name, "f32[2,2,2], f32[3,2,2]", TENON_E_SHAPE, "batch dimensions"),
    sdk::refused(name, "f32[3], f32[3]", TENON_E_SHAPE, "2 dimensions or more"),
    sdk::refused(name, "f16[1,1], f16[1]", TENON_E_DTYPE, "f16"),
    sdk::refused(name, "f32[1,1], f32[1] | upper=1", TENON_E_ATTRIBUTE, "upper"),
    sdk::refused(name, "f32[2,2]", TENON_E_ARGUMENT, "number of operands"),
};

constexpr tenon_tolerance tolerances[] = {
    sdk::tolerance({name, TENON_DTYPE_F32, 1, 1e-5, "Each element is the end of many roundings."}),
    sdk::tolerance({name, TENON_DTYPE_F64, 1, 2e-14, "Each element is the end of many roundings."}),
};

}  // namespace

TENON_UNIT(solve_triangular) = {
    .ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
