// SPDX-License-Identifier: Apache-2.0
// plugins/ops/linalg/svd.cc: svd, singular values and vectors of matrices.
//
// x = U diag(S) Vh;  with F_jk = 1 / (S_k^2 - S_j^2), 0 on the diagonal, skew(X) = X - X^T:
// dx = U (F o skew(U^T dU) S + S F o skew(Vh dVh^T) + diag(dS)) Vh
//      + (1 - U U^T) dU S^-1 Vh + U S^-1 dVh (1 - Vh^T Vh).
// Source: array-api `linalg.svd`; J. Townsend, "Differentiating the Singular Value Decomposition",
// 2016.
#include "linalg/matrices.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace mx = tenon::matrices;
constexpr std::string_view name = "tenon.svd";

constexpr std::string_view doc =
    R"(The reduced singular value decomposition `x = u diag(s) vh` of the matrices that the last two
dimensions hold: of `[...,M,N]`, with K the lesser of M and N, `u` is `[...,M,K]` with orthonormal
columns, `s` is `[...,K]`, descending and not negative, and `vh` is `[...,K,N]` with orthonormal
rows. The sign of a pair of vectors is such that the first element of the row of `vh` that is at
least 0.55 times as large as its largest is positive; this leaves nothing open where singular values
differ and are not 0.

Gradient: as PyTorch's `svd_backward`; where singular values are equal or 0, vectors have none.

Source: Python array API standard, `linalg.svd` with `full_matrices=False`; gradient as in J.
Townsend, "Differentiating the Singular Value Decomposition", 2016, and PyTorch `svd_backward`.

Canonical arithmetic: none. The bits are those of the library that computes it, by default LAPACK
(`tenon.lapack`), and without one those of `tenon.ref`, which computes f32 in f64 and is for small
matrices. They are the same for any number of threads.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const mx::Extent e = mx::extent_of(args, 0, "x");
  tenon::rules::Dims values(e.batch);
  values.push(e.least());
  mx::set_matrices(out[0], e, e.m, e.least());
  sdk::set_shape(out[1], values.span());
  mx::set_matrices(out[2], e, e.least(), e.n);
}

tenon_tensor* skew(sdk::Vjp& v, sdk::Value x) { return mx::difference(v, x, mx::transposed(v, x)); }

void vjp(sdk::Vjp& v) {
  const tenon_meta x = v.in_meta(0);
  const int64_t m = x.shape[x.rank - 2];
  const int64_t n = x.shape[x.rank - 1];
  const sdk::Value u = v.out(0), s = v.out(1), vh = v.out(2);
  const sdk::Value du = v.dy(0), dvh = v.dy(2);
  tenon_tensor* row = mx::as_rows(v, s);
  tenon_tensor* column = mx::as_columns(v, s);
  tenon_tensor* one = mx::identity(v, m < n ? m : n, x.dtype);
  tenon_tensor* gaps = mx::inverse_gaps(v, mx::times(v, s, s), one);
  tenon_tensor* u_du = mx::product(v, mx::transposed(v, u), du);
  tenon_tensor* dvh_v = mx::product(v, dvh, mx::transposed(v, vh));
  tenon_tensor* inner = mx::times(v, mx::times(v, skew(v, u_du), gaps), row);
  tenon_tensor* right = mx::times(v, skew(v, mx::transposed(v, dvh_v)), gaps);
  inner = mx::sum(v, inner, mx::times(v, right, column));
  inner = mx::sum(v, inner, mx::times(v, one, mx::as_rows(v, v.dy(1))));
  tenon_tensor* dx = mx::product(v, mx::product(v, u, inner), vh);
  if (m > n) {
    tenon_tensor* rest = mx::difference(v, du, mx::product(v, u, u_du));
    dx = mx::sum(v, dx, mx::product(v, v.call("tenon.div", {rest, row}), vh));
  }
  if (n > m) {
    tenon_tensor* rest = mx::difference(v, dvh, mx::product(v, dvh_v, vh));
    dx = mx::sum(v, dx, mx::product(v, u, v.call("tenon.div", {rest, column})));
  }
  v.grad(0, dx);
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "svd(x: T[...]) -> (u: T[...], s: T[...], vh: T[...]) where T: f32|f64",
             .doc = doc,
             .flags = TENON_OP_LIBRARY_BITS,
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_vjp_need needs[] = {
    sdk::need({.outputs = sdk::bit(0) | sdk::bit(1) | sdk::bit(2), .input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_outputs = 3})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,2]{4.0,1.0,-2.0,3.0}"),
    sdk::sample(name, "f64[3,3]{0.5,1.0,-0.5,2.0,3.0,0.25,-0.5,0.25,2.0}"),
    sdk::sample(name, "f64[4,2]{0.5,1.0,-0.5,2.0,3.0,0.25,-0.5,0.25}"),
    sdk::sample(name, "f64[2,4]{0.5,1.0,-0.5,2.0,3.0,0.25,-0.5,0.25}"),
    sdk::sample(name, "f64[2,2,2]{4.0,1.0,1.0,3.0,2.0,-1.0,-1.0,5.0}"),
    sdk::sample(name, "f64[2,1,3,2]{0.5,1.0,-0.5,2.0,3.0,0.25,-0.5,0.25,1.5,1.0,-2.0,0.75}"),
    sdk::sample(name, "f64[1,3]{-2.0,1.0,0.5}"),
    sdk::sample(name, "f64[3,1]{-2.0,1.0,0.5}"),
    sdk::sample(name, "f64[1,1]{-2.0}"),
    sdk::sample(name, "f64[0,3]"),
    sdk::sample(name, "f64[3,0]"),
    sdk::sample(name, "f64[0,2,3]"),
    sdk::sample(name, "f32[2,2]{3e18,1e18,1e18,-1e18}"),
    sdk::refused(name, "f32[3]", TENON_E_SHAPE, "2 dimensions or more"),
    sdk::refused(name, "f32[2,2]{nan,0.0,0.0,1.0}", TENON_E_DATA, "not finite"),
    sdk::refused(name, "f16[1,1]", TENON_E_DTYPE, "f16"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
};

constexpr tenon_tolerance tolerances[] = {
    sdk::tolerance({name, TENON_DTYPE_F32, 1, 1e-5, "Each element is the end of many roundings."}),
    sdk::tolerance({name, TENON_DTYPE_F64, 1, 2e-14, "Each element is the end of many roundings."}),
};

}  // namespace

TENON_UNIT(svd) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
