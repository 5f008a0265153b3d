// SPDX-License-Identifier: Apache-2.0
// backends/lapack/reflections.h: the product of Householder reflections in which LAPACK leaves an
// orthogonal matrix, applied to strips of another one.
//
// xORMQR and its like are not called: they write 1 among the reflections while they work, so that
// no two threads may read them. What they do by panels, xLARFT and xLARFB do here. Source: R.
// Schreiber, C. Van Loan, "A Storage-Efficient WY Representation for Products of Householder
// Transformations", 1989.
#pragma once

#include "lapack.h"

namespace tenon::lapack {

inline constexpr int64_t kPanel = 32;  // reflections that are applied at a time

// H(0) H(1) ... of `count` reflections of vectors of `length` elements. Vector i has zeros, 1, then
// what is stored: in columns below the diagonal of v, or in rows right of it.
template <class T>
class Reflections {
 public:
  enum class Stored { Columns, Rows };

  // Room for `count` reflections, and to apply them to `columns` columns or rows.
  Reflections(Room& room, int64_t count, int64_t columns)
      : tau(room.take<T>(count)),
        factors_(room.take<T>(count * kPanel)),
        work_(room.take<T>(strips_of(columns) * kStrip * kPanel)) {}

  // Those of `count` vectors from number `first` are in v and tau now. `first` is a panel's.
  void prepare(const T* v, int64_t step, int64_t length, int64_t first, int64_t count,
               Stored stored = Stored::Columns) {
    v_ = v;
    step_ = step;
    length_ = length;
    count_ = first + count;
    stored_ = stored;
    for (int64_t from = first; from < count_; from += kPanel) {
      const Panel panel = panel_of(from);
      Routines<T>::larft("F", storage(), &panel.length, &panel.count, panel.v, &panel.step,
                         tau + from, factors_ + from * kPanel, &panel.factor_step, 1, 1);
    }
  }

  // Columns of a strip of c, of `length` rows and `step` elements from column to column: Q c, by
  // the first `count` reflections.
  void apply(T* c, int64_t step, const Strip& strip, int64_t count) const {
    for (int64_t from = (count - 1) / kPanel * kPanel; from >= 0; from -= kPanel) {
      apply_panel("N", from, c, step, strip);
    }
  }
  // Q^T c, by those from number `first`.
  void apply_transposed(T* c, int64_t step, const Strip& strip, int64_t first) const {
    for (int64_t from = first; from < count_; from += kPanel) {
      apply_panel("T", from, c, step, strip);
    }
  }
  // Rows of a strip of c, of `length` columns: c Q^T.
  void apply_from_right(T* c, int64_t step, const Strip& strip) const {
    const blasint rows = as_int(strip.count);
    const blasint c_step = as_int(step);
    for (int64_t from = (count_ - 1) / kPanel * kPanel; from >= 0; from -= kPanel) {
      const Panel panel = panel_of(from);
      Routines<T>::larfb("R", "T", "F", storage(), &rows, &panel.length, &panel.count, panel.v,
                         &panel.step, panel.factor, &panel.factor_step,
                         c + from * step + strip.first, &c_step, work_of(strip), &rows, 1, 1, 1, 1);
    }
  }

  T* tau;

 private:
  struct Panel {
    const T* v;
    const T* factor;
    blasint length;
    blasint count;
    blasint step;
    blasint factor_step;
  };
  Panel panel_of(int64_t from) const {
    return {v_ + from * step_ + from,
            factors_ + from * kPanel,
            as_int(length_ - from),
            as_int(std::min(kPanel, count_ - from)),
            as_int(step_),
            as_int(kPanel)};
  }
  const char* storage() const { return stored_ == Stored::Rows ? "R" : "C"; }
  T* work_of(const Strip& strip) const { return work_ + strip.number * kStrip * kPanel; }

  void apply_panel(const char* transposed, int64_t from, T* c, int64_t step,
                   const Strip& strip) const {
    const Panel panel = panel_of(from);
    const blasint columns = as_int(strip.count);
    const blasint c_step = as_int(step);
    Routines<T>::larfb("L", transposed, "F", storage(), &panel.length, &columns, &panel.count,
                       panel.v, &panel.step, panel.factor, &panel.factor_step,
                       c + strip.first * step + from, &c_step, work_of(strip), &columns, 1, 1, 1,
                       1);
  }

  T* factors_;
  T* work_;
  const T* v_ = nullptr;
  int64_t step_ = 0;
  int64_t length_ = 0;
  int64_t count_ = 0;
  Stored stored_ = Stored::Columns;
};

}  // namespace tenon::lapack
