// SPDX-License-Identifier: Apache-2.0
// backends/lapack/routines.h: LAPACK's routines as Fortran compilers name them, for T f32 or f64.
//
// Matrices are column-major. Lengths of character arguments follow all others, as gfortran passes
// them.
#pragma once

#include <cblas.h>
#include <cstddef>

extern "C" {
using TenonLapackInt = const blasint*;

void spotrf_(const char* uplo, TenonLapackInt n, float* a, TenonLapackInt lda, blasint* info,
             size_t);
void dpotrf_(const char* uplo, TenonLapackInt n, double* a, TenonLapackInt lda, blasint* info,
             size_t);
void sgetrf_(TenonLapackInt m, TenonLapackInt n, float* a, TenonLapackInt lda, blasint* pivots,
             blasint* info);
void dgetrf_(TenonLapackInt m, TenonLapackInt n, double* a, TenonLapackInt lda, blasint* pivots,
             blasint* info);
void sgeqrf_(TenonLapackInt m, TenonLapackInt n, float* a, TenonLapackInt lda, float* tau,
             float* work, TenonLapackInt lwork, blasint* info);
void dgeqrf_(TenonLapackInt m, TenonLapackInt n, double* a, TenonLapackInt lda, double* tau,
             double* work, TenonLapackInt lwork, blasint* info);
void sorgqr_(TenonLapackInt m, TenonLapackInt n, TenonLapackInt k, float* a, TenonLapackInt lda,
             const float* tau, float* work, TenonLapackInt lwork, blasint* info);
void dorgqr_(TenonLapackInt m, TenonLapackInt n, TenonLapackInt k, double* a, TenonLapackInt lda,
             const double* tau, double* work, TenonLapackInt lwork, blasint* info);
void ssytrd_(const char* uplo, TenonLapackInt n, float* a, TenonLapackInt lda, float* d, float* e,
             float* tau, float* work, TenonLapackInt lwork, blasint* info, size_t);
void dsytrd_(const char* uplo, TenonLapackInt n, double* a, TenonLapackInt lda, double* d,
             double* e, double* tau, double* work, TenonLapackInt lwork, blasint* info, size_t);
void sstedc_(const char* compz, TenonLapackInt n, float* d, float* e, float* z, TenonLapackInt ldz,
             float* work, TenonLapackInt lwork, blasint* iwork, TenonLapackInt liwork,
             blasint* info, size_t);
void dstedc_(const char* compz, TenonLapackInt n, double* d, double* e, double* z,
             TenonLapackInt ldz, double* work, TenonLapackInt lwork, blasint* iwork,
             TenonLapackInt liwork, blasint* info, size_t);
void ssyevd_(const char* jobz, const char* uplo, TenonLapackInt n, float* a, TenonLapackInt lda,
             float* w, float* work, TenonLapackInt lwork, blasint* iwork, TenonLapackInt liwork,
             blasint* info, size_t, size_t);
void dsyevd_(const char* jobz, const char* uplo, TenonLapackInt n, double* a, TenonLapackInt lda,
             double* w, double* work, TenonLapackInt lwork, blasint* iwork, TenonLapackInt liwork,
             blasint* info, size_t, size_t);
void sgesdd_(const char* jobz, TenonLapackInt m, TenonLapackInt n, float* a, TenonLapackInt lda,
             float* s, float* u, TenonLapackInt ldu, float* vt, TenonLapackInt ldvt, float* work,
             TenonLapackInt lwork, blasint* iwork, blasint* info, size_t);
void dgesdd_(const char* jobz, TenonLapackInt m, TenonLapackInt n, double* a, TenonLapackInt lda,
             double* s, double* u, TenonLapackInt ldu, double* vt, TenonLapackInt ldvt,
             double* work, TenonLapackInt lwork, blasint* iwork, blasint* info, size_t);
void sgebrd_(TenonLapackInt m, TenonLapackInt n, float* a, TenonLapackInt lda, float* d, float* e,
             float* tauq, float* taup, float* work, TenonLapackInt lwork, blasint* info);
void dgebrd_(TenonLapackInt m, TenonLapackInt n, double* a, TenonLapackInt lda, double* d,
             double* e, double* tauq, double* taup, double* work, TenonLapackInt lwork,
             blasint* info);
void sbdsdc_(const char* uplo, const char* compq, TenonLapackInt n, float* d, float* e, float* u,
             TenonLapackInt ldu, float* vt, TenonLapackInt ldvt, float* q, blasint* iq, float* work,
             blasint* iwork, blasint* info, size_t, size_t);
void dbdsdc_(const char* uplo, const char* compq, TenonLapackInt n, double* d, double* e, double* u,
             TenonLapackInt ldu, double* vt, TenonLapackInt ldvt, double* q, blasint* iq,
             double* work, blasint* iwork, blasint* info, size_t, size_t);
void slarft_(const char* direct, const char* storev, TenonLapackInt n, TenonLapackInt k,
             const float* v, TenonLapackInt ldv, const float* tau, float* t, TenonLapackInt ldt,
             size_t, size_t);
void dlarft_(const char* direct, const char* storev, TenonLapackInt n, TenonLapackInt k,
             const double* v, TenonLapackInt ldv, const double* tau, double* t, TenonLapackInt ldt,
             size_t, size_t);
void slarfb_(const char* side, const char* trans, const char* direct, const char* storev,
             TenonLapackInt m, TenonLapackInt n, TenonLapackInt k, const float* v,
             TenonLapackInt ldv, const float* t, TenonLapackInt ldt, float* c, TenonLapackInt ldc,
             float* work, TenonLapackInt ldwork, size_t, size_t, size_t, size_t);
void dlarfb_(const char* side, const char* trans, const char* direct, const char* storev,
             TenonLapackInt m, TenonLapackInt n, TenonLapackInt k, const double* v,
             TenonLapackInt ldv, const double* t, TenonLapackInt ldt, double* c, TenonLapackInt ldc,
             double* work, TenonLapackInt ldwork, size_t, size_t, size_t, size_t);
}

namespace tenon::lapack {

template <class T>
struct Routines;

template <>
struct Routines<float> {
  static constexpr auto potrf = spotrf_;
  static constexpr auto getrf = sgetrf_;
  static constexpr auto geqrf = sgeqrf_;
  static constexpr auto orgqr = sorgqr_;
  static constexpr auto sytrd = ssytrd_;
  static constexpr auto stedc = sstedc_;
  static constexpr auto syevd = ssyevd_;
  static constexpr auto gebrd = sgebrd_;
  static constexpr auto bdsdc = sbdsdc_;
  static constexpr auto larft = slarft_;
  static constexpr auto larfb = slarfb_;
  static constexpr auto gesdd = sgesdd_;
  static constexpr auto trsm = cblas_strsm;
};

template <>
struct Routines<double> {
  static constexpr auto potrf = dpotrf_;
  static constexpr auto getrf = dgetrf_;
  static constexpr auto geqrf = dgeqrf_;
  static constexpr auto orgqr = dorgqr_;
  static constexpr auto sytrd = dsytrd_;
  static constexpr auto stedc = dstedc_;
  static constexpr auto syevd = dsyevd_;
  static constexpr auto gebrd = dgebrd_;
  static constexpr auto bdsdc = dbdsdc_;
  static constexpr auto larft = dlarft_;
  static constexpr auto larfb = dlarfb_;
  static constexpr auto gesdd = dgesdd_;
  static constexpr auto trsm = cblas_dtrsm;
};

}  // namespace tenon::lapack
