// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/reduce-inl.h: reading the elements behind an output of a reduction.

#if defined(TENON_CPU_REDUCE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_REDUCE_INL_H
#undef TENON_CPU_REDUCE_INL_H
#else
#define TENON_CPU_REDUCE_INL_H
#endif

#include "kernels/lanes-inl.h"
#include "kernels/reduction.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace rows {

// A line of elements stored as T.
template <class T>
class Line {
 public:
  using C = Number<T>;

  Line(const Geometry<1>& geometry, char* data) : shape_(geometry.shape()) {
    line_ = geometry.operands()[0];
    line_.data = data;
    is_packed_ = is_stored_as_number<T> &&
                 (shape_.empty() || (shape_.size() == 1 && line_.step[0] == int64_t{sizeof(T)}));
  }

  bool is_packed() const { return is_packed_; }
  // How many elements get() may be asked for at once; a multiple of 64.
  int64_t tile(int64_t largest) const { return is_packed_ ? largest : kTile; }

  // Elements [begin, begin + n) as packed numbers; `room` has space for kTile.
  HWY_INLINE const C* get(int64_t begin, int64_t n, C* room) const {
    if constexpr (is_stored_as_number<T>) {
      if (is_packed_) return reinterpret_cast<const T*>(line_.data) + begin;
    }
    return gather(begin, n, room);
  }

 private:
  HWY_NOINLINE const C* gather(int64_t begin, int64_t n, C* room) const {
    C* to = room;
    sdk::walk_range<1>(shape_, {line_}, begin, begin + n, [&](const sdk::Run<1>& run) HWY_ATTR {
      const C* numbers = get_numbers<T>(run.data[0], run.step[0], run.count, to);
      if (numbers != to) std::memcpy(to, numbers, static_cast<size_t>(run.count) * sizeof(C));
      to += run.count;
    });
    return room;
  }

  std::span<const int64_t> shape_;
  sdk::Strided line_;
  bool is_packed_;
};

// Calls body(char* out, char* in) for outputs [begin, end) with the first element behind each.
template <class Body>
void for_each_output(const Reduction& r, int64_t begin, int64_t end, Body&& body) {
  sdk::walk_range<2>(r.kept.shape(), r.kept.operands(), begin, end,
                     [&](const sdk::Run<2>& run) HWY_ATTR {
                       for (int64_t i = 0; i < run.count; ++i) {
                         body(run.data[0] + i * run.step[0], run.data[1] + i * run.step[1]);
                       }
                     });
}

// Calls body(run) for the runs of `outer`, started at `in`.
template <class Body>
void for_each_outer(const Reduction& r, char* in, Body&& body) {
  sdk::Strided start = r.outer.operands()[0];
  start.data = in;
  sdk::walk<1>(r.outer.shape(), {start}, body);
}

// Adds or otherwise takes rows into `acc`: acc[c] = fold(acc[c], row[c]), row after row. Rows are
// elements stored as T, `row_step` bytes apart, columns `column_step`.
template <class T, class Fold>
void fold_rows(Number<T>* acc, const char* rows, int64_t row_step, int64_t n_rows,
               int64_t column_step, int64_t n_columns, Fold fold) {
  using C = Number<T>;
  constexpr int64_t kAtOnce = 4;
  HWY_ALIGN C room[kAtOnce][kColumns];
  const hn::ScalableTag<C> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto row = [&](int64_t r) {
    return get_numbers<T>(rows + r * row_step, column_step, n_columns, room[r % kAtOnce]);
  };
  int64_t r = 0;
  for (; r + kAtOnce <= n_rows; r += kAtOnce) {
    const C* x[kAtOnce] = {row(r), row(r + 1), row(r + 2), row(r + 3)};
    int64_t c = 0;
    for (; c + lanes <= n_columns; c += lanes) {
      auto sum = hn::LoadU(d, acc + c);
      for (const C* one : x) sum = fold(d, sum, hn::LoadU(d, one + c));
      hn::StoreU(sum, d, acc + c);
    }
    if (c == n_columns) continue;
    auto sum = hn::LoadU(d, acc + c);  // acc is whole vectors
    for (const C* one : x) sum = fold(d, sum, load_first(d, one + c, n_columns - c));
    hn::StoreU(sum, d, acc + c);
  }
  for (; r < n_rows; ++r) {
    const C* x = row(r);
    for (int64_t c = 0; c < n_columns; c += lanes) {
      const auto value = load_first(d, x + c, n_columns - c);
      hn::StoreU(fold(d, hn::LoadU(d, acc + c), value), d, acc + c);
    }
  }
}

// Calls body(out, out_step, in, in_step, n) for pieces of neighbouring outputs, on the host's
// threads where there are many elements.
template <class Body>
void for_each_columns(const sdk::Launch& l, const Reduction& r, Body&& body) {
  const int64_t grain = std::max<int64_t>(kColumns / 2, grain_of(r.outer.count()));
  l.parallel_for(r.kept.count(), grain, [&](int64_t begin, int64_t end) HWY_ATTR {
    sdk::walk_range<2>(
        r.kept.shape(), r.kept.operands(), begin, end, [&](const sdk::Run<2>& run) HWY_ATTR {
          for (int64_t c = 0; c < run.count; c += kColumns) {
            body(run.data[0] + c * run.step[0], run.step[0], run.data[1] + c * run.step[1],
                 run.step[1], std::min(kColumns, run.count - c));
          }
        });
  });
}

}  // namespace rows
}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // TENON_CPU_REDUCE_INL_H
