// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/reduce-inl.h: reading the elements reduced into an output of a reduction.

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

// A line of elements that are read as numbers C, however they are stored: what only reads is the
// same for all of these dtypes.
template <class C>
class AnyLine {
 public:
  bool is_packed() const { return is_packed_; }
  // How many elements get() may be asked for at once; a multiple of 64.
  int64_t tile(int64_t largest) const { return is_packed_ ? largest : kTile; }

  // Elements [begin, begin + n) as packed numbers; `room` has space for kTile.
  HWY_INLINE const C* get(int64_t begin, int64_t n, C* room) const {
    if (is_packed_) return reinterpret_cast<const C*>(line_.data) + begin;
    return gather_(*this, begin, n, room);
  }

  char* data() const { return line_.data; }
  // The same elsewhere.
  AnyLine at(char* data) const {
    AnyLine other = *this;
    other.line_.data = data;
    return other;
  }

 protected:
  using Gather = const C* (*)(const AnyLine& line, int64_t begin, int64_t n, C* room);

  AnyLine(const Geometry<1>& geometry, char* data, int64_t packed_step, Gather gather)
      : shape_(geometry.shape()), line_(geometry.operands()[0]), gather_(gather) {
    line_.data = data;
    is_packed_ = packed_step != 0 &&
                 (shape_.empty() || (shape_.size() == 1 && line_.step[0] == packed_step));
  }

  std::span<const int64_t> shape_;
  sdk::Strided line_;
  Gather gather_;
  bool is_packed_;
};

// Such a line of elements stored as T.
template <class T>
class Line : public AnyLine<Number<T>> {
 public:
  using C = Number<T>;

  Line(const Geometry<1>& geometry, char* data)
      : AnyLine<C>(geometry, data, is_stored_as_number<T> ? int64_t{sizeof(T)} : 0, gather) {}

 private:
  static const C* gather(const AnyLine<C>& any, int64_t begin, int64_t n, C* room) {
    const auto& line = static_cast<const Line&>(any);
    C* to = room;
    sdk::walk_range<1>(line.shape_, {line.line_}, begin, begin + n,
                       [&](const sdk::Run<1>& run) HWY_ATTR {
                         const C* numbers = get_numbers<T>(run.data[0], run.step[0], run.count, to);
                         if (numbers != to)
                           std::memcpy(to, numbers, static_cast<size_t>(run.count) * sizeof(C));
                         to += run.count;
                       });
    return room;
  }
};

// The sum of one long line of n numbers, cut for threads if the pairwise tree has a whole subtree:
// sum(begin, end) gives that of a piece.
template <class C, class Sum>
C sum_in_pieces(const sdk::Launch& l, int64_t n, const Sum& sum) {
  constexpr int64_t kMaxPieces = 64;
  int64_t piece = 4 * kLaneBlock;
  while (piece * kMaxPieces < n) piece *= 2;
  C sums[kMaxPieces];
  l.parallel_for(n, piece, [&](int64_t begin, int64_t end) HWY_ATTR {
    sums[begin / piece] = sum(begin, end);
  });
  PairwiseSum<C> total;
  for (int64_t begin = 0; begin < n; begin += piece) total.add(sums[begin / piece]);
  return total.total();
}

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

// Adds or otherwise takes rows into `acc`: acc[c] = fold(acc[c], row[c]), row after row, N of them
// with acc in registers. Rows are packed elements stored as T, `row_step` bytes apart; acc is whole
// vectors.
template <class T, size_t... R, class Fold>
HWY_INLINE void fold_packed_rows(Number<T>* acc, const char* rows, int64_t row_step,
                                 int64_t n_columns, Fold fold, std::index_sequence<R...>) {
  const hn::ScalableTag<Number<T>> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const char* const row[] = {rows + static_cast<int64_t>(R) * row_step...};
  int64_t c = 0;
  for (; c + lanes <= n_columns; c += lanes) {
    auto sum = hn::LoadU(d, acc + c);
    ((sum = fold(d, sum, load<T>(d, row[R] + c * int64_t{sizeof(T)}))), ...);
    hn::StoreU(sum, d, acc + c);
  }
  if (c == n_columns) return;
  const auto rest = static_cast<size_t>(n_columns - c);
  auto sum = hn::LoadU(d, acc + c);
  ((sum =
        fold(d, sum, cpu::HWY_NAMESPACE::load_first<T>(d, row[R] + c * int64_t{sizeof(T)}, rest))),
   ...);
  hn::StoreU(sum, d, acc + c);
}

// Rows that are copied at once where they lie across: 4-byte numbers, columns packed.
inline constexpr int64_t kAcross = 8;

// `to` gets kAcross rows of kColumns numbers from columns `column_step` bytes apart.
template <class C>
HWY_INLINE void turn_rows(const char* from, int64_t column_step, int64_t n_columns, C* to) {
  const hn::FixedTag<C, 4> d;
  const auto at = [&](int64_t r, int64_t c) {
    return reinterpret_cast<const C*>(from + c * column_step) + r;
  };
  int64_t c = 0;
  for (; c + 4 <= n_columns; c += 4) {
    for (int64_t r = 0; r < kAcross; r += 4) {
      const auto w = hn::LoadU(d, at(r, c)), x = hn::LoadU(d, at(r, c + 1));
      const auto y = hn::LoadU(d, at(r, c + 2)), z = hn::LoadU(d, at(r, c + 3));
      const auto lower_wx = hn::InterleaveLower(d, w, x), upper_wx = hn::InterleaveUpper(d, w, x);
      const auto lower_yz = hn::InterleaveLower(d, y, z), upper_yz = hn::InterleaveUpper(d, y, z);
      C* const corner = to + r * kColumns + c;
      hn::StoreU(hn::ConcatLowerLower(d, lower_yz, lower_wx), d, corner);
      hn::StoreU(hn::ConcatUpperUpper(d, lower_yz, lower_wx), d, corner + kColumns);
      hn::StoreU(hn::ConcatLowerLower(d, upper_yz, upper_wx), d, corner + 2 * kColumns);
      hn::StoreU(hn::ConcatUpperUpper(d, upper_yz, upper_wx), d, corner + 3 * kColumns);
    }
  }
  for (; c < n_columns; ++c) {
    for (int64_t r = 0; r < kAcross; ++r) to[r * kColumns + c] = *at(r, c);
  }
}

// The same for `n_rows` rows whose columns are `column_step` bytes apart.
template <class T, class Fold>
void fold_rows(Number<T>* acc, const char* rows, int64_t row_step, int64_t n_rows,
               int64_t column_step, int64_t n_columns, Fold fold) {
  using C = Number<T>;
  constexpr int64_t kAtOnce = 8;
  int64_t r = 0;
  if (column_step == int64_t{sizeof(T)} || n_columns == 1) {
    for (; r + kAtOnce <= n_rows; r += kAtOnce) {
      fold_packed_rows<T>(acc, rows + r * row_step, row_step, n_columns, fold,
                          std::make_index_sequence<kAtOnce>());
    }
    for (; r < n_rows; ++r) {
      fold_packed_rows<T>(acc, rows + r * row_step, row_step, n_columns, fold,
                          std::index_sequence<0>());
    }
    return;
  }
  HWY_ALIGN C room[kAcross * kColumns];
  if constexpr (is_stored_as_number<T> && sizeof(C) == 4) {
    for (; row_step == int64_t{sizeof(T)} && r + kAcross <= n_rows; r += kAcross) {
      turn_rows<C>(rows + r * row_step, column_step, n_columns, room);
      fold_packed_rows<C>(acc, reinterpret_cast<const char*>(room), kColumns * int64_t{sizeof(C)},
                          n_columns, fold, std::make_index_sequence<kAcross>());
    }
  }
  for (; r < n_rows; ++r) {
    const C* x = get_numbers<T>(rows + r * row_step, column_step, n_columns, room);
    fold_packed_rows<C>(acc, reinterpret_cast<const char*>(x), 0, n_columns, fold,
                        std::index_sequence<0>());
  }
}

// Calls body(out, out_step, in, in_step, n) for pieces of neighbouring outputs, on the host's
// threads if there are many elements.
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
