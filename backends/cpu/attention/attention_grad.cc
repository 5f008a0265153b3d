// SPDX-License-Identifier: Apache-2.0
// backends/cpu/attention/attention_grad.cc: the gradients of attention, dq = ds k, dk = ds^T q and
// dv = w^T dy, with the weights w computed again.
//
// The canonical arithmetic of plugins/ops/attention/attention_grad.cc. A thread takes a head of k
// and v of a sequence and goes through the rows that read it in order, a block at a time: weights,
// slopes, the rows' dq, and what they add to dk and dv. Memory is linear in the numbers of queries
// and keys. Where what is hidden is not finite rows are computed one by one, over the keys they see
// alone.

#include "cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attention/attention_grad.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "attention/weights-inl.h"
#include "common/slots.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

namespace attention = cpu::HWY_NAMESPACE::attention;
using attention::Block;
using attention::Blocks;
using attention::Call;
using attention::Matrix;
using attention::Panels;
using attention::Range;
using attention::Rows;
namespace cut = cpu::attention;

constexpr uint32_t kDy = 0;
constexpr uint32_t kFirst = 1;  // slot of q

// The product of a line with its weights, whose sum is that of tenon.sum.
template <class C>
struct Weighted {
  const C* x;
  const C* weights;

  HWY_INLINE Weighted map_from(int64_t i) const { return {x, weights + i}; }
  template <class D, class V>
  HWY_INLINE V operator()(D d, V v, size_t i) const {
    return hn::Mul(v, hn::LoadU(d, weights + i));
  }
  template <class D, class V>
  HWY_INLINE V operator()(D d, V v, size_t i, int64_t n) const {
    return hn::Mul(v, rows::load_first(d, weights + i, n));
  }
};

// How a call is cut, and elements of a lane's scratch in the order in which they lie there.
template <class C>
struct Plan {
  explicit Plan(const Call& c)
      : matrices(c.soft_cap == 0 ? 2 : 3),
        blocks(c, cut::block_rows(c, matrices, sizeof(C), kTileRows)),
        step(cut::score_step(c.keys)),
        rows(gemm::round_up(blocks.rows, 16)),
        lane(rows * (matrices * step + 2 * c.depth + c.width) +
             gemm::round_up(c.keys, 16) * (c.depth + c.width)),
        lanes(cut::lanes_of(c.problems(), lane * int64_t{sizeof(C)})) {}

  int64_t panels(const Call& c) const {
    return attention::panel_elements<C>(c.problems(), c.keys, c.depth + c.width);
  }

  int64_t matrices;  // weights, slopes, and those of the soft cap
  Blocks blocks;
  int64_t step;
  int64_t rows;
  int64_t lane;
  int64_t lanes;
};

// What one block of rows has.
template <class C>
struct Lane {
  Lane(C* memory, const Plan<C>& plan, const Call& c)
      : weights{memory, plan.step}, slopes{memory + plan.rows * plan.step, plan.step} {
    C* next = memory + plan.rows * plan.step * plan.matrices;
    if (plan.matrices == 3) bends = {memory + 2 * plan.rows * plan.step, plan.step};
    const auto take = [&](int64_t elements) {
      C* const at = next;
      next += elements;
      return at;
    };
    q = take(plan.rows * c.depth);
    dq = take(plan.rows * c.depth);
    dy = take(plan.rows * c.width);
    dk = take(gemm::round_up(c.keys, 16) * c.depth);
    dv = take(gemm::round_up(c.keys, 16) * c.width);
  }

  Matrix<C> weights, slopes;
  Matrix<C> bends{nullptr, 0};
  C *q, *dq, *dy, *dk, *dv;
};

template <class T>
class Backward {
 public:
  using C = Number<T>;

  Backward(const sdk::Launch& l, const Call& c) : l_(l), c_(c), plan_(c), weights_(l, c) {
    C* scratch = reinterpret_cast<C*>(l.scratch().data());
    dy_ = attention::rows_of<T>(l, kDy, scratch);
    q_ = attention::rows_of<T>(l, kFirst + cut::kQuery, scratch);
    k_ = attention::rows_of<T>(l, kFirst + cut::kKey, scratch);
    v_ = attention::rows_of<T>(l, kFirst + cut::kValue, scratch);
    k_panels_ = attention::pack_rows(l, k_, c.problems(), scratch);
    v_panels_ = attention::pack_rows(l, v_, c.problems(), scratch);
    lanes_ = scratch;
  }

  void run() const {
    const int64_t products = c_.problems() * c_.rows() * c_.keys * (c_.depth + c_.width);
    attention::for_lanes(l_, c_.problems(), plan_.lanes, products,
                         [&](int64_t lane, int64_t begin, int64_t end) {
                           const Lane<C> own(lanes_ + lane * plan_.lane, plan_, c_);
                           for (int64_t i = begin; i < end; ++i) task(i, own);
                         });
  }

 private:
  void task(int64_t problem, const Lane<C>& lane) const {
    std::fill_n(lane.dk, c_.keys * c_.depth, C{0});
    std::fill_n(lane.dv, c_.keys * c_.width, C{0});
    for (int64_t i = 0; i < plan_.blocks.count; ++i) {
      const Block whole = plan_.blocks[i];
      attention::for_parts(
          whole, c_.hides() && !is_finite(problem, whole),
          [&](const Block& block, bool by_runs) { compute(problem, block, lane, by_runs); });
    }
    put(1, lane.dk, c_.depth, problem);
    put(2, lane.dv, c_.width, problem);
  }

  // Of all that the block would multiply by weights of 0.
  bool is_finite(int64_t problem, const Block& block) const {
    const int64_t b = problem / c_.groups;
    const int64_t g = problem % c_.groups;
    const Range span = weights_.span(problem, block);
    if (!attention::are_finite(k_, b, g, span.begin, span.end)) return false;
    if (!attention::are_finite(v_, b, g, span.begin, span.end)) return false;
    for (int64_t i = 0; i < block.count; ++i) {
      const attention::Place place(c_, problem, block.first + i);
      if (!attention::is_finite(place.in(q_), c_.depth)) return false;
      if (!attention::is_finite(place.in(dy_), c_.width)) return false;
    }
    return true;
  }

  void compute(int64_t problem, const Block& block, const Lane<C>& lane, bool by_runs) const {
    const Range span = weights_.span(problem, block);
    bool any = false;
    const auto add = [&](const Range& keys) {
      add_keys(problem, block, lane, keys, any);
      any = true;
    };
    if (span.begin < span.end && c_.width > 0) {
      attention::gather(q_, c_, problem, block, lane.q);
      attention::gather(dy_, c_, problem, block, lane.dy);
      attention::multiply_panels(lane.q, block.count, c_.depth, k_panels_, problem, span,
                                 lane.weights);
      weights_.finish(problem, block, span, lane.weights, lane.bends);
      attention::multiply_panels(lane.dy, block.count, c_.width, v_panels_, problem, span,
                                 lane.slopes);
      if (by_runs) clear_hidden(problem, block.first, span, lane.slopes.row(0));
      bend(problem, block, span, lane);
      if (by_runs) {
        weights_.for_runs(problem, block.first, add);
      } else {
        add(span);
      }
    }
    if (c_.depth == 0) return;
    if (!any) std::fill_n(lane.dq, block.count * c_.depth, C{0});
    attention::scatter<T>(lane.dq, c_.depth, c_, problem, block, sdk::strided(l_.out()));
  }

  // What keys that are not seen make of dy may be anything.
  void clear_hidden(int64_t problem, int64_t row, const Range& span, C* slopes) const {
    int64_t next = span.begin;
    weights_.for_runs(problem, row, [&](const Range& keys) {
      std::fill(slopes + next, slopes + keys.begin, C{0});
      next = keys.end;
    });
    std::fill(slopes + next, slopes + span.end, C{0});
  }

  // The gradients of the products of queries and keys, at lane.slopes.
  void bend(int64_t problem, const Block& block, const Range& span, const Lane<C>& lane) const {
    const hn::ScalableTag<C> d;
    const auto scale = hn::Set(d, static_cast<C>(c_.scale));
    for (int64_t i = 0; i < block.count; ++i) {
      const Range seen = weights_.seen(problem, block.first + i);
      C* const slopes = lane.slopes.row(i) + span.begin;
      const C* const weights = lane.weights.row(i) + span.begin;
      const int64_t n = seen.begin < seen.end ? seen.end - span.begin : 0;
      const C mean = rows::sum_mapped<C>(n, rows::kLaneBlock, [&](int64_t j, int64_t) HWY_ATTR {
        return Weighted<C>{slopes + j, weights + j};
      });
      const auto by_weight = [&](auto tag, auto a, auto w)
                                 HWY_ATTR { return hn::Mul(hn::Sub(a, hn::Set(tag, mean)), w); };
      combine(slopes, weights, n, by_weight);
      // The scratch of keys before those that are seen holds no slopes of a cap.
      if (lane.bends.data && n > 0) {
        const int64_t before = seen.begin - span.begin;
        combine(slopes + before, lane.bends.row(i) + seen.begin, n - before,
                [](auto, auto a, auto c) HWY_ATTR { return hn::Mul(a, c); });
      }
      const auto scaled = [&](auto, auto v) HWY_ATTR { return hn::Mul(v, scale); };
      rows::softmax::map_packed(slopes, slopes, n, scaled);
      std::fill(slopes + n, lane.slopes.row(i) + span.end, C{0});
    }
  }

  // x[i] = f(d, x[i], y[i])
  template <class F>
  static void combine(C* x, const C* y, int64_t n, const F& f) {
    const hn::ScalableTag<C> d;
    int64_t i = 0;
    for (; i + kLanes<C> <= n; i += kLanes<C>) {
      hn::StoreU(f(d, hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, x + i);
    }
    if (i == n) return;
    const auto some = hn::FirstN(d, static_cast<size_t>(n - i));
    const auto last = f(d, hn::MaskedLoad(some, d, x + i), hn::MaskedLoad(some, d, y + i));
    hn::BlendedStore(last, some, d, x + i);
  }

  void add_keys(int64_t problem, const Block& block, const Lane<C>& lane, const Range& keys,
                bool goes_on) const {
    const int64_t count = keys.end - keys.begin;
    const C* const key = k_.at(problem / c_.groups, problem % c_.groups, keys.begin);
    attention::multiply(attention::Product<C>{
        Along::kDepth, lane.slopes.data + keys.begin, lane.slopes.step, key, k_.row,
        kTileColumns<C>, lane.dq, c_.depth, block.count, c_.depth, count, goes_on});
    const auto over_rows = [&](const Matrix<C>& scores, const C* x, int64_t columns, C* sums) {
      attention::multiply(attention::Product<C>{
          Along::kRows, scores.data + keys.begin, scores.step, x, columns, kTileColumns<C>,
          sums + keys.begin * columns, columns, count, columns, block.count, true});
    };
    if (l_.wants_out(1)) over_rows(lane.slopes, lane.q, c_.depth, lane.dk);
    if (l_.wants_out(2)) over_rows(lane.weights, lane.dy, c_.width, lane.dv);
  }

  void put(uint32_t output, const C* from, int64_t columns, int64_t problem) const {
    if (!l_.wants_out(output) || columns == 0) return;
    const sdk::Strided to = sdk::strided(l_.out(output));
    char* const head =
        to.data + problem / c_.groups * to.step[0] + problem % c_.groups * to.step[1];
    for (int64_t j = 0; j < c_.keys; ++j) {
      rows::put_numbers<T>(from + j * columns, columns, head + j * to.step[2], to.step[3]);
    }
  }

  const sdk::Launch& l_;
  const Call& c_;
  const Plan<C> plan_;
  const attention::Weights<T> weights_;
  Rows<C> dy_, q_, k_, v_;
  Panels<C> k_panels_, v_panels_;
  C* lanes_;
};

void run(const sdk::Launch& l) {
  const Call call(l, kFirst);
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype,
                                       [&]<class T>() { Backward<T>(l, call).run(); });
}

uint64_t workspace(const sdk::Args& args) {
  const Call call(args, kFirst);
  uint64_t bytes = 0;
  sdk::dispatch_dtype<sdk::FloatTypes>(args.out().dtype, [&]<class T>() {
    using C = Number<T>;
    const Plan<C> plan(call);
    int64_t elements = plan.panels(call) + plan.lanes * plan.lane;
    for (uint32_t slot = kDy; slot <= kFirst + cut::kValue; ++slot) {
      elements += attention::copied<T>(args.view(slot));
    }
    bytes = static_cast<uint64_t>(elements) * sizeof(C);
  });
  return bytes;
}

constexpr tenon_slot_rule slots[] = {backends::any_in(),  backends::any_in(), backends::any_in(),
                                     backends::any_in(),  backends::any_in(), backends::any_in(),
                                     backends::any_in(),  backends::any_in(), backends::any_out(),
                                     backends::any_out(), backends::any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.attention_grad", slots, sdk::kFloats, cut::kAttributes, sdk::launch_fn<run>,
           {.workspace = sdk::workspace_fn<workspace>}),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> attention_grad_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(attention_grad) = {.chosen_kernels = TENON_CPU_CHOOSE(attention_grad_kernels)};
#endif
