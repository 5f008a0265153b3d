// SPDX-License-Identifier: Apache-2.0
// plugins/ops/linalg/slogdet.cc: slogdet, sign and logarithm of determinants.
//
// sign * exp(logabsdet) = det x;  dx = dlogabsdet x^-T. Source: array-api `linalg.slogdet`.
#include "linalg/determinants.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace mx = tenon::matrices;
constexpr std::string_view name = "tenon.slogdet";

constexpr std::string_view doc =
    R"(Sign, and natural logarithm of the absolute value, of the determinants of the square
matrices that the last two dimensions hold: `det x = sign * exp(logabsdet)`, also where the
determinant itself is too large or too small for the dtype. They are those of the pivots of an
elimination with the largest pivot of each column. A matrix without a pivot in one of the columns,
which is singular, has sign 0 and logarithm `-inf`; one with an element that is not finite has NaN
for both; one without elements has 1 and 0. Integers and bools are cast to f32.

Gradient: `dx = dlogabsdet * x^-T`, by `tenon.solve`; NaN for a matrix that is singular or not
finite. The sign has no gradient.

Source: Python array API standard, `linalg.slogdet`.

Canonical arithmetic: none. The bits are those of the library that computes it, by default LAPACK
(`tenon.lapack`), and without one those of `tenon.ref`, which computes f32 in f64 and is for small
matrices. They are the same for any number of threads.)";

void vjp(sdk::Vjp& v) {
  const tenon_meta x = v.in_meta(0);
  tenon_tensor* one = mx::identity(v, x.shape[x.rank - 1], x.dtype);
  tenon_tensor* sizes = mx::times(v, v.out(0), v.out(0));  // 1, or 0, or NaN
  mx::grad_without(v, v.call("tenon.ne", {sizes, 1}), one, [&](tenon_tensor* regular) {
    // Of the matrix, not of its transpose: what has pivots for slogdet has them here, too.
    tenon_tensor* inverse = v.call("tenon.solve", {regular, one});
    return mx::times(v, mx::transposed(v, inverse), mx::as_factors(v, v.dy(1)));
  });
}

constexpr tenon_op_desc ops[] = {sdk::op(
    {.name = name,
     .schema = "slogdet(x: T[...]) -> (sign: T[...], logabsdet: T[...]) where T: f32|f64 promote",
     .doc = doc,
     .flags = TENON_OP_LIBRARY_BITS,
     .infer = sdk::infer_fn<mx::infer_numbers>})};

constexpr tenon_vjp_need needs[] = {
    sdk::need({.inputs = sdk::bit(0), .outputs = sdk::bit(0), .input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_outputs = 2})};

constexpr auto samples =
    mx::determinant_samples(name, sdk::sample(name, "f32[2,2]{3e38,0.0,0.0,2e38}"),
                            sdk::sample(name, "f32[2,2]{1e-30,0.0,1.0,1e-40}"));

constexpr tenon_tolerance tolerances[] = {
    sdk::tolerance({name, TENON_DTYPE_F32, 1, 4e-6, "Each element is the end of many roundings."}),
    sdk::tolerance({name, TENON_DTYPE_F64, 1, 1e-14, "Each element is the end of many roundings."}),
};

}  // namespace

TENON_UNIT(slogdet) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
