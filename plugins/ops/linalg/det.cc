// SPDX-License-Identifier: Apache-2.0
// plugins/ops/linalg/det.cc: det, determinants.
//
// dx = dy cof(x), the cofactors, which every matrix has. Source: array-api `linalg.det`.
#include "linalg/determinants.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace mx = tenon::matrices;
constexpr std::string_view name = "tenon.det";

constexpr std::string_view doc =
    R"(The determinants of the square matrices that the last two dimensions hold: the product of
the pivots of an elimination with the largest pivot of each column, whose sign each exchange of rows
turns. Only the product can leave the dtype's range, not what comes before it; `tenon.slogdet` is
for those that do. A matrix without a pivot in one of the columns, which is singular, has exactly 0;
one with an element that is not finite has NaN; one without elements has 1. Integers and bools are
cast to f32.

Gradient: `dx = dy * tenon.cofactors(x)`, which is `dy * det x * x^-T` where there is an inverse,
and right for singular matrices too.

Source: Python array API standard, `linalg.det`.

Canonical arithmetic: none. The bits are those of the library that computes it, by default LAPACK
(`tenon.lapack`), and without one those of `tenon.ref`, which computes f32 in f64 and is for small
matrices. They are the same for any number of threads.)";

void vjp(sdk::Vjp& v) {
  tenon_tensor* cofactors = v.call("tenon.cofactors", {v.in(0)});
  v.grad(0, mx::times(v, cofactors, mx::as_factors(v, v.dy())));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "det(x: T[...]) -> T[...] where T: f32|f64 promote",
             .doc = doc,
             .flags = TENON_OP_LIBRARY_BITS,
             .infer = sdk::infer_fn<mx::infer_numbers>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.inputs = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>})};

constexpr auto samples =
    mx::determinant_samples(name, sdk::sample(name, "f64[2,2]{1.0,2.0,2.0,4.0}"),
                            sdk::sample(name, "f64[3,3]{1.0,2.0,0.5,2.0,4.0,1.0,1.0,-1.0,3.0}"),
                            sdk::sample(name, "f64[2,2,2]{0.0,0.0,0.0,0.0,1.0,2.0,3.0,5.0}"),
                            sdk::sample(name, "f32[3,3]{1e30,0.0,0.0,0.0,1e30,0.0,0.0,0.0,1e-30}"));

constexpr tenon_tolerance tolerances[] = {
    sdk::tolerance({name, TENON_DTYPE_F32, 1, 4e-6, "Each element is the end of many roundings."}),
    sdk::tolerance({name, TENON_DTYPE_F64, 1, 1e-14, "Each element is the end of many roundings."}),
};

}  // namespace

TENON_UNIT(det) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
