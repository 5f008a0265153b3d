// SPDX-License-Identifier: Apache-2.0
// backends/cpu/attention/weights-inl.h: the weights of a block of rows: scores and their softmax.
//
// All scores of a row are there at once, so that its softmax is that of tenon.softmax: blocks of
// keys that are joined afterwards would round otherwise. Scores of keys that no row of the block
// sees are not computed.

#if defined(TENON_CPU_ATTENTION_WEIGHTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_ATTENTION_WEIGHTS_INL_H
#undef TENON_CPU_ATTENTION_WEIGHTS_INL_H
#else
#define TENON_CPU_ATTENTION_WEIGHTS_INL_H
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>

#include "attention/multiply-inl.h"
#include "attention/operands-inl.h"
#include "kernels/math_hyperbolic-inl.h"
#include "kernels/softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace attention {

using backends::Range;

// Rows of scores, or of what becomes of them. Column j is key j.
template <class C>
struct Matrix {
  C* data;
  int64_t step;
  C* row(int64_t i) const { return data + i * step; }
};

// A row of a problem, of which all read the same head of k and v.
struct Place {
  Place(const Call& c, int64_t problem, int64_t row)
      : batch(problem / c.groups),
        head(problem % c.groups * c.heads + row / c.queries),
        query(row % c.queries) {}

  // In an operand of [batch, heads of q, queries, ...].
  char* in(const sdk::Strided& operand) const {
    return operand.data + batch * operand.step[0] + head * operand.step[1] +
           query * operand.step[2];
  }
  template <class C>
  const C* in(const Rows<C>& rows) const {
    return rows.at(batch, head, query);
  }

  int64_t batch;
  int64_t head;  // of q
  int64_t query;
};

template <class T>
class Weights {
 public:
  using C = Number<T>;

  Weights(const sdk::Launch& l, const Call& call)
      : c_(call),
        sequences_(l, call.first + cpu::attention::kLengths, call.first + cpu::attention::kStart,
                   call.queries, call.keys) {}

  // The keys that row `row` of a problem sees, but for its mask.
  Range seen(int64_t problem, int64_t row) const {
    return c_.sight.of(sequences_[problem / c_.groups], row % c_.queries);
  }

  // The keys that rows of the block see, from a multiple of 64 on: there the sums of tenon.softmax
  // may begin. They begin at 0 if there is more than one block of these.
  Range span(int64_t problem, const Block& block) const {
    Range all{c_.keys, 0};
    for (int64_t i = 0; i < block.count; ++i) {
      const Range one = seen(problem, block.first + i);
      if (one.begin == one.end) continue;
      all.begin = std::min(all.begin, one.begin);
      all.end = std::max(all.end, one.end);
    }
    if (all.end == 0) return {0, 0};
    all.begin = c_.keys > rows::kLaneBlock ? 0 : all.begin / rows::kLanes * rows::kLanes;
    return all;
  }

  // The keys that any query of the problem sees.
  Range reach(int64_t problem) const {
    const Range last = seen(problem, c_.queries - 1);
    return {0, std::max(last.end, seen(problem, 0).end)};
  }

  // Calls body(range) for neighbouring keys that the row sees.
  template <class Body>
  void for_runs(int64_t problem, int64_t row, const Body& body) const {
    const Range all = seen(problem, row);
    if (c_.mask.data == nullptr) {
      if (all.begin < all.end) body(all);
      return;
    }
    const char* const mask = Place(c_, problem, row).in(c_.mask);
    for (int64_t j = all.begin; j < all.end;) {
      const int64_t begin = j;
      while (j < all.end && mask[j * c_.mask.step[3]] != 0) ++j;
      if (begin < j) body(Range{begin, j});
      while (j < all.end && mask[j * c_.mask.step[3]] == 0) ++j;
    }
  }

  // Turns products of queries and keys into weights, 0 at keys of `span` that are not seen. With a
  // soft cap its slopes are left at `slopes`, if that has memory.
  void finish(int64_t problem, const Block& block, const Range& span, const Matrix<C>& scores,
              const Matrix<C>& slopes) const {
    for (int64_t i = 0; i < block.count; ++i) {
      C* const row = scores.row(i);
      const Range all = seen(problem, block.first + i);
      C* const x = row + all.begin;
      const int64_t n = all.end - all.begin;
      if (n == 0) {
        std::fill(row + span.begin, row + span.end, C{0});
        continue;
      }
      scale(x, n, slopes.data ? slopes.row(i) + all.begin : nullptr);
      if (c_.bias.data) add_bias(Place(c_, problem, block.first + i).in(c_.bias), all, x);
      if (c_.mask.data) hide(Place(c_, problem, block.first + i).in(c_.mask), all, x);
      std::fill(row + span.begin, x, -std::numeric_limits<C>::infinity());
      soften(row + span.begin, all.end - span.begin);
      std::fill(row + all.end, row + span.end, C{0});
    }
  }

 private:
  void scale(C* x, int64_t n, C* slopes) const {
    const hn::ScalableTag<C> d;
    const auto factor = hn::Set(d, static_cast<C>(c_.scale));
    const auto scaled = [&](auto, auto v) HWY_ATTR { return hn::Mul(v, factor); };
    rows::softmax::map_packed(x, x, n, scaled);
    if (c_.soft_cap == 0) return;
    const auto cap = hn::Set(d, static_cast<C>(c_.soft_cap));
    const auto bent = [&](auto, auto v) HWY_ATTR { return math::Tanh()(hn::Div(v, cap)); };
    rows::softmax::map_packed(x, x, n, bent);
    const auto slope = [&](auto, auto v)
                           HWY_ATTR { return hn::Sub(hn::Set(d, C{1}), hn::Mul(v, v)); };
    if (slopes) rows::softmax::map_packed(x, slopes, n, slope);
    const auto widened = [&](auto, auto v) HWY_ATTR { return hn::Mul(v, cap); };
    rows::softmax::map_packed(x, x, n, widened);
  }

  void add_bias(const char* bias, const Range& all, C* x) const {
    HWY_ALIGN C room[rows::kTile];
    const int64_t step = c_.bias.step[3];
    for (int64_t j = all.begin; j < all.end; j += rows::kTile) {
      const int64_t n = std::min(rows::kTile, all.end - j);
      const C* numbers = rows::get_numbers<T>(bias + j * step, step, n, room);
      C* const to = x + (j - all.begin);
      for (int64_t i = 0; i < n; ++i) to[i] += numbers[i];
    }
  }

  void hide(const char* mask, const Range& all, C* x) const {
    const int64_t step = c_.mask.step[3];
    for (int64_t j = all.begin; j < all.end; ++j) {
      C& score = x[j - all.begin];
      score = mask[j * step] != 0 ? score : -std::numeric_limits<C>::infinity();
    }
  }

  // A row whose scores are all -inf has weights of 0, unless one is NaN.
  void soften(C* x, int64_t n) const {
    const C most = rows::softmax::largest_packed(x, n);
    if (most == -std::numeric_limits<C>::infinity()) {
      const bool nan = std::any_of(x, x + n, [](C score) { return std::isnan(score); });
      std::fill_n(x, n, nan ? std::numeric_limits<C>::quiet_NaN() : C{0});
      return;
    }
    const C sum = rows::softmax::sum_of_packed_powers<C, true>(x, n, most, x, x).sum;
    const hn::ScalableTag<C> d;
    const auto share = hn::Set(d, C{1} / sum);
    const auto shared = [&](auto, auto v) HWY_ATTR { return hn::Mul(v, share); };
    rows::softmax::map_packed(x, x, n, shared);
  }

  const Call& c_;
  const backends::Sequences sequences_;
};

// Packs rows of the block.
template <class C>
void gather(const Rows<C>& from, const Call& c, int64_t problem, const Block& block, C* to) {
  for (int64_t i = 0; i < block.count; ++i) {
    std::copy_n(Place(c, problem, block.first + i).in(from), from.columns, to + i * from.columns);
  }
}

// Stores packed rows of the block, rounded.
template <class T>
void scatter(const Number<T>* from, int64_t columns, const Call& c, int64_t problem,
             const Block& block, const sdk::Strided& to) {
  for (int64_t i = 0; i < block.count; ++i) {
    rows::put_numbers<T>(from + i * columns, columns, Place(c, problem, block.first + i).in(to),
                         to.step[3]);
  }
}

// Calls compute(block, false), or compute(row, true) for each row if what a row does not see must
// not be multiplied by its weight of 0.
template <class Compute>
void for_parts(const Block& whole, bool row_by_row, const Compute& compute) {
  if (!row_by_row) return compute(whole, false);
  for (int64_t i = 0; i < whole.count; ++i) compute(Block{whole.first + i, 1}, true);
}

// Products of packed rows with the columns of panels, from column span.begin on.
template <class C>
void multiply_panels(const C* rows, int64_t count, int64_t depth, const Panels<C>& panels,
                     int64_t problem, const Range& span, const Matrix<C>& to) {
  multiply(Product<C>{Along::kDepth, rows, depth,
                      panels.of(problem) + span.begin / kTileColumns<C> * panels.panel,
                      kTileColumns<C>, panels.panel, to.data + span.begin, to.step, count,
                      span.end - span.begin, depth, false});
}

// Splits [0, tasks) into `lanes` runs, possibly on several threads: body(lane, begin, end).
template <class Body>
void for_lanes(const sdk::Launch& l, int64_t tasks, int64_t lanes, int64_t products,
               const Body& body) {
  const int64_t each = std::max(products / std::max(lanes, int64_t{1}), int64_t{1});
  l.parallel_for(lanes, gemm::pieces(gemm::kTaskProducts, each), [&](int64_t begin, int64_t end) {
    for (int64_t lane = begin; lane < end; ++lane) {
      body(lane, tasks * lane / lanes, tasks * (lane + 1) / lanes);
    }
  });
}

}  // namespace attention
}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
