// SPDX-License-Identifier: Apache-2.0
// plugins/ops/linalg/eigh.cc: eigh, eigenvalues and eigenvectors of symmetric matrices.
//
// x V = V diag(w);  dx = V (diag(dw) + F o (V^T dV)) V^T made symmetric, F_jk = 1 / (w_k - w_j) and
// 0 on the diagonal. Source: array-api `linalg.eigh`; M. Giles, "Collected Matrix Derivative
// Results", 2008.
#include "linalg/matrices.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace mx = tenon::matrices;
constexpr std::string_view name = "tenon.eigh";

constexpr std::string_view doc =
    R"(Eigenvalues `w`, ascending, and eigenvectors, the columns of the orthogonal `v`, of the
symmetric matrices that the last two dimensions hold: `x v = v diag(w)`. Of a matrix that is not
quite symmetric the mean of it and its transpose is taken. The sign of an eigenvector is such that
the first of its elements that is at least 0.55 times as large as its largest is positive; this
leaves nothing open where eigenvalues differ.

Gradient: `dx = v (diag(dw) + F * (v^T dv)) v^T`, made symmetric, with `F[j,k] = 1 / (w[k] - w[j])`
and 0 on the diagonal. Where eigenvalues are equal, eigenvectors have none.

Source: Python array API standard, `linalg.eigh`; gradient as in M. Giles, "Collected Matrix
Derivative Results for Forward and Reverse Mode Algorithmic Differentiation", 2008.

Canonical arithmetic: none. The bits are those of the library that computes it, by default LAPACK
(`tenon.lapack`), and without one those of `tenon.ref`, which computes f32 in f64 and is for small
matrices. They are the same for any number of threads.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const mx::Extent e = mx::square_of(args, 0, "x");
  tenon::rules::Dims values(e.batch);
  values.push(e.n);
  sdk::set_shape(out[0], values.span());
  mx::set_matrices(out[1], e, e.n, e.n);
}

void vjp(sdk::Vjp& v) {
  const tenon_meta x = v.in_meta(0);
  const sdk::Value vectors = v.out(1);
  tenon_tensor* turned = mx::transposed(v, vectors);
  tenon_tensor* one = mx::identity(v, x.shape[x.rank - 1], x.dtype);
  tenon_tensor* gaps = mx::inverse_gaps(v, v.out(0), one);
  tenon_tensor* inner = mx::times(v, mx::product(v, turned, v.dy(1)), gaps);
  inner = mx::sum(v, inner, mx::times(v, one, mx::as_rows(v, v.dy(0))));
  tenon_tensor* dx = mx::product(v, mx::product(v, vectors, inner), turned);
  v.grad(0, mx::symmetric_half(v, dx));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "eigh(x: T[...]) -> (w: T[...], v: T[...]) where T: f32|f64",
             .doc = doc,
             .flags = TENON_OP_LIBRARY_BITS,
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_vjp_need needs[] = {
    sdk::need({.outputs = sdk::bit(0) | sdk::bit(1), .input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_outputs = 2})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,2]{4.0,1.0,1.0,3.0}"),
    sdk::sample(name, "f64[3,3]{4.0,1.0,-0.5,1.0,3.0,0.25,-0.5,0.25,2.0}"),
    sdk::sample(name, "f64[2,2]{2.0,1.5,0.5,-3.0}"),
    sdk::sample(name, "f64[2,2]{1.0,2.0,2.0,1.0}"),
    sdk::sample(name, "f64[2,2,2]{4.0,1.0,1.0,3.0,2.0,-1.0,-1.0,5.0}"),
    sdk::sample(name, "f64[2,1,2,2]{4.0,1.0,1.0,3.0,2.0,-1.0,-1.0,5.0}"),
    sdk::sample(name, "f64[1,1]{-2.0}"),
    sdk::sample(name, "f64[0,0]"),
    sdk::sample(name, "f64[0,2,2]"),
    sdk::sample(name, "f32[2,2]{3e18,1e18,1e18,-1e18}"),
    sdk::refused(name, "f32[2,3]", TENON_E_SHAPE, "square"),
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

TENON_UNIT(eigh) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
