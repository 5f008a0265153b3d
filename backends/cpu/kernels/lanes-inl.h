// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/lanes-inl.h: the sum of a line of packed numbers, in one order for all
// instruction sets.
//
// A line is cut into blocks of 64 * 256 elements. In a block, element i is added to virtual lane
// i mod 64, lanes start at 0 and are then added in halves: j + 32 to j, j + 16 to j, ... The sums
// of blocks are added pairwise: neighbours, neighbours of these, ..., an odd last one is carried.
// Lanes are 4 registers of 16 in AVX-512, 8 of 8 in AVX2, 16 of 4 in NEON (f32).

#if defined(TENON_CPU_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_LANES_INL_H
#undef TENON_CPU_LANES_INL_H
#else
#define TENON_CPU_LANES_INL_H
#endif

#include "kernels/numbers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {

inline constexpr int64_t kLanes = 64;
inline constexpr int64_t kLaneBlock = kLanes * 256;

// Adds the upper half of the lanes to the lower half until one is left.
template <class D>
HWY_INLINE hn::TFromD<D> fold_lanes([[maybe_unused]] D d, hn::Vec<D> v) {
  if constexpr (hn::MaxLanes(D()) == 1) {
    return hn::GetLane(v);
  } else {
    const hn::Half<D> half;
    return fold_lanes(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}

// The 64 lanes of one block.
template <class C>
class LaneSum {
 public:
  using D = hn::ScalableTag<C>;
  using V = hn::Vec<D>;
  static constexpr size_t kWidth = hn::MaxLanes(D());
  static constexpr size_t kRegisters = kLanes / kWidth;

  HWY_INLINE LaneSum() {
    for (V& lanes : sum_) lanes = hn::Zero(D());
  }
  HWY_INLINE void add(size_t r, V v) { sum_[r] = hn::Add(sum_[r], v); }

  // n is a multiple of 64 but for the block's last elements.
  HWY_INLINE void add(const C* x, int64_t n) {
    const D d;
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      for (size_t r = 0; r < kRegisters; ++r) add(r, hn::LoadU(d, x + i + r * kWidth));
    }
    for (size_t r = 0; r < kRegisters && i < n; ++r, i += kWidth) {
      add(r, load_first(d, x + i, n - i));
    }
  }

  HWY_INLINE C total() const {
    if constexpr (std::is_integral_v<C>) {
      return wrapped_total();
    } else {
      V v[kRegisters];
      for (size_t r = 0; r < kRegisters; ++r) v[r] = sum_[r];
      for (size_t half = kRegisters / 2; half > 0; half /= 2) {
        for (size_t r = 0; r < half; ++r) v[r] = hn::Add(v[r], v[r + half]);
      }
      return fold_lanes(D(), v[0]);
    }
  }

 private:
  C wrapped_total() const {
    HWY_ALIGN C lanes[kWidth];
    C sum = 0;
    for (const V& v : sum_) {
      hn::Store(v, D(), lanes);
      for (const C lane : lanes) sum = static_cast<C>(sum + lane);
    }
    return sum;
  }

  V sum_[kRegisters];
};

// Adds numbers pairwise, as they come.
template <class C>
class PairwiseSum {
 public:
  void add(C value) {
    // A bit of count_ is a subtree that waits for its neighbour.
    size_t level = 0;
    for (; (count_ >> level) & 1; ++level) value = static_cast<C>(waiting_[level] + value);
    waiting_[level] = value;
    ++count_;
  }
  // 0 for nothing.
  C total() const {
    C sum{};
    bool any = false;
    for (size_t level = 0; (count_ >> level) != 0; ++level) {
      if (!((count_ >> level) & 1)) continue;
      sum = any ? static_cast<C>(waiting_[level] + sum) : waiting_[level];
      any = true;
    }
    return sum;
  }

 private:
  C waiting_[48];
  uint64_t count_ = 0;
};

// The sum of packed numbers.
template <class C>
C sum_packed(const C* x, int64_t n) {
  PairwiseSum<C> blocks;
  for (int64_t begin = 0; begin < n; begin += kLaneBlock) {
    LaneSum<C> lanes;
    lanes.add(x + begin, std::min(kLaneBlock, n - begin));
    if (n <= kLaneBlock) return lanes.total();
    blocks.add(lanes.total());
  }
  return blocks.total();
}

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // TENON_CPU_LANES_INL_H
