// SPDX-License-Identifier: Apache-2.0
// plugins/ops/linalg/qr.cc: qr, matrices as orthogonal columns times an upper triangle.
//
// x = Q R, Q^T Q = 1, R upper with a diagonal that is not negative.
// dx = (dQ + Q sym(triu(dR R^T - Q^T dQ))) R^-T, sym(X) = X + X^T with its diagonal halved.
// Source: array-api `linalg.qr`; M. Seeger and others, "Auto-Differentiating Linear Algebra", 2017.
#include "linalg/matrices.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace mx = tenon::matrices;
constexpr std::string_view name = "tenon.qr";

constexpr std::string_view doc =
    R"(The reduced QR decomposition `x = q r` of the matrices that the last two dimensions hold: of
`[...,M,N]`, with K the lesser of M and N, `q` is `[...,M,K]` with orthonormal columns, and `r` is
`[...,K,N]`, an upper triangle. Its diagonal is not negative, which makes both definite where the
first K columns are independent. `mode` "reduced" is the only one.

Gradient: `dx = (dq + q sym(triu(dr r^T - q^T dq))) r^-T`, where `sym(X)` is `X + X^T` with its
diagonal halved. Where N exceeds M, of the first M columns, with `q r2 dr2^T` added to `dq` for the
others, whose gradient is `q dr2`. Where these columns depend on each other there is none.

Source: Python array API standard, `linalg.qr`; gradient as in M. Seeger and others,
"Auto-Differentiating Linear Algebra", 2017, and PyTorch `linalg_qr_backward`.

Canonical arithmetic: none. The bits are those of the library that computes it, by default LAPACK
(`tenon.lapack`), and without one those of `tenon.ref`, which computes f32 in f64 and is for small
matrices. They are the same for any number of threads.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  if (args.attrs.text(0) != "reduced") {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "mode is not one that qr has", "mode", "\"reduced\"",
                       std::string(args.attrs.text(0))};
  }
  const mx::Extent e = mx::extent_of(args, 0, "x");
  mx::set_matrices(out[0], e, e.m, e.least());
  mx::set_matrices(out[1], e, e.least(), e.n);
}

// Of square or tall matrices.
tenon_tensor* tall_grad(sdk::Vjp& v, sdk::Value q, sdk::Value r, sdk::Value dq, sdk::Value dr) {
  tenon_tensor* apart = mx::difference(v, mx::product(v, dr, mx::transposed(v, r)),
                                       mx::product(v, mx::transposed(v, q), dq));
  tenon_tensor* above = v.call("tenon.triu", {apart}, {1});
  tenon_tensor* symmetric =
      mx::sum(v, v.call("tenon.triu", {apart}, {0}), mx::transposed(v, above));
  tenon_tensor* dx = mx::sum(v, dq, mx::product(v, q, symmetric));
  return mx::transposed(v, v.call("tenon.solve_triangular", {r, mx::transposed(v, dx)}, {true}));
}

void vjp(sdk::Vjp& v) {
  const tenon_meta x = v.in_meta(0);
  const int64_t m = x.shape[x.rank - 2];
  const int64_t n = x.shape[x.rank - 1];
  if (m >= n) {
    v.grad(0, tall_grad(v, v.out(0), v.out(1), v.dy(0), v.dy(1)));
    return;
  }
  const sdk::Value q = v.out(0);
  const auto columns = [&](sdk::Value y, int64_t begin, int64_t end) {
    return v.call("tenon.slice", {y}, {-1, begin, end, 1});
  };
  tenon_tensor* dr2 = columns(v.dy(1), m, n);
  tenon_tensor* r2 = columns(v.out(1), m, n);
  tenon_tensor* dq2 = mx::product(v, mx::product(v, q, r2), mx::transposed(v, dr2));
  tenon_tensor* dx1 =
      tall_grad(v, q, columns(v.out(1), 0, m), mx::sum(v, v.dy(0), dq2), columns(v.dy(1), 0, m));
  tenon_tensor* const parts[] = {dx1, mx::product(v, q, dr2)};
  v.grad(0, v.call("tenon.concat", {std::span<tenon_tensor* const>(parts)}, {-1}));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "qr(x: T[...], *, mode: str=\"reduced\") -> (q: T[...], r: T[...]) "
                       "where T: f32|f64",
             .doc = doc,
             .flags = TENON_OP_LIBRARY_BITS,
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_vjp_need needs[] = {
    sdk::need({.outputs = sdk::bit(0) | sdk::bit(1), .input_metas = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_outputs = 2, .n_attrs = 1})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[3,3]{0.5,1.0,-0.5,2.0,3.0,0.25,-0.5,0.25,2.0}"),
    sdk::sample(name, "f64[4,2]{0.5,1.0,-0.5,2.0,3.0,0.25,-0.5,0.25}"),
    sdk::sample(name, "f64[2,4]{0.5,1.0,-0.5,2.0,3.0,0.25,-0.5,0.25}"),
    sdk::sample(name, "f64[2,2,2]{4.0,1.0,1.0,3.0,2.0,-1.0,-1.0,5.0}"),
    sdk::sample(name, "f64[2,1,3,2]{0.5,1.0,-0.5,2.0,3.0,0.25,-0.5,0.25,1.5,1.0,-2.0,0.75}"),
    sdk::sample(name, "f64[1,3]{-2.0,1.0,0.5} | mode=\"reduced\""),
    sdk::sample(name, "f64[3,1]{-2.0,1.0,0.5}"),
    sdk::sample(name, "f64[1,1]{-2.0}"),
    sdk::sample(name, "f64[0,3]"),
    sdk::sample(name, "f64[3,0]"),
    sdk::sample(name, "f64[0,2,3]"),
    sdk::sample(name, "f32[2,2]{3e18,1e18,1e18,-1e18}"),
    sdk::refused(name, "f32[3]", TENON_E_SHAPE, "2 dimensions or more"),
    sdk::refused(name, "f32[2,2] | mode=\"complete\"", TENON_E_ATTRIBUTE, "mode"),
    sdk::refused(name, "f32[2,2] | mode=1", TENON_E_ATTRIBUTE, "mode"),
    sdk::refused(name, "f16[1,1]", TENON_E_DTYPE, "f16"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
};

constexpr tenon_tolerance tolerances[] = {
    sdk::tolerance({name, TENON_DTYPE_F32, 1, 1e-5, "Each element is the end of many roundings."}),
    sdk::tolerance({name, TENON_DTYPE_F64, 1, 2e-14, "Each element is the end of many roundings."}),
};

}  // namespace

TENON_UNIT(qr) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
