// SPDX-License-Identifier: Apache-2.0
// backends/lapack/qr.cc: qr, by reflections: xGEQRF of a few columns, whose reflections then go to
// the columns after them; q is what they make of the identity, from the last to the first.
//
// Only xGEQRF waits for what was before: columns that it does not concern are computed in strips.
// Source: LAPACK Users' Guide, third edition, section 2.4.2; signs: op documentation.
#include "reflections.h"

namespace tenon::lapack {
namespace {

// Up to so many columns xGEQRF reflects one at a time, and does not look at panels.
constexpr int64_t kWhole = 128;

template <class T>
struct QrRoom {
  QrRoom(Room& room, const Extent& e)
      : m(e.m), n(e.n), k(e.least()), reflections(room, e.least(), e.n) {
    lwork = as_int(work_count());
    x = room.take<T>(m * n);
    columns = room.take<T>(m * k);
    work = room.take<T>(lwork);
  }

  int64_t work_count() const {
    const blasint rows = as_int(m);
    const blasint width = as_int(std::min(k, kWhole));
    const blasint ask = -1;
    blasint info = 0;
    T unused = 0;
    T first = 0;
    T second = 0;
    Routines<T>::geqrf(&rows, &width, &unused, &rows, &unused, &first, &ask, &info);
    Routines<T>::orgqr(&rows, &width, &width, &unused, &rows, &unused, &second, &ask, &info);
    return work_size(std::max(first, second));
  }

  // x, column-major, becomes reflections and, above them, r.
  void factorise(const Team& team) {
    const int64_t panel = k <= kWhole ? k : kPanel;
    for (int64_t from = 0; from < k; from += panel) {
      const int64_t count = std::min(panel, k - from);
      const blasint rows = as_int(m - from);
      const blasint width = as_int(count);
      const blasint step = as_int(m);
      blasint info = 0;
      Routines<T>::geqrf(&rows, &width, x + from * m + from, &step, reflections.tau + from, work,
                         &lwork, &info);
      const int64_t after = from + count;
      if (is_small() && after == n) return;
      reflections.prepare(x, m, m, from, count);
      team.for_each_strip(n - after, [&](const Strip& strip) {
        reflections.apply_transposed(x + after * m, m, strip, from);
      });
    }
  }

  // One panel alone: nothing is to be gained by strips.
  bool is_small() const { return k <= kPanel; }

  void make_columns() {
    const blasint rows = as_int(m);
    const blasint width = as_int(k);
    blasint info = 0;
    std::copy_n(x, m * k, columns);
    Routines<T>::orgqr(&rows, &width, &width, columns, &rows, reflections.tau, work, &lwork, &info);
  }

  T sign(int64_t i) const { return x[i * m + i] < 0 ? T(-1) : T(1); }

  void run(const Team& team, const T* from, T* q, T* r) {
    team.for_each_strip(n, [&](const Strip& strip) {
      for_each_place(m, strip, [&](int64_t i, int64_t j) { x[j * m + i] = from[i * n + j]; });
    });
    factorise(team);
    team.for_each_strip(n, [&](const Strip& strip) {
      for_each_place(k, strip, [&](int64_t i, int64_t j) {
        r[i * n + j] = i > j ? T(0) : sign(i) * x[j * m + i];
      });
    });
    if (is_small()) {
      make_columns();
      for_each_place(m, k,
                     [&](int64_t i, int64_t j) { q[i * k + j] = sign(j) * columns[j * m + i]; });
      return;
    }
    team.for_each_strip(k, [&](const Strip& strip) {
      std::fill_n(columns + strip.first * m, strip.count * m, T(0));
      for (int64_t j = strip.first; j < strip.end(); ++j) columns[j * m + j] = 1;
      reflections.apply(columns, m, strip, strip.end());  // those after change nothing here
      for_each_place(m, strip,
                     [&](int64_t i, int64_t j) { q[i * k + j] = sign(j) * columns[j * m + i]; });
    });
  }

  int64_t m;
  int64_t n;
  int64_t k;
  Reflections<T> reflections;
  blasint lwork = 0;
  T* x = nullptr;
  T* columns = nullptr;
  T* work = nullptr;
};

double qr_work(const Extent& e) {
  const auto k = static_cast<double>(e.least());
  return 4 * k * static_cast<double>(e.m) * static_cast<double>(e.n);
}

uint64_t qr_bytes(const sdk::Args& args) {
  const Extent e(args.view(0));
  return scratch_of<QrRoom>(args, e, pieces_of(e.count(), qr_work(e)));
}

void qr(const sdk::Launch& l) {
  const Extent e(l.view(0));
  dispatch(l.out().dtype, [&]<class T>() {
    first_refused(
        l, e.count(), qr_work(e), [&](int64_t begin, int64_t end, Room& room, const Team& team) {
          QrRoom<T> in(room, e);
          for (int64_t b = begin; b < end; ++b) {
            in.run(team, l.data<const T>(0) + b * e.m * e.n, l.out_data<T>(0) + b * e.m * e.least(),
                   l.out_data<T>(1) + b * e.least() * e.n);
          }
          return end;
        });
  });
}

constexpr tenon_slot_rule slots[] = {sdk::contiguous_in(), sdk::contiguous_out(),
                                     sdk::contiguous_out()};
constexpr tenon_kernel_desc kernels[] = {matrix_kernel<qr, qr_bytes>("tenon.qr", slots, 1)};

}  // namespace
}  // namespace tenon::lapack

TENON_UNIT(qr) = {.kernels = tenon::lapack::kernels};
