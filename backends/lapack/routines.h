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
void sgelqf_(TenonLapackInt m, TenonLapackInt n, float* a, TenonLapackInt lda, float* tau,
             float* work, TenonLapackInt lwork, blasint* info);
void dgelqf_(TenonLapackInt m, TenonLapackInt n, double* a, TenonLapackInt lda, double* tau,
             double* work, TenonLapackInt lwork, blasint* info);
void sorglq_(TenonLapackInt m, TenonLapackInt n, TenonLapackInt k, float* a, TenonLapackInt lda,
             const float* tau, float* work, TenonLapackInt lwork, blasint* info);
void dorglq_(TenonLapackInt m, TenonLapackInt n, TenonLapackInt k, double* a, TenonLapackInt lda,
             const double* tau, double* work, TenonLapackInt lwork, blasint* info);
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
}

namespace tenon::lapack {

template <class T>
struct Routines;

template <>
struct Routines<float> {
  static constexpr auto potrf = spotrf_;
  static constexpr auto getrf = sgetrf_;
  static constexpr auto gelqf = sgelqf_;
  static constexpr auto orglq = sorglq_;
  static constexpr auto syevd = ssyevd_;
  static constexpr auto gesdd = sgesdd_;
  static constexpr auto trsm = cblas_strsm;
};

template <>
struct Routines<double> {
  static constexpr auto potrf = dpotrf_;
  static constexpr auto getrf = dgetrf_;
  static constexpr auto gelqf = dgelqf_;
  static constexpr auto orglq = dorglq_;
  static constexpr auto syevd = dsyevd_;
  static constexpr auto gesdd = dgesdd_;
  static constexpr auto trsm = cblas_dtrsm;
};

}  // namespace tenon::lapack
