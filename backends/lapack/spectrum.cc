// SPDX-License-Identifier: Apache-2.0
// backends/lapack/spectrum.cc: eigh and svd.
//
//   eigh   xSYEVD of x made symmetric, which is its own transpose; LAPACK's columns are rows here
//          and are transposed back
//   svd    xGESDD of the transpose: x^T = V diag(s) U^T, so its left vectors are the rows of vh,
//   and
//          its right ones the columns of u, both stored as Tenon stores them
// Signs as the ops have them.
// Source: LAPACK Users' Guide, third edition, sections 2.4.4, 2.4.6; op documentation.
#include "lapack.h"

namespace tenon::lapack {
namespace {

sdk::Failure no_convergence(const std::string& place) {
  return {TENON_E_DATA,
          place + " was not decomposed: the iteration did not converge",
          "x",
          "a matrix for which LAPACK's iteration ends",
          "one that it gives up",
          "pin the op to tenon.ref"};
}

template <class T>
struct EighRoom {
  EighRoom(Room& room, const Extent& e) : n(as_int(e.n)) {
    T most = 0;
    T unused = 0;
    blasint info = 0;
    const blasint ask = -1;
    Routines<T>::syevd("V", "L", &n, &unused, &n, &unused, &most, &ask, &liwork, &ask, &info, 1, 1);
    lwork = as_int(work_size(most));
    work = room.take<T>(lwork);
    iwork = room.take<blasint>(liwork);
  }

  // False if x, of which v holds the symmetric part then, is not finite or nothing converged.
  bool run(const T* x, T* w, T* v) const {
    const int64_t size = n;
    blasint info = 0;
    for_each_place(size, size, [&](int64_t i, int64_t j) {
      v[i * size + j] = mean(x[i * size + j], x[j * size + i]);
    });
    if (sdk::find_not_finite(v, size * size) != nullptr) return false;
    Routines<T>::syevd("V", "L", &n, v, &n, w, work, &lwork, iwork, &liwork, &info, 1, 1);
    if (info != 0) {
      std::fill(v, v + size * size, T(0));
      return false;
    }
    for (int64_t k = 0; k < size; ++k) {
      T* const row = v + k * size;
      const T sign = sdk::definite_sign(row, size, 1);
      for (int64_t i = 0; i < size; ++i) row[i] *= sign;
    }
    for_each_place(size, size, [&](int64_t i, int64_t j) {
      if (j < i) std::swap(v[i * size + j], v[j * size + i]);
    });
    return true;
  }

  blasint n;
  blasint lwork = 0;
  blasint liwork = 0;
  T* work = nullptr;
  blasint* iwork = nullptr;
};

double eigh_work(const Extent& e) { return 9 * std::pow(static_cast<double>(e.n), 3.0); }

uint64_t eigh_bytes(const sdk::Args& args) {
  const Extent e(args.view(0));
  return scratch_of<EighRoom>(args, e, pieces_of(e.count(), eigh_work(e)));
}

void eigh(const sdk::Launch& l) {
  const Extent e(l.view(0));
  const int64_t elements = e.n * e.n;
  dispatch(l.out().dtype, [&]<class T>() {
    T* const v = l.out_data<T>(1);
    const auto run = [&](int64_t begin, int64_t end, Room& room) {
      const EighRoom<T> in(room, e);
      for (int64_t b = begin; b < end; ++b) {
        if (!in.run(l.data<const T>(0) + b * elements, l.out_data<T>(0) + b * e.n,
                    v + b * elements)) {
          return b;
        }
      }
      return end;
    };
    const int64_t refused = first_refused(l, e.count(), eigh_work(e), run);
    if (refused == e.count()) return;
    const std::string place = sdk::place_in("x", e.batch, refused);
    sdk::need_finite(v + refused * elements, elements, place);
    throw no_convergence(place);
  });
}

template <class T>
struct SvdRoom {
  SvdRoom(Room& room, const Extent& e) : n(as_int(e.n)), m(as_int(e.m)), k(as_int(e.least())) {
    T most = 0;
    T unused = 0;
    blasint unused_int = 0;
    blasint info = 0;
    const blasint ask = -1;
    Routines<T>::gesdd("S", &n, &m, &unused, &n, &unused, &unused, &n, &unused, &k, &most, &ask,
                       &unused_int, &info, 1);
    lwork = as_int(work_size(most));
    x = room.take<T>(e.m * e.n);
    work = room.take<T>(lwork);
    iwork = room.take<blasint>(8 * e.least());
  }

  // False if x is not finite or nothing converged.
  bool run(const T* from, T* u, T* s, T* vh) const {
    const int64_t width = n;
    const int64_t least = k;
    blasint info = 0;
    if (sdk::find_not_finite(from, m * width) != nullptr) return false;
    std::copy_n(from, m * width, x);
    Routines<T>::gesdd("S", &n, &m, x, &n, s, vh, &n, u, &k, work, &lwork, iwork, &info, 1);
    if (info != 0) return false;
    for (int64_t i = 0; i < least; ++i) {
      T* const row = vh + i * width;
      if (sdk::definite_sign(row, width, 1) > 0) continue;
      for (int64_t j = 0; j < width; ++j) row[j] = -row[j];
      for (int64_t j = 0; j < m; ++j) u[j * least + i] = -u[j * least + i];
    }
    return true;
  }

  blasint n;
  blasint m;
  blasint k;
  blasint lwork = 0;
  T* x = nullptr;
  T* work = nullptr;
  blasint* iwork = nullptr;
};

double svd_work(const Extent& e) {
  const auto k = static_cast<double>(e.least());
  return 12 * k * static_cast<double>(e.m) * static_cast<double>(e.n);
}

uint64_t svd_bytes(const sdk::Args& args) {
  const Extent e(args.view(0));
  return scratch_of<SvdRoom>(args, e, pieces_of(e.count(), svd_work(e)));
}

void svd(const sdk::Launch& l) {
  const Extent e(l.view(0));
  const int64_t elements = e.m * e.n;
  const int64_t k = e.least();
  dispatch(l.out().dtype, [&]<class T>() {
    const T* const x = l.data<const T>(0);
    const auto run = [&](int64_t begin, int64_t end, Room& room) {
      const SvdRoom<T> in(room, e);
      for (int64_t b = begin; b < end; ++b) {
        if (!in.run(x + b * elements, l.out_data<T>(0) + b * e.m * k, l.out_data<T>(1) + b * k,
                    l.out_data<T>(2) + b * k * e.n)) {
          return b;
        }
      }
      return end;
    };
    const int64_t refused = first_refused(l, e.count(), svd_work(e), run);
    if (refused == e.count()) return;
    const std::string place = sdk::place_in("x", e.batch, refused);
    sdk::need_finite(x + refused * elements, elements, place);
    throw no_convergence(place);
  });
}

constexpr tenon_slot_rule eigh_slots[] = {sdk::contiguous_in(), sdk::contiguous_out(),
                                          sdk::contiguous_out()};
constexpr tenon_slot_rule svd_slots[] = {sdk::contiguous_in(), sdk::contiguous_out(),
                                         sdk::contiguous_out(), sdk::contiguous_out()};

constexpr tenon_kernel_desc kernels[] = {
    matrix_kernel<eigh, eigh_bytes>("tenon.eigh", eigh_slots, 0),
    matrix_kernel<svd, svd_bytes>("tenon.svd", svd_slots, 0),
};

}  // namespace

constinit const sdk::Unit spectrum_unit = {.kernels = kernels};

}  // namespace tenon::lapack
