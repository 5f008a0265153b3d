// SPDX-License-Identifier: Apache-2.0
// backends/lapack/determinant.cc: det and slogdet, from the pivots of xGETRF.
// Source: LAPACK Users' Guide, third edition, section 2.4.1; op documentation.
#include "factors.h"

namespace tenon::lapack {
namespace {

double work_of(int64_t n) { return std::pow(static_cast<double>(n), 3.0) / 3; }

template <class T>
sdk::Determinant determinant(Factors<T>& in, const T* x) {
  sdk::Determinant found;
  if (in.n == 0) return found;
  if (sdk::find_not_finite(x, in.n * in.n) != nullptr) return sdk::Determinant::unknown();
  if (!in.factorise(x)) {
    found.add_pivot(0, false);
    return found;
  }
  for (int64_t i = 0; i < in.n; ++i) {
    found.add_pivot(static_cast<double>(in.lu[i * in.n + i]), in.exchanged(i));
    if (in.scaled) found.add_exponent(in.exponents[i]);
  }
  return found;
}

// Matrices without elements have a determinant too.
int64_t count_of(const Extent& e) { return sdk::count_of(e.batch); }

uint64_t bytes(const sdk::Args& args) {
  const Extent e(args.view(0));
  return scratch_of<Factors>(args, e.n, pieces_of(count_of(e), work_of(e.n)));
}

// take(T(), i, determinant) for each matrix of the batch.
template <class Take>
void for_each_determinant(const sdk::Launch& l, const Take& take) {
  const Extent e(l.view(0));
  dispatch(l.out().dtype, [&]<class T>() {
    const auto run = [&](int64_t begin, int64_t end, Room& room, const Team&) {
      Factors<T> in(room, e.n);
      for (int64_t i = begin; i < end; ++i) {
        take(T(), i, determinant(in, l.data<const T>(0) + i * e.n * e.n));
      }
      return end;
    };
    first_refused(l, count_of(e), work_of(e.n), run);
  });
}

void det(const sdk::Launch& l) {
  for_each_determinant(l, [&]<class T>(T, int64_t i, const sdk::Determinant& found) {
    l.out_data<T>()[i] = static_cast<T>(found.value());
  });
}

void slogdet(const sdk::Launch& l) {
  for_each_determinant(l, [&]<class T>(T, int64_t i, const sdk::Determinant& found) {
    l.out_data<T>(0)[i] = static_cast<T>(found.sign());
    l.out_data<T>(1)[i] = static_cast<T>(found.logarithm());
  });
}

constexpr tenon_slot_rule one[] = {sdk::contiguous_in(), sdk::contiguous_out()};
constexpr tenon_slot_rule pair[] = {sdk::contiguous_in(), sdk::contiguous_out(),
                                    sdk::contiguous_out()};

constexpr tenon_kernel_desc kernels[] = {
    matrix_kernel<det, bytes>("tenon.det", one, 0),
    matrix_kernel<slogdet, bytes>("tenon.slogdet", pair, 0),
};

}  // namespace
}  // namespace tenon::lapack

TENON_UNIT(determinant) = {.kernels = tenon::lapack::kernels};
