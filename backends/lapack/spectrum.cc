// SPDX-License-Identifier: Apache-2.0
// backends/lapack/spectrum.cc: eigh and svd.
//
//   eigh   of x made symmetric, which is its own transpose: xSYTRD to a tridiagonal matrix, xSTEDC,
//          whose vectors are reflected in strips; they are columns, and transposed at the end
//   svd    of the transpose: x^T = V diag(s) U^T, so its left vectors are the rows of vh, and its
//          right ones the columns of u, both stored as Tenon stores them: xGEBRD to a bidiagonal
//          matrix, xBDSDC, whose vectors are reflected in strips
// xSYEVD and xGESDD do the same on one thread. Small matrices are theirs, and those that they scale
// or begin by other ways: of very large or small elements, and by far longer than wide.
// Signs as the ops have them.
// Source: LAPACK Users' Guide, third edition, sections 2.4.4, 2.4.6; op documentation.
#include <limits>
#include <optional>

#include "reflections.h"

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

// Below it strips gain nothing.
constexpr int64_t kOneThread = 64;

// Elements of which sums of squares neither overflow nor vanish: xGESDD scales others, and xSYEVD
// some of them.
template <class T>
bool needs_scaling(const T* x, int64_t count) {
  const T least = std::sqrt(std::numeric_limits<T>::min()) / std::numeric_limits<T>::epsilon() * 2;
  T largest = 0;
  for (int64_t i = 0; i < count; ++i) largest = std::max(largest, std::fabs(x[i]));
  return largest < least || largest > 1 / least;
}

template <class T>
struct EighRoom {
  EighRoom(Room& room, const Extent& e) : n(as_int(e.n)), is_small(e.n < kOneThread) {
    T most = 0;
    T first = 0;
    T unused = 0;
    blasint info = 0;
    const blasint ask = -1;
    Routines<T>::syevd("V", "L", &n, &unused, &n, &unused, &most, &ask, &liwork, &ask, &info, 1, 1);
    if (!is_small) {
      Routines<T>::sytrd("L", &n, &unused, &n, &unused, &unused, &unused, &first, &ask, &info, 1);
      reflections.emplace(room, e.n, e.n);
      below = room.take<T>(e.n);
      vectors = room.take<T>(e.n * e.n);
    }
    lwork = as_int(work_size(std::max(most, first)));
    work = room.take<T>(lwork);
    iwork = room.take<blasint>(liwork);
  }

  // False if x, of which v holds the symmetric part then, is not finite or nothing converged.
  bool run(const Team& team, const T* x, T* w, T* v) {
    const int64_t size = n;
    for_each_place(size, size, [&](int64_t i, int64_t j) {
      v[i * size + j] = mean(x[i * size + j], x[j * size + i]);
    });
    if (sdk::find_not_finite(v, size * size) != nullptr) return false;
    const bool done =
        is_small || needs_scaling(v, size * size) ? run_small(w, v) : run_large(team, w, v);
    if (!done) std::fill(v, v + size * size, T(0));
    return done;
  }

  bool run_small(T* w, T* v) const {
    const int64_t size = n;
    blasint info = 0;
    Routines<T>::syevd("V", "L", &n, v, &n, w, work, &lwork, iwork, &liwork, &info, 1, 1);
    if (info != 0) return false;
    for (int64_t k = 0; k < size; ++k) make_definite(v + k * size);
    for_each_place(size, size, [&](int64_t i, int64_t j) {
      if (j < i) std::swap(v[i * size + j], v[j * size + i]);
    });
    return true;
  }

  bool run_large(const Team& team, T* w, T* v) {
    const int64_t size = n;
    blasint info = 0;
    Routines<T>::sytrd("L", &n, v, &n, w, below, reflections->tau, work, &lwork, &info, 1);
    Routines<T>::stedc("I", &n, w, below, vectors, &n, work, &lwork, iwork, &liwork, &info, 1);
    if (info != 0) return false;
    reflections->prepare(v + 1, size, size - 1, 0, size - 1);
    team.for_each_strip(size, [&](const Strip& strip) {
      reflections->apply(vectors + 1, size, strip, size - 1);
      for (int64_t k = strip.first; k < strip.end(); ++k) make_definite(vectors + k * size);
    });
    team.for_each_strip(size, [&](const Strip& strip) {
      for_each_place(size, strip,
                     [&](int64_t i, int64_t j) { v[i * size + j] = vectors[j * size + i]; });
    });
    return true;
  }

  void make_definite(T* vector) const {
    const T sign = sdk::definite_sign(vector, int64_t{n}, 1);
    for (int64_t i = 0; i < n; ++i) vector[i] *= sign;
  }

  blasint n;
  bool is_small;
  blasint lwork = 0;
  blasint liwork = 0;
  std::optional<Reflections<T>> reflections;
  T* below = nullptr;  // the diagonal
  T* vectors = nullptr;
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
    const auto run = [&](int64_t begin, int64_t end, Room& room, const Team& team) {
      EighRoom<T> in(room, e);
      for (int64_t b = begin; b < end; ++b) {
        if (!in.run(team, l.data<const T>(0) + b * elements, l.out_data<T>(0) + b * e.n,
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
  SvdRoom(Room& room, const Extent& e)
      : n(as_int(e.n)),
        m(as_int(e.m)),
        k(as_int(e.least())),
        is_small(e.least() < kOneThread || 2 * std::max(n, m) > 3 * e.least()) {
    T most = 0;
    T unused = 0;
    blasint unused_int = 0;
    blasint info = 0;
    const blasint ask = -1;
    Routines<T>::gesdd("S", &n, &m, &unused, &n, &unused, &unused, &n, &unused, &k, &most, &ask,
                       &unused_int, &info, 1);
    int64_t size = work_size(most);
    if (!is_small) {
      size = std::max(size, large_work());
      beside = room.take<T>(k);
      left_reflections.emplace(room, e.least(), e.least());
      right_reflections.emplace(room, e.least(), e.least());
      inner = room.take<T>(2 * e.least() * e.least());
    }
    lwork = as_int(size);
    x = room.take<T>(e.m * e.n);
    work = room.take<T>(lwork);
    iwork = room.take<blasint>(8 * e.least());
  }

  int64_t large_work() const {
    T size = 0;
    T unused = 0;
    blasint info = 0;
    const blasint ask = -1;
    Routines<T>::gebrd(&n, &m, &unused, &n, &unused, &unused, &unused, &unused, &size, &ask, &info);
    const int64_t least = k;
    return std::max(work_size(size), (3 * least + 4) * least);
  }

  // False if x is not finite or nothing converged.
  bool run(const Team& team, const T* from, T* u, T* s, T* vh) {
    const int64_t width = n;
    const int64_t least = k;
    blasint info = 0;
    if (sdk::find_not_finite(from, m * width) != nullptr) return false;
    std::copy_n(from, m * width, x);
    if (is_small || needs_scaling(x, m * width)) {
      Routines<T>::gesdd("S", &n, &m, x, &n, s, vh, &n, u, &k, work, &lwork, iwork, &info, 1);
    } else {
      info = run_large(team, u, s, vh);
    }
    if (info != 0) return false;
    for (int64_t i = 0; i < least; ++i) {
      T* const row = vh + i * width;
      if (sdk::definite_sign(row, width, 1) > 0) continue;
      for (int64_t j = 0; j < width; ++j) row[j] = -row[j];
      for (int64_t j = 0; j < m; ++j) u[j * least + i] = -u[j * least + i];
    }
    return true;
  }

  // Column-major: x [n,m] = left diag(s) right; left [n,k] lies in vh, and right [k,m] in u. xGEBRD
  // leaves the reflections of left in columns, those of right in rows; of whichever is as long as x
  // is wide they begin beside the diagonal.
  blasint run_large(const Team& team, T* right, T* s, T* left) {
    const int64_t size = k;
    const int64_t rows = n;
    const int64_t columns = m;
    const int64_t down = rows >= columns ? 0 : 1;
    const int64_t across = 1 - down;
    T* const inner_left = inner;
    T* const inner_right = inner + size * size;
    blasint info = 0;
    Routines<T>::gebrd(&n, &m, x, &n, s, beside, left_reflections->tau, right_reflections->tau,
                       work, &lwork, &info);
    T unused = 0;
    blasint unused_int = 0;
    Routines<T>::bdsdc(down == 0 ? "U" : "L", "I", &k, s, beside, inner_left, &k, inner_right, &k,
                       &unused, &unused_int, work, iwork, &info, 1, 1);
    if (info != 0) return info;
    left_reflections->prepare(x + down, rows, rows - down, 0, size - down);
    right_reflections->prepare(x + across * rows, rows, columns - across, 0, size - across,
                               Reflections<T>::Stored::Rows);
    team.for_each_strip(size, [&](const Strip& strip) {
      for (int64_t j = strip.first; j < strip.end(); ++j) {
        T* const column = left + j * rows;
        std::fill(std::copy_n(inner_left + j * size, size, column), column + rows, T(0));
      }
      left_reflections->apply(left + down, rows, strip, size - down);
      for (int64_t j = 0; j < columns; ++j) {
        for (int64_t i = strip.first; i < strip.end(); ++i) {
          right[j * size + i] = j < size ? inner_right[j * size + i] : T(0);
        }
      }
      right_reflections->apply_from_right(right + across * size, size, strip);
    });
    return 0;
  }

  blasint n;
  blasint m;
  blasint k;
  bool is_small;
  blasint lwork = 0;
  std::optional<Reflections<T>> left_reflections;
  std::optional<Reflections<T>> right_reflections;
  T* x = nullptr;
  T* beside = nullptr;  // the diagonal
  T* inner = nullptr;
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
    const auto run = [&](int64_t begin, int64_t end, Room& room, const Team& team) {
      SvdRoom<T> in(room, e);
      for (int64_t b = begin; b < end; ++b) {
        if (!in.run(team, x + b * elements, l.out_data<T>(0) + b * e.m * k,
                    l.out_data<T>(1) + b * k, l.out_data<T>(2) + b * k * e.n)) {
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
}  // namespace tenon::lapack

TENON_UNIT(spectrum) = {.kernels = tenon::lapack::kernels};
