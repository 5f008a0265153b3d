// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/reduce_sum.cc: sum, mean, sum_to.
//
// One order of additions for all layouts, threads and instruction sets: lines as lanes-inl.h says;
// what lies behind an output besides (`outer` in reduction.h) one after another in blocks of 256,
// which start at 0 and are added pairwise. Integers wrap, so any order gives their bits.

#include "kernels/narrow_sums.h"
#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce_sum.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

using namespace rows;

// Integers are added without their sign, where overflow is defined.
template <class T>
struct Addend {
  using type = T;
};
template <class T>
requires std::is_integral_v<T>
struct Addend<T> {
  using type = std::make_unsigned_t<T>;
};

struct Sum {
  template <class D, class V>
  HWY_INLINE V operator()(D, V a, V b) const {
    return hn::Add(a, b);
  }
};

// What becomes of a sum: itself, or a mean.
template <class C>
struct Finish {
  bool divides;
  C count;

  template <class D, class V>
  HWY_INLINE V operator()([[maybe_unused]] D d, V total) const {
    if constexpr (std::is_floating_point_v<C>) {
      if (divides) return hn::Div(total, hn::Set(d, count));
    }
    return total;
  }
};
template <class C>
HWY_INLINE C finished(C total, const Finish<C>& finish) {
  return finish.divides ? static_cast<C>(total / finish.count) : total;
}
// In place, whole vectors.
template <class C>
HWY_INLINE void finish_all(C* totals, int64_t n, const Finish<C>& finish) {
  const hn::ScalableTag<C> d;
  for (int64_t i = 0; i < n; i += static_cast<int64_t>(hn::Lanes(d))) {
    hn::Store(finish(d, hn::Load(d, totals + i)), d, totals + i);
  }
}

template <class C>
C sum_line(const AnyLine<C>& line, int64_t begin, int64_t end) {
  HWY_ALIGN C room[kTile];
  PairwiseSum<C> blocks;
  const int64_t tile = line.tile(kLaneBlock);
  for (int64_t block = begin; block < end; block += kLaneBlock) {
    const int64_t block_end = std::min(end, block + kLaneBlock);
    LaneSum<C> lanes;
    for (int64_t i = block; i < block_end; i += tile) {
      const int64_t n = std::min(tile, block_end - i);
      lanes.add(line.get(i, n, room), n);
    }
    if (end - begin <= kLaneBlock) return lanes.total();
    blocks.add(lanes.total());
  }
  return blocks.total();
}

// All elements reduced into one output.
template <class C>
C sum_behind(const Reduction& r, const AnyLine<C>& first) {
  const int64_t n = r.line.count();
  if (r.outer.rank() == 0) return sum_line(first, 0, n);
  PairwiseSum<C> blocks;
  C block{};
  int64_t in_block = 0;
  for_each_outer(r, first.data(), [&](const sdk::Run<1>& run) HWY_ATTR {
    for (int64_t i = 0; i < run.count; ++i) {
      const C line = sum_line(first.at(run.data[0] + i * run.step[0]), 0, n);
      block = static_cast<C>(block + line);
      if (++in_block < kRowBlock) continue;
      blocks.add(block);
      block = C{};
      in_block = 0;
    }
  });
  if (in_block > 0) blocks.add(block);
  return blocks.total();
}

// Outputs whose lines are packed, or whose lines' neighbours lie next to them; no other reduced
// dimensions, and a line is one block.
template <class T>
bool sum_simple_lines(const Reduction& r, const sdk::Run<2>& run, Finish<Number<T>> finish) {
  using C = Number<T>;
  const int64_t n = r.line.count();
  if (r.outer.rank() != 0 || r.line.rank() > 1 || n > kLaneBlock) return false;
  const int64_t step = r.line.operands()[0].step[0];
  if (r.line.rank() == 0 || step == int64_t{sizeof(T)}) {
    for (int64_t i = 0; i < run.count; ++i) {
      LaneSum<C> lanes;
      lanes.template add_stored<T>(run.data[1] + i * run.step[1], n);
      put_number<T>(run.data[0] + i * run.step[0], finished(lanes.total(), finish));
    }
    return true;
  }
  constexpr int64_t kFew = 4;
  if (run.step[1] != int64_t{sizeof(T)} || run.count < kFew) return false;
  for_each_abreast<T>(run.data[1], step, run.count, [&](const auto& in, int64_t first) HWY_ATTR {
    const hn::ScalableTag<C> d;
    constexpr size_t K = std::remove_reference_t<decltype(in)>::kVectors;
    hn::Vec<decltype(d)> sums[K];
    sum_abreast<C, K>(
        n, [&](int64_t k, size_t j) HWY_ATTR { return in.get(k, j); }, sums);
    HWY_ALIGN C totals[K * hn::MaxLanes(d)];
    for (size_t j = 0; j < K; ++j) hn::Store(finish(d, sums[j]), d, totals + j * hn::Lanes(d));
    put_numbers<T>(totals, in.lines, run.data[0] + first * run.step[0], run.step[0]);
  });
  return true;
}

template <class T>
void sum_lines(const sdk::Launch& l, const Reduction& r, Finish<Number<T>> finish) {
  constexpr int64_t kLong = 8 * kLaneBlock;
  constexpr int64_t kFew = 8;
  const int64_t n = r.line.count();
  if (r.outer.rank() == 0 && n >= kLong && r.kept.count() < kFew) {
    for_each_output(r, 0, r.kept.count(), [&](char* out, char* in) HWY_ATTR {
      const Line<T> line(r.line, in);
      const auto piece = [&](int64_t begin, int64_t end)
                             HWY_ATTR { return sum_line(line, begin, end); };
      put_number<T>(out, finished(sum_in_pieces<Number<T>>(l, n, piece), finish));
    });
    return;
  }
  l.parallel_for(r.kept.count(), grain_of(r.count()), [&](int64_t begin, int64_t end) HWY_ATTR {
    sdk::walk_range<2>(
        r.kept.shape(), r.kept.operands(), begin, end, [&](const sdk::Run<2>& run) HWY_ATTR {
          if (sum_simple_lines<T>(r, run, finish)) return;
          for (int64_t i = 0; i < run.count; ++i) {
            const Line<T> first(r.line, run.data[1] + i * run.step[1]);
            put_number<T>(run.data[0] + i * run.step[0], finished(sum_behind(r, first), finish));
          }
        });
  });
}

template <class T>
void sum_columns(const sdk::Launch& l, const Reduction& r, Finish<Number<T>> finish) {
  for_each_columns(l, r,
                   [&](char* out, int64_t out_step, char* in, int64_t in_step, int64_t n) HWY_ATTR {
                     ColumnSums<Number<T>> sums;
                     for_each_outer(r, in, [&](const sdk::Run<1>& run) HWY_ATTR {
                       const char* rows = run.data[0];
                       sums.add(run.count, [&](Number<T>* sum, int64_t n_rows) HWY_ATTR {
                         fold_rows<T>(sum, rows, run.step[0], n_rows, in_step, n, Sum());
                         rows += n_rows * run.step[0];
                       });
                     });
                     Number<T>* total = sums.total();
                     finish_all(total, n, finish);
                     put_numbers<T>(total, n, out, out_step);
                   });
}

template <class T>
void run_typed(const sdk::Launch& l, const Reduction& r, Finish<Number<T>> finish) {
  if (r.is_columns()) return sum_columns<T>(l, r, finish);
  sum_lines<T>(l, r, finish);
}

void run_sum(const sdk::Launch& l, const Reduction& r) {
  sdk::dispatch_dtype<sdk::NumberTypes>(
      l.out().dtype, [&]<class T>() HWY_ATTR { run_typed<typename Addend<T>::type>(l, r, {}); });
}

Reduction by_attributes(const sdk::Launch& l) {
  return reduce_axes(l.view(0), l.out(), axes_attribute(l, 0), l.attrs.flag(1));
}

void sum(const sdk::Launch& l) {
  if (l.view(0).dtype != l.out().dtype) return sum_narrow(l);
  run_sum(l, by_attributes(l));
}
void sum_to(const sdk::Launch& l) {
  run_sum(l, reduce(l.view(0), l.out(), kept_by_shape(l.view(0), l.out())));
}

// The mean of no elements is NaN.
void mean(const sdk::Launch& l) {
  const Reduction r = by_attributes(l);
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() HWY_ATTR {
    const auto count = static_cast<Number<T>>(r.count());
    run_typed<T>(l, r, {true, count});
  });
}

constexpr tenon_slot_rule slots[] = {any_in(), any_out()};
constexpr tenon_slot_rule narrow_slots[] = {any_in(TENON_SLOT_NARROW), any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.sum", narrow_slots, sdk::kWideNumbers, 2, sdk::launch_fn<sum>),
    kernel("tenon.mean", slots, sdk::kFloats, 2, sdk::launch_fn<mean>),
    kernel("tenon.sum_to", slots, sdk::kNumbers, 1, sdk::launch_fn<sum_to>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> reduce_sum_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(reduce_sum) = {.chosen_kernels = TENON_CPU_CHOOSE(reduce_sum_kernels)};
#endif
