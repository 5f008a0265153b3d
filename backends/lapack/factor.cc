// SPDX-License-Identifier: Apache-2.0
// backends/lapack/factor.cc: cholesky, solve, solve_triangular.
//
//   cholesky   xPOTRF; the triangle that LAPACK calls the upper one is the lower one here
//   solve      xGETRF of a copy in column-major order; for the transposes, which row-major right
//              sides are to BLAS, two xTRSM from the right, a strip of columns at a time
// Source: LAPACK Users' Guide, third edition, sections 2.4.1, 2.4.2; op documentation.
#include "factors.h"

namespace tenon::lapack {
namespace {

uint64_t no_bytes(const sdk::Args&) { return 0; }

double cube(int64_t n) { return std::pow(static_cast<double>(n), 3.0); }

// False if x is not positive definite; OpenBLAS does not look for NaN.
template <class T>
bool factorise(const T* x, T* out, int64_t n, bool upper) {
  for_each_place(n, n, [&](int64_t i, int64_t j) {
    if (upper ? i <= j : j <= i) out[i * n + j] = mean(x[i * n + j], x[j * n + i]);
  });
  const blasint size = as_int(n);
  blasint info = 0;
  Routines<T>::potrf(upper ? "L" : "U", &size, out, &size, &info, 1);
  if (info != 0) return false;
  for (int64_t i = 0; i < n; ++i) {
    if (!(out[i * n + i] > 0) || std::isinf(out[i * n + i])) return false;
    T* const row = out + i * n;
    std::fill(upper ? row : row + i + 1, upper ? row + i : row + n, T(0));
  }
  return true;
}

void cholesky(const sdk::Launch& l) {
  const Extent e(l.view(0));
  dispatch(l.out().dtype, [&]<class T>() {
    const auto run = [&](int64_t begin, int64_t end, Room&, const Team&) {
      for (int64_t b = begin; b < end; ++b) {
        const int64_t at = b * e.n * e.n;
        if (!factorise(l.data<const T>(0) + at, l.out_data<T>() + at, e.n, l.attrs.flag(0))) {
          return b;
        }
      }
      return end;
    };
    const int64_t refused = first_refused(l, e.count(), cube(e.n) / 3, run);
    if (refused < e.count()) {
      throw sdk::not_positive_definite(sdk::place_in("x", e.batch, refused));
    }
  });
}

// ---- Systems ------------------------------------------------------------------------------------

// a y = b for a batch; a 1-D b is one column.
struct Systems {
  explicit Systems(const sdk::Args& args) : a(args.view(0)), b(args.view(1)), n(a.n()) {
    const tenon_view& out = args.out();
    const size_t own = b.own;
    batch = {out.shape, static_cast<size_t>(out.rank) - own};
    columns = own == 1 ? 1 : out.shape[out.rank - 1];
  }

  // Which matrix of an operand goes with `number` of the result.
  struct Operand {
    explicit Operand(const tenon_view& v) : view(v), own(v.rank == 1 ? 1 : 2) {}
    int64_t n() const { return view.shape[view.rank - 1]; }
    int64_t at(std::span<const int64_t> shape, int64_t number) const {
      int64_t found = 0;
      int64_t step = 1;
      int32_t d = view.rank - own - 1;
      for (size_t out = shape.size(); out-- > 0 && d >= 0; --d) {
        if (view.shape[d] != 1) found += number % shape[out] * step;
        step *= view.shape[d];
        number /= shape[out];
      }
      return found;
    }
    const tenon_view& view;
    int32_t own;
  };

  int64_t count() const { return n == 0 ? 0 : sdk::count_of(batch); }
  double work() const {
    return cube(n) / 3 +
           static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(columns);
  }
  int64_t a_at(int64_t number) const { return a.at(batch, number); }
  // The solution of system `number` takes the place of its right side.
  template <class T>
  T* right_side(const sdk::Launch& l, int64_t number) const {
    const T* from = l.data<const T>(1) + b.at(batch, number) * n * columns;
    T* const to = l.out_data<T>() + number * n * columns;
    if (to != from) std::copy_n(from, n * columns, to);
    return to;
  }

  Operand a;
  Operand b;
  int64_t n;
  std::span<const int64_t> batch;
  int64_t columns = 1;
};

// b becomes the solution, by divisions. Of a unit triangle, factors that are 0 are left out, as
// elimination leaves them: what is not finite in b spreads no further.
template <class T>
void substitute(const Triangle<T>& t, T* b, int64_t n, int64_t columns) {
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = t.upper ? n - 1 - step : step;
    T* const row = b + i * columns;
    for (int64_t k = t.upper ? i + 1 : 0; k < (t.upper ? n : i); ++k) {
      const T factor = t.at(i, k);
      if (t.unit && factor == 0) continue;
      for (int64_t j = 0; j < columns; ++j) row[j] -= factor * b[k * columns + j];
    }
    for (int64_t j = 0; j < columns && !t.unit; ++j) row[j] /= t.at(i, i);
  }
}

// b [n,columns], row-major, becomes the solution.
template <class T>
void solve_all(const Factors<T>& f, const Team& team, T* b, int64_t columns) {
  if (columns == 0) return;
  const int64_t n = f.n;
  for (int64_t i = 0; i < n; ++i) {
    T* const row = b + i * columns;
    if (f.exchanged(i)) std::swap_ranges(row, row + columns, b + (f.pivots[i] - 1) * columns);
  }
  if (sdk::find_not_finite(b, n * columns) != nullptr || !has_inverses(f.right(), n)) {
    substitute(f.left(), b, n, columns);
    substitute(f.right(), b, n, columns);
  } else {
    const blasint size = as_int(n);
    const blasint step = as_int(columns);
    team.for_each_strip(columns, [&](const Strip& strip) {
      const blasint rows = as_int(strip.count);
      Routines<T>::trsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasUnit, rows, size,
                        T(1), f.lu, size, b + strip.first, step);
      Routines<T>::trsm(CblasColMajor, CblasRight, CblasUpper, CblasTrans, CblasNonUnit, rows, size,
                        T(1), f.lu, size, b + strip.first, step);
    });
  }
  for (int64_t i = 0; i < n && f.scaled; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      b[i * columns + j] = std::ldexp(b[i * columns + j], -static_cast<int>(f.exponents[i]));
    }
  }
}

uint64_t solve_bytes(const sdk::Args& args) {
  const Systems s(args);
  return scratch_of<Factors>(args, s.n, pieces_of(s.count(), s.work()));
}

void solve(const sdk::Launch& l) {
  const Systems s(l);
  dispatch(l.out().dtype, [&]<class T>() {
    const auto run = [&](int64_t begin, int64_t end, Room& room, const Team& team) {
      Factors<T> in(room, s.n);
      int64_t factored = -1;
      for (int64_t i = begin; i < end; ++i) {
        const int64_t which = s.a_at(i);
        if (which != factored && !in.factorise(l.data<const T>(0) + which * s.n * s.n)) {
          return i;
        }
        factored = which;
        solve_all(in, team, s.right_side<T>(l, i), s.columns);
      }
      return end;
    };
    const int64_t refused = first_refused(l, s.count(), s.work(), run);
    if (refused < s.count()) throw sdk::singular(sdk::place_in("a", s.batch, refused));
  });
}

template <class T>
void solve_one(const Team& team, const Triangle<T>& t, T* b, int64_t n, int64_t columns) {
  if (!has_inverses(t, n)) return substitute(t, b, n, columns);
  team.for_each_strip(columns, [&](const Strip& strip) {
    Routines<T>::trsm(CblasRowMajor, CblasLeft, t.upper ? CblasUpper : CblasLower, CblasNoTrans,
                      CblasNonUnit, as_int(n), as_int(strip.count), T(1), t.a, as_int(n),
                      b + strip.first, as_int(columns));
  });
}

void solve_triangular(const sdk::Launch& l) {
  const Systems s(l);
  const bool upper = l.attrs.flag(0);
  if (s.columns == 0) return;
  dispatch(l.out().dtype, [&]<class T>() {
    first_refused(l, s.count(), s.work(), [&](int64_t begin, int64_t end, Room&, const Team& team) {
      for (int64_t i = begin; i < end; ++i) {
        const T* const a = l.data<const T>(0) + s.a_at(i) * s.n * s.n;
        solve_one(team, Triangle<T>{a, s.n, 1, upper, false}, s.right_side<T>(l, i), s.n,
                  s.columns);
      }
      return end;
    });
  });
}

constexpr tenon_slot_rule one[] = {sdk::contiguous_in(), sdk::contiguous_out()};
constexpr tenon_slot_rule two[] = {sdk::contiguous_in(), sdk::contiguous_in(),
                                   sdk::contiguous_out()};

constexpr tenon_kernel_desc kernels[] = {
    matrix_kernel<cholesky, no_bytes>("tenon.cholesky", one, 1),
    matrix_kernel<solve, solve_bytes>("tenon.solve", two, 0),
    matrix_kernel<solve_triangular, no_bytes>("tenon.solve_triangular", two, 1),
};

}  // namespace
}  // namespace tenon::lapack

TENON_UNIT(factor) = {.kernels = tenon::lapack::kernels};
