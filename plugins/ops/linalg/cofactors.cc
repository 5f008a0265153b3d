// SPDX-License-Identifier: Apache-2.0
// plugins/ops/linalg/cofactors.cc: cofactors, the gradient of determinants.
//
// P x = L U;  adj(x) = adj(U) L^-1 P det P,  y = adj(x)^T. The adjugate of U by products alone:
//   m_ii = 1,  m_ij = -sum over i <= k < j of m_ik u_kj (u_ll for k < l < j),
//   adj(U)_ij = m_ij * (u_kk for k < i) * (u_kk for k > j)
// so no pivot is divided by. Source: R. Horn, C. Johnson, "Matrix Analysis", 0.8.2; the sums are
// those of back substitution, each pivot multiplied instead of divided by.
#include "linalg/determinants.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace mx = tenon::matrices;
constexpr std::string_view name = "tenon.cofactors";

constexpr std::string_view doc =
    R"(The cofactors of the square matrices that the last two dimensions hold: element `[i,j]` is
`(-1)^(i+j)` times the determinant of the matrix without row `i` and column `j`. It is the gradient
of the determinant: `det x * x^-T` where there is an inverse, the transpose of the adjugate.
Singular matrices have cofactors too. A matrix with an element that is not finite has NaN for all;
the one of a matrix of one element is 1. Integers and bools are cast to f32.

Gradient: with `x = u diag(s) vh`, the singular value decomposition, `g = u^T dy vh^T` and `p[i,j]`
the product of all `s` but two, numbers `i` and `j`, 0 for `i = j`: `dx = det u det vh u (diag(p
diag(g)) - p * g^T) vh`. It is right for singular matrices too, NaN for one that is not finite, and
has no gradient itself.

Source: R. Horn, C. Johnson, "Matrix Analysis", second edition, section 0.8.2.

Canonical arithmetic: in f64, each operation rounded and none fused, rounded once to T. `P x = L U`
by elimination with the first of the largest pivots of each column, column by column; `m` as a row
of sums, from `k = i`, each multiplied by the next pivot before the next product is added:
`sum = sum * u_kk + m_ik u_kj`, `m_ij = -sum`, and `adj(U)_ij` is `m_ij` times the product of the
pivots before `i` from the first on, times that of those after `j` from the last on. `L^T z =
adj(U)^T` is solved from the last row up, the rows below subtracted in order; exchanges of rows are
undone, and each turns the sign.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const mx::Extent e = mx::square_of(args, 0, "x");
  mx::set_matrices(out[0], e, e.n, e.n);
}

// p: row i is s with a 1 for s_i; of that, the products of all but one.
tenon_tensor* products_without_two(sdk::Vjp& v, sdk::Value s, tenon_tensor* one,
                                   tenon_tensor* others) {
  const sdk::Value rows = mx::sum(v, mx::times(v, mx::as_rows(v, s), others), one);
  tenon_tensor* before = v.call("tenon.cumprod", {rows}, {-1, false, true});
  tenon_tensor* after = v.call("tenon.cumprod", {rows}, {-1, true, true});
  return mx::times(v, mx::times(v, before, after), others);
}

// The gradient at matrices whose elements are finite.
tenon_tensor* at_finite(sdk::Vjp& v, sdk::Value x) {
  tenon_tensor* svd[3];
  v.call_many("tenon.svd", {&x, 1}, {}, svd);
  const tenon_meta meta = v.in_meta(0);
  tenon_tensor* one = mx::identity(v, meta.shape[meta.rank - 1], meta.dtype);
  tenon_tensor* p = products_without_two(v, svd[1], one, mx::difference(v, 1, one));
  tenon_tensor* u = svd[0];
  tenon_tensor* vh = svd[2];
  tenon_tensor* turned = mx::product(v, mx::transposed(v, u), v.dy());
  tenon_tensor* g = mx::product(v, turned, mx::transposed(v, vh));
  tenon_tensor* along = v.call("tenon.diagonal", {g}, {0, -2, -1});
  tenon_tensor* inner = mx::times(v, one, mx::product(v, p, mx::as_columns(v, along)));
  inner = mx::difference(v, inner, mx::times(v, p, mx::transposed(v, g)));
  tenon_tensor* signs = mx::times(v, v.call("tenon.det", {u}), v.call("tenon.det", {vh}));
  return mx::times(v, mx::product(v, mx::product(v, u, inner), vh), mx::as_factors(v, signs));
}

void vjp(sdk::Vjp& v) {
  const sdk::Value det = v.call("tenon.det", {v.in(0)});
  mx::grad_without(v, v.call("tenon.ne", {det, det}), 0,
                   [&](tenon_tensor* x) { return at_finite(v, x); });
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "cofactors(x: T[...]) -> T[...] where T: f32|f64 promote",
             .doc = doc,
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.inputs = sdk::bit(0), .input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .flags = 0})};

constexpr auto samples =
    mx::determinant_samples(name, sdk::sample(name, "f64[2,2]{1.0,2.0,2.0,4.0}"),
                            sdk::sample(name, "f64[3,3]{1.0,2.0,0.5,2.0,4.0,1.0,1.0,-1.0,3.0}"),
                            sdk::sample(name, "f64[3,3]{1.0,2.0,3.0,2.0,4.0,6.0,-1.0,-2.0,-3.0}"),
                            sdk::sample(name, "f64[3,3]{0.0,1.0,2.0,0.0,0.0,3.0,0.0,0.0,0.0}"),
                            sdk::sample(name, "f64[2,2,2]{0.0,0.0,0.0,0.0,1.0,2.0,3.0,5.0}"));

constexpr tenon_tolerance tolerances[] = {
    sdk::tolerance({name, TENON_DTYPE_F32, 1, 4e-6, "Each element is the end of many roundings."}),
    sdk::tolerance({name, TENON_DTYPE_F64, 1, 1e-14, "Each element is the end of many roundings."}),
};

}  // namespace

TENON_UNIT(cofactors) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
