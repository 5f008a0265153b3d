// SPDX-License-Identifier: Apache-2.0
// plugins/ops/linalg/cholesky.cc: cholesky, the triangular root of positive definite matrices.
//
// x = L L^T;  dx = L^-T P L^-1, P the symmetric matrix with the lower triangle of L^T dL / 2.
// Source: array-api `linalg.cholesky`; I. Murray, "Differentiation of the Cholesky decomposition",
// 2016.
#include "linalg/matrices.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace mx = tenon::matrices;
constexpr std::string_view name = "tenon.cholesky";

constexpr std::string_view doc =
    R"(The lower triangle `L` with positive diagonal for which `x = L L^T`, for the symmetric
positive definite matrices that the last two dimensions hold; with `upper` its transpose. Of a
matrix that is not quite symmetric the mean of it and its transpose is taken. A matrix that is not
positive definite is refused by its place in the batch.

Gradient: `dx = L^-T P L^-1`, with `P` the symmetric matrix whose lower triangle is that of `L^T
dL / 2`. It is symmetric.

Source: Python array API standard, `linalg.cholesky`; gradient as in I. Murray, "Differentiation
of the Cholesky decomposition", 2016.

Canonical arithmetic: none. The bits are those of the library that computes it, by default LAPACK
(`tenon.lapack`), and without one those of `tenon.ref`, which computes f32 in f64 and is for small
matrices. They are the same for any number of threads.)";

void infer(const sdk::Args& args, std::span<tenon_meta> out) {
  const mx::Extent e = mx::square_of(args, 0, "x");
  mx::set_matrices(out[0], e, e.n, e.n);
}

void vjp(sdk::Vjp& v) {
  const bool upper = v.attr(0).as.i64 != 0;
  const sdk::Value turned = upper ? v.out() : mx::transposed(v, v.out());
  const sdk::Value dl = upper ? mx::transposed(v, v.dy()) : v.dy();
  tenon_tensor* p = mx::product(v, turned, v.call("tenon.tril", {dl}, {0}));
  tenon_tensor* below = v.call("tenon.tril", {p}, {-1});
  p = mx::sum(v, v.call("tenon.tril", {p}, {0}), mx::transposed(v, below));
  p = v.call("tenon.solve_triangular", {turned, p}, {true});
  p = mx::transposed(v, v.call("tenon.solve_triangular", {turned, mx::transposed(v, p)}, {true}));
  v.grad(0, mx::times(v, p, 0.5));
}

constexpr tenon_op_desc ops[] = {
    sdk::op({.name = name,
             .schema = "cholesky(x: T[...], *, upper: bool=false) -> T[...] where T: f32|f64",
             .doc = doc,
             .flags = TENON_OP_LIBRARY_BITS,
             .infer = sdk::infer_fn<infer>})};

constexpr tenon_vjp_need needs[] = {sdk::need({.outputs = sdk::bit(0)})};
constexpr tenon_vjp_desc vjps[] = {
    sdk::vjp({.op = name, .needs = needs, .vjp = sdk::vjp_fn<vjp>, .n_attrs = 1})};

constexpr tenon_sample samples[] = {
    sdk::sample(name, "f64[2,2]{4.0,1.0,1.0,3.0}"),
    sdk::sample(name, "f64[3,3]{4.0,1.0,-0.5,1.0,3.0,0.25,-0.5,0.25,2.0}"),
    sdk::sample(name, "f64[3,3]{4.0,1.0,-0.5,1.0,3.0,0.25,-0.5,0.25,2.0} | upper=true"),
    sdk::sample(name, "f64[2,2]{4.0,1.5,0.5,3.0}"),
    sdk::sample(name, "f64[2,2,2]{4.0,1.0,1.0,3.0,2.0,-1.0,-1.0,5.0}"),
    sdk::sample(name, "f64[2,1,2,2]{4.0,1.0,1.0,3.0,2.0,-1.0,-1.0,5.0} | upper=true"),
    sdk::sample(name, "f64[1,1]{2.0}"),
    sdk::sample(name, "f64[0,0]"),
    sdk::sample(name, "f64[0,2,2]"),
    sdk::sample(name, "f32[2,2]{3e18,1e18,1e18,2e18}"),
    sdk::refused(name, "f32[2,2]{1.0,2.0,2.0,1.0}", TENON_E_DATA, "not positive definite"),
    sdk::refused(name, "f32[2,1,1]{1.0,-1.0}", TENON_E_DATA, "x[1] is not positive definite"),
    sdk::refused(name, "f32[1,1]{nan}", TENON_E_DATA, "not positive definite"),
    sdk::refused(name, "f32[2,3]", TENON_E_SHAPE, "square"),
    sdk::refused(name, "f32[3]", TENON_E_SHAPE, "2 dimensions or more"),
    sdk::refused(name, "f32[1,1] | upper=1", TENON_E_ATTRIBUTE, "upper"),
    sdk::refused(name, "f16[1,1]", TENON_E_DTYPE, "f16"),
    sdk::refused(name, "", TENON_E_ARGUMENT, "number of operands"),
};

constexpr tenon_tolerance tolerances[] = {
    sdk::tolerance({name, TENON_DTYPE_F32, 1, 4e-6, "Each element is the end of many roundings."}),
    sdk::tolerance({name, TENON_DTYPE_F64, 1, 1e-14, "Each element is the end of many roundings."}),
};

}  // namespace

TENON_UNIT(cholesky) = {.ops = ops, .vjps = vjps, .samples = samples, .tolerances = tolerances};
