// SPDX-License-Identifier: Apache-2.0
// backends/cpu/conv/weight_grad-inl.h: the adjoint of a convolution in its weights.
//
// dw[o, row] = the pairwise sum over images of the sum over positions p, ascending, of dy[o, p]
// x[row, p], where row = (channel, tap) reads the image at its own offset and steps through it as
// the windows do. A tile has some rows and a few vectors of channels o: dy is packed so that these
// lie beside each other, and the elements of x are broadcast from where they are. Only an image
// with padding is copied, with zeros around it; a dy that is not finite makes NaN of these, and
// such sums are computed again without the padding.

#if defined(TENON_CPU_CONV_WEIGHT_GRAD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_CONV_WEIGHT_GRAD_INL_H
#undef TENON_CPU_CONV_WEIGHT_GRAD_INL_H
#else
#define TENON_CPU_CONV_WEIGHT_GRAD_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "conv/call-inl.h"
#include "conv/pairwise-inl.h"
#include "conv/weight_plan.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A tile: sums[i, j] goes on by x at rows[i] + offsets[p] times dy[p, j], for `count` positions.
template <class T>
struct PositionTile {
  const T* rows[kTileRows];
  const int64_t* offsets;
  const T* dy;
  T* sums;
  int64_t count;
  bool goes_on;
};

template <class T, int kRows, int kVectors>
HWY_NOINLINE void add_positions(const PositionTile<T>& t) {
  const hn::ScalableTag<T> d;
  constexpr int64_t wide = kVectors * kLanes<T>;
  hn::Vec<decltype(d)> sum[kRows][kVectors];
  const T* rows[kRows];
#pragma GCC unroll 32
  for (int i = 0; i < kRows; ++i) {
    rows[i] = t.rows[i];
#pragma GCC unroll 8
    for (int j = 0; j < kVectors; ++j) {
      sum[i][j] = t.goes_on ? hn::LoadU(d, t.sums + i * wide + j * kLanes<T>) : hn::Zero(d);
    }
  }
  const T* dy = t.dy;
  const int64_t* offset = t.offsets;
  for (const int64_t* const end = offset + t.count; offset != end; ++offset, dy += wide) {
    hn::Vec<decltype(d)> y[kVectors];
#pragma GCC unroll 8
    for (int j = 0; j < kVectors; ++j) y[j] = hn::LoadU(d, dy + j * kLanes<T>);
#pragma GCC unroll 32
    for (int i = 0; i < kRows; ++i) {
      const auto x = hn::Set(d, rows[i][*offset]);
#pragma GCC unroll 8
      for (int j = 0; j < kVectors; ++j) sum[i][j] = hn::MulAdd(x, y[j], sum[i][j]);
    }
  }
#pragma GCC unroll 32
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
    for (int j = 0; j < kVectors; ++j) {
      hn::StoreU(sum[i][j], d, t.sums + i * wide + j * kLanes<T>);
    }
  }
}

template <class T>
struct PositionTiles {
  using Run = void (*)(const PositionTile<T>&);

  template <int... kCell>
  static constexpr auto cells(std::integer_sequence<int, kCell...>) {
    return std::array<Run, sizeof...(kCell)>{
        add_positions<T, kCell / kTileVectors + 1, kCell % kTileVectors + 1>...};
  }
  static constexpr auto kAll = cells(std::make_integer_sequence<int, kTileRows * kTileVectors>());
  static Run at(int64_t rows, int64_t vectors) {
    return kAll[static_cast<size_t>((rows - 1) * kTileVectors + vectors - 1)];
  }
};

// Images in T: x as the frame says.
template <class T>
struct WeightImages {
  const T* x;
  const T* dy;
  int64_t first;  // number of the first image
  int64_t count;
};

template <class T>
class WeightGrad {
 public:
  // `s` reads x through its windows; its result's steps are those of dy.
  WeightGrad(const sdk::Launch& launch, const conv::Sweep& s, const conv::Frame& frame,
             const conv::WeightPlan& plan, T* scratch)
      : l_(launch),
        s_(s),
        frame_(frame),
        plan_(plan),
        positions_(s.windows()),
        rows_(s.depth()),
        dy_(scratch),
        levels_(dy_ + plan.dy),
        offsets_(reinterpret_cast<int64_t*>(levels_ + plan.levels)),
        row_offsets_(offsets_ + s.windows()) {
    set_offsets();
    frame.set_taps(s, row_offsets_);
    for (int64_t row = s.taps(); row < rows_; ++row) {
      row_offsets_[row] = row_offsets_[row - s.taps()] + frame.steps.channel;
    }
  }

  // Sums of some images, up to the pairs that are complete.
  void add(const WeightImages<T>& images) const {
    pack_dy(images);
    l_.parallel_for(plan_.tasks(), plan_.grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) task(i, images);
    });
  }

  // Calls body(group, first channel o, channels, first row, rows, sums [row, o]) for parts of the
  // whole sum.
  template <class Body>
  void finish(const Body& body) const {
    l_.parallel_for(plan_.tasks(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const Part part = part_of(i);
        T* const sums = levels(part, 0);
        const int64_t count = part.rows * plan_.wide;
        add_rest(
            s_.images, [&](int level) { return levels(part, level); }, sums, count);
        body(part.group, part.column, part.columns, part.row, part.rows, sums);
      }
    });
  }

 private:
  // What a task computes.
  struct Part {
    int64_t number;  // of the panel, over all groups
    int64_t group;
    int64_t column, columns;  // channels o of the group
    int64_t row, rows;
  };
  Part part_of(int64_t task) const {
    Part part{};
    part.number = task / plan_.down;
    part.group = part.number / plan_.panels;
    part.column = part.number % plan_.panels * plan_.wide;
    part.columns = std::min(plan_.wide, s_.rows - part.column);
    part.row = task % plan_.down * plan_.task_rows;
    part.rows = std::min(plan_.task_rows, rows_ - part.row);
    return part;
  }
  T* levels(const Part& part, int level) const {
    return levels_ +
           ((level * s_.groups * plan_.panels + part.number) * rows_ + part.row) * plan_.wide;
  }

  void set_offsets() const {
    int64_t* to = offsets_;
    for (int64_t z = 0; z < s_.axes[0].count; ++z) {
      for (int64_t y = 0; y < s_.axes[1].count; ++y) {
        for (int64_t x = 0; x < s_.axes[2].count; ++x) {
          *to++ = z * frame_.window_step(s_, 0) + y * frame_.window_step(s_, 1) +
                  x * frame_.window_step(s_, 2);
        }
      }
    }
  }
  // dy[image, panel, p, o].
  void pack_dy(const WeightImages<T>& images) const {
    const int64_t panels = s_.groups * plan_.panels;
    const int64_t panel = positions_ * plan_.wide;
    constexpr int64_t kElements = 1 << 15;  // worth handing to another thread
    l_.parallel_for(images.count * panels, gemm::pieces(kElements, panel),
                    [&](int64_t begin, int64_t end) {
                      for (int64_t i = begin; i < end; ++i) {
                        const T* from = images.dy + i / panels * s_.to.image;
                        pack_panel(from, i % panels, dy_ + i * panel);
                      }
                    });
  }
  void pack_panel(const T* image, int64_t number, T* to) const {
    const int64_t first = number % plan_.panels * plan_.wide;
    const int64_t lines = std::min(plan_.wide, s_.rows - first);
    const int64_t channel = number / plan_.panels * s_.rows + first;
    if (lines < plan_.wide) std::fill_n(to, positions_ * plan_.wide, T(0));
    const auto& step = s_.to.place;
    const int64_t count = s_.axes[2].count;
    for (int64_t z = 0; z < s_.axes[0].count; ++z) {
      for (int64_t y = 0; y < s_.axes[1].count; ++y) {
        const T* from = image + channel * s_.to.channel + z * step[0] + y * step[1];
        pack(Lines<T>{from, s_.to.channel, step[2], lines}, count, to, plan_.wide);
        to += count * plan_.wide;
      }
    }
  }

  HWY_NOINLINE void task(int64_t number, const WeightImages<T>& images) const {
    HWY_ALIGN T sums[conv::kSumBytes / sizeof(T)];
    const Part part = part_of(number);
    const int64_t panels = s_.groups * plan_.panels;
    for (int64_t i = 0; i < images.count; ++i) {
      const T* const image =
          images.x + i * frame_.steps.image + part.group * s_.channels * frame_.steps.channel;
      const T* const dy = dy_ + (i * panels + part.number) * positions_ * plan_.wide;
      for (int64_t p = 0; p < positions_; p += plan_.depth) {
        add_block(part, image, dy + p * plan_.wide, p, sums);
      }
      add_to_pairs(
          images.first + i, [&](int level) { return levels(part, level); }, sums,
          part.rows * plan_.wide);
    }
  }
  // Positions from `p` on.
  void add_block(const Part& part, const T* image, const T* dy, int64_t p, T* sums) const {
    PositionTile<T> t{};
    t.offsets = offsets_ + p;
    t.dy = dy;
    t.count = std::min(plan_.depth, positions_ - p);
    t.goes_on = p > 0;
    const int64_t blocks = gemm::pieces(part.rows, kTileRows);
    for (int64_t block = 0; block < blocks; ++block) {
      const int64_t row = block * part.rows / blocks;
      const int64_t rows = (block + 1) * part.rows / blocks - row;
      for (int64_t i = 0; i < rows; ++i) t.rows[i] = image + row_offsets_[part.row + row + i];
      t.sums = sums + row * plan_.wide;
      PositionTiles<T>::at(rows, plan_.wide / kLanes<T>)(t);
    }
  }

  const sdk::Launch& l_;
  const conv::Sweep& s_;
  const conv::Frame& frame_;
  const conv::WeightPlan& plan_;
  const int64_t positions_;
  const int64_t rows_;
  T* const dy_;
  T* const levels_;
  int64_t* const offsets_;      // of positions
  int64_t* const row_offsets_;  // where channel and tap of a row read, for window 0
};

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
