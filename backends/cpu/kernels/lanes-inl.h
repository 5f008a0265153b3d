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
namespace rows {

inline constexpr int64_t kLanes = 64;
inline constexpr int64_t kLaneBlock = kLanes * 256;

// Are there registers for the sums of two lines at once?
inline constexpr bool kManyRegisters = HWY_TARGET == HWY_AVX3;

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

// The 64 lanes of one block. Registers are named by constants alone, or the compiler would keep
// them in memory.
template <class C>
class LaneSum {
 public:
  using D = hn::ScalableTag<C>;
  using V = hn::Vec<D>;
  static constexpr size_t kWidth = hn::MaxLanes(D());
  static constexpr size_t kRegisters = kLanes / kWidth;

  HWY_INLINE LaneSum() { clear(kAll); }

  // map(d, v, i) for the vectors v of 64 elements, the first of each being element i of x.
  template <class Map>
  HWY_INLINE void add_64(const C* x, const Map& map) {
    add_whole(x, map, kAll);
  }
  // The same for n elements, fewer than 64; map gets 0 for the others and must give 0 for them.
  template <class Map>
  HWY_INLINE void add_last(const C* x, int64_t n, const Map& map) {
    add_some(x, n, map, kAll);
  }

  // n is a multiple of 64 except for the block's last elements.
  HWY_INLINE void add(const C* x, int64_t n) {
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) add_64(x + i, Itself());
    if (i < n) add_last(x + i, n - i, Itself());
  }

  // The same for elements stored as T.
  template <class T>
  HWY_INLINE void add_stored(const char* x, int64_t n) {
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) add_stored_64<T>(x + i * int64_t{sizeof(T)}, kAll);
    if (i < n) add_stored_last<T>(x + i * int64_t{sizeof(T)}, n - i, kAll);
  }

  HWY_INLINE C total() const {
    if constexpr (std::is_integral_v<C>) {
      return wrapped_total();
    } else {
      return fold_lanes(D(), every<0, 1>());
    }
  }

 private:
  static constexpr std::make_index_sequence<kRegisters> kAll{};

  struct Itself {
    HWY_INLINE V operator()(D, V v, size_t) const { return v; }
    HWY_INLINE V operator()(D, V v, size_t, int64_t) const { return v; }
  };

  template <size_t... R>
  HWY_INLINE void clear(std::index_sequence<R...>) {
    ((sum_[R] = hn::Zero(D())), ...);
  }
  template <class Map, size_t... R>
  HWY_INLINE void add_whole(const C* x, const Map& map, std::index_sequence<R...>) {
    ((sum_[R] = hn::Add(sum_[R], map(D(), hn::LoadU(D(), x + R * kWidth), R * kWidth))), ...);
  }
  template <class Map, size_t... R>
  HWY_INLINE void add_some(const C* x, int64_t n, const Map& map, std::index_sequence<R...>) {
    (add_one<R>(x + R * kWidth, n - static_cast<int64_t>(R * kWidth), map), ...);
  }
  template <size_t R, class Map>
  HWY_INLINE void add_one(const C* x, int64_t n, const Map& map) {
    if (n <= 0) return;
    sum_[R] = hn::Add(sum_[R], map(D(), load_first(D(), x, n), R * kWidth, n));
  }

  template <class T, size_t... R>
  HWY_INLINE void add_stored_64(const char* x, std::index_sequence<R...>) {
    ((sum_[R] = hn::Add(sum_[R], load<T>(D(), x + R * kWidth * sizeof(T)))), ...);
  }
  template <class T, size_t... R>
  HWY_INLINE void add_stored_last(const char* x, int64_t n, std::index_sequence<R...>) {
    (add_stored_one<T, R>(x + R * kWidth * sizeof(T), n - static_cast<int64_t>(R * kWidth)), ...);
  }
  template <class T, size_t R>
  HWY_INLINE void add_stored_one(const char* x, int64_t n) {
    if (n <= 0) return;
    if (n >= static_cast<int64_t>(kWidth)) {
      sum_[R] = hn::Add(sum_[R], load<T>(D(), x));
    } else {
      const auto count = static_cast<size_t>(n);
      const V some = cpu::HWY_NAMESPACE::load_first<T>(D(), x, count);
      sum_[R] = hn::Add(sum_[R], hn::IfThenElseZero(hn::FirstN(D(), count), some));
    }
  }

  // Registers First, First + Step, ... in halves: every<0, 1>() of four is (0 + 2) + (1 + 3).
  template <size_t First, size_t Step>
  HWY_INLINE V every() const {
    if constexpr (Step >= kRegisters) {
      return sum_[First];
    } else {
      return hn::Add(every<First, 2 * Step>(), every<First + Step, 2 * Step>());
    }
  }

  C wrapped_total() const {
    HWY_ALIGN C lanes[kWidth];
    hn::Store(every<0, 1>(), D(), lanes);
    C sum = 0;
    for (const C lane : lanes) sum = static_cast<C>(sum + lane);
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

// Rows that are added one after another; blocks of them are added pairwise.
inline constexpr int64_t kRowBlock = 256;

// Columns that are added side by side, so that they stay in L1.
inline constexpr int64_t kColumns = 512;

// The sums of up to kColumns columns, row after row, in blocks that are added as by PairwiseSum.
template <class C>
class ColumnSums {
 public:
  ColumnSums() { clear(); }

  // body(sum, n) adds the next n rows to sum[kColumns], which starts at 0 for each block.
  template <class Body>
  void add(int64_t n_rows, Body&& body) {
    while (n_rows > 0) {
      if (in_block_ == kRowBlock) close_block();
      const int64_t n = std::min(n_rows, kRowBlock - in_block_);
      body(static_cast<C*>(sum_), n);
      in_block_ += n;
      n_rows -= n;
    }
  }
  C* total() {
    for (size_t level = 0; (count_ >> level) != 0; ++level) {
      if ((count_ >> level) & 1) add_waiting(level);
    }
    return sum_;
  }

 private:
  void clear() { std::fill(sum_, sum_ + kColumns, C{}); }
  void add_waiting(size_t level) {
    const hn::ScalableTag<C> d;
    for (size_t c = 0; c < kColumns; c += hn::Lanes(d)) {
      hn::Store(hn::Add(hn::Load(d, waiting_[level] + c), hn::Load(d, sum_ + c)), d, sum_ + c);
    }
  }
  void close_block() {
    size_t level = 0;
    for (; (count_ >> level) & 1; ++level) add_waiting(level);
    std::copy(sum_, sum_ + kColumns, waiting_[level]);
    ++count_;
    in_block_ = 0;
    clear();
  }

  HWY_ALIGN C sum_[kColumns];
  HWY_ALIGN C waiting_[32][kColumns];
  uint64_t count_ = 0;
  int64_t in_block_ = 0;
};

// The sum of map(x) over n elements, in pieces of `tile` (a multiple of 64, or all of them).
// numbers(i, count) gives elements i to i + count - 1 as something that has `x`, their packed
// numbers, and `map_from(j)`, what LaneSum takes for the 64 elements from x + j.
template <class C, class Numbers>
HWY_INLINE C sum_mapped(int64_t n, int64_t tile, const Numbers& numbers) {
  PairwiseSum<C> blocks;
  for (int64_t block = 0; block < n; block += kLaneBlock) {
    const int64_t end = std::min(n, block + kLaneBlock);
    LaneSum<C> lanes;
    for (int64_t at = block; at < end; at += tile) {
      const int64_t count = std::min(tile, end - at);
      const auto piece = numbers(at, count);
      int64_t i = 0;
      for (; i + kLanes <= count; i += kLanes) lanes.add_64(piece.x + i, piece.map_from(i));
      if (i < count) lanes.add_last(piece.x + i, count - i, piece.map_from(i));
    }
    if (n <= kLaneBlock) return lanes.total();
    blocks.add(lanes.total());
  }
  return blocks.total();
}

template <class C, class... Lines, size_t... K>
HWY_INLINE std::array<C, sizeof...(Lines)> sums_of_block(int64_t begin, int64_t end,
                                                         std::index_sequence<K...>,
                                                         const Lines&... lines) {
  LaneSum<C> sums[sizeof...(Lines)];
  int64_t i = begin;
  for (; i + kLanes <= end; i += kLanes) {
    (sums[K].add_64(lines.x + i, lines.map_from(i)), ...);
  }
  if (i < end) (sums[K].add_last(lines.x + i, end - i, lines.map_from(i)), ...);
  return {sums[K].total()...};
}

// The sums of several lines of n elements at once, each as by sum_mapped; lines are what its
// `numbers` gives, of all elements.
template <class C, class... Lines>
HWY_INLINE std::array<C, sizeof...(Lines)> sums_of(int64_t n, const Lines&... lines) {
  constexpr auto kEach = std::make_index_sequence<sizeof...(Lines)>();
  PairwiseSum<C> blocks[sizeof...(Lines)];
  for (int64_t block = 0; block < n; block += kLaneBlock) {
    const int64_t end = std::min(n, block + kLaneBlock);
    const auto sums = sums_of_block<C>(block, end, kEach, lines...);
    if (n <= kLaneBlock) return sums;
    for (size_t k = 0; k < sums.size(); ++k) blocks[k].add(sums[k]);
  }
  std::array<C, sizeof...(Lines)> totals;
  for (size_t k = 0; k < totals.size(); ++k) totals[k] = blocks[k].total();
  return totals;
}

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

}  // namespace rows
}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // TENON_CPU_LANES_INL_H
