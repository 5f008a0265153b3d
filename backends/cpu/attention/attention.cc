// SPDX-License-Identifier: Apache-2.0
// backends/cpu/attention/attention.cc: attention, y = softmax(q k^T) v over the keys a query sees.
//
// The canonical arithmetic of plugins/ops/attention/attention.cc. Keys are packed once for all
// rows; then a block of rows has its scores, its weights and its results one after the other while
// they are in the second cache. Memory is linear in the numbers of queries and keys. Where hidden
// values are not finite rows are computed one by one, over the keys they see alone: 0 times these
// values would not be 0.

#include "cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attention/attention.cc"
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

// Rows of a problem that are too few to pack keys for: each key is read once.
constexpr int64_t kFewScores = 8;

// How a call is cut, and elements of scratch.
template <class C>
struct Plan {
  explicit Plan(const Call& c)
      : blocks(c, cut::block_rows(c, 1, sizeof(C), kTileRows)),
        step(cut::score_step(c.keys)),
        lane(gemm::round_up(blocks.rows * (step + c.depth + c.width), 16)),
        lanes(cut::lanes_of(c.problems() * blocks.count, lane * int64_t{sizeof(C)})),
        packs(c.rows() > kFewScores) {}

  int64_t panels(const Call& c) const {
    return packs ? attention::panel_elements<C>(c.problems(), c.keys, c.depth) : 0;
  }

  Blocks blocks;
  int64_t step;
  int64_t lane;
  int64_t lanes;
  bool packs;
};

template <class T>
class Forward {
 public:
  using C = Number<T>;

  Forward(const sdk::Launch& l, const Call& c)
      : l_(l), c_(c), plan_(c), weights_(l, c), out_(sdk::strided(l.out())) {
    C* scratch = reinterpret_cast<C*>(l.scratch().data());
    q_ = attention::rows_of<T>(l, cut::kQuery, scratch);
    k_ = attention::rows_of<T>(l, cut::kKey, scratch);
    v_ = attention::rows_of<T>(l, cut::kValue, scratch);
    if (plan_.packs) panels_ = attention::pack_rows(l, k_, c.problems(), scratch);
    lanes_ = scratch;
  }

  void run() const {
    const int64_t tasks = c_.problems() * plan_.blocks.count;
    const int64_t products = c_.problems() * c_.rows() * c_.keys * (c_.depth + c_.width);
    attention::for_lanes(l_, tasks, plan_.lanes, products,
                         [&](int64_t lane, int64_t begin, int64_t end) {
                           for (int64_t i = begin; i < end; ++i)
                             task(i, lanes_ + lane * plan_.lane);
                         });
  }

 private:
  void task(int64_t i, C* lane) const {
    const int64_t problem = i / plan_.blocks.count;
    const Block whole = plan_.blocks[i % plan_.blocks.count];
    attention::for_parts(
        whole, c_.hides() && !is_finite(problem, whole),
        [&](const Block& block, bool by_runs) { compute(problem, block, lane, by_runs); });
  }

  // Of the values that the block would multiply by weights of 0.
  bool is_finite(int64_t problem, const Block& block) const {
    const Range span = weights_.span(problem, block);
    return attention::are_finite(v_, problem / c_.groups, problem % c_.groups, span.begin,
                                 span.end);
  }

  void compute(int64_t problem, const Block& block, C* lane, bool by_runs) const {
    const Range span = weights_.span(problem, block);
    const Matrix<C> scores{lane, plan_.step};
    C* const q = lane + plan_.blocks.rows * plan_.step;
    C* const y = q + plan_.blocks.rows * c_.depth;
    if (span.begin < span.end) {
      attention::gather(q_, c_, problem, block, q);
      score(problem, block, span, q, scores);
      weights_.finish(problem, block, span, scores, {nullptr, 0});
    }
    bool goes_on = false;
    const auto add = [&](const Range& keys) {
      attention::multiply(attention::Product<C>{
          Along::kDepth, scores.data + keys.begin, scores.step,
          v_.at(problem / c_.groups, problem % c_.groups, keys.begin), v_.row, kTileColumns<C>, y,
          c_.width, block.count, c_.width, keys.end - keys.begin, goes_on});
      goes_on = true;
    };
    if (by_runs) {
      weights_.for_runs(problem, block.first, add);
    } else if (span.begin < span.end) {
      add(span);
    }
    if (!goes_on) std::fill_n(y, block.count * c_.width, C{0});
    attention::scatter<T>(y, c_.width, c_, problem, block, out_);
  }

  void score(int64_t problem, const Block& block, const Range& span, const C* q,
             const Matrix<C>& scores) const {
    if (plan_.packs) {
      return attention::multiply_panels(q, block.count, c_.depth, panels_, problem, span, scores);
    }
    const C* keys = k_.at(problem / c_.groups, problem % c_.groups, span.begin);
    const int64_t count = span.end - span.begin;
    for (int64_t i = 0; i < block.count; i += 2) {
      const auto multiply =
          i + 1 < block.count ? attention::multiply_few<2, C> : attention::multiply_few<1, C>;
      multiply(q + i * c_.depth, c_.depth, keys, k_.row, c_.depth, count,
               scores.row(i) + span.begin, scores.step);
    }
  }

  const sdk::Launch& l_;
  const Call& c_;
  const Plan<C> plan_;
  const attention::Weights<T> weights_;
  const sdk::Strided out_;
  Rows<C> q_, k_, v_;
  Panels<C> panels_{};
  C* lanes_;
};

void run(const sdk::Launch& l) {
  const Call call(l, cut::kQuery);
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    const Forward<T> forward(l, call);
    if (sdk::count_of(sdk::shape_of(l.out())) > 0) forward.run();
  });
}

uint64_t workspace(const sdk::Args& args) {
  const Call call(args, cut::kQuery);
  uint64_t bytes = 0;
  sdk::dispatch_dtype<sdk::FloatTypes>(args.out().dtype, [&]<class T>() {
    using C = Number<T>;
    const Plan<C> plan(call);
    int64_t elements = plan.panels(call) + plan.lanes * plan.lane;
    for (const uint32_t slot : {cut::kQuery, cut::kKey, cut::kValue}) {
      elements += attention::copied<T>(args.view(slot));
    }
    bytes = static_cast<uint64_t>(elements) * sizeof(C);
  });
  return bytes;
}

constexpr tenon_slot_rule slots[] = {backends::any_in(), backends::any_in(), backends::any_in(),
                                     backends::any_in(), backends::any_in(), backends::any_in(),
                                     backends::any_in(), backends::any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.attention", slots, sdk::kFloats, cut::kAttributes, sdk::launch_fn<run>,
           {.workspace = sdk::workspace_fn<workspace>}),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> attention_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(attention) = {.chosen_kernels = TENON_CPU_CHOOSE(attention_kernels)};
#endif
