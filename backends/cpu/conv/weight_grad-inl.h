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
  int64_t first;  // number of the first image within the part
  int64_t count;
};

// Of all parts.
template <class T>
struct WeightScratch {
  T* dy;
  T* levels;
  int64_t* offsets;
};

template <class T>
class WeightGrad {
 public:
  // `s` reads x through its windows; its result's steps are those of dy.
  WeightGrad(const sdk::Launch& launch, const conv::Sweep& s, const conv::Frame& frame,
             const conv::WeightPlan& plan, const WeightScratch<T>& scratch)
      : l_(launch),
        s_(s),
        frame_(frame),
        plan_(plan),
        positions_(s.windows()),
        rows_(s.depth()),
        scratch_(scratch),
        row_offsets_(scratch.offsets + s.windows()) {
    set_offsets();
    frame.set_taps(s, row_offsets_);
    for (int64_t row = s.taps(); row < rows_; ++row) {
      row_offsets_[row] = row_offsets_[row - s.taps()] + frame.steps.channel;
    }
  }

  // Sums of some images of a part, up to the pairs that are complete. `shared`: by all threads.
  void add(int64_t part, const WeightImages<T>& images, bool shared) const {
    T* const packed = scratch_.dy + part * plan_.dy;
    const auto pack_some = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) pack_dy(images, i, packed);
    };
    const auto add_some = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) add(part, piece_of(i), images, packed);
    };
    const int64_t panels = images.count * s_.groups * plan_.panels;
    if (!shared) {
      pack_some(0, panels);
      add_some(0, plan_.tasks());
      return;
    }
    constexpr int64_t kElements = 1 << 15;  // worth handing to another thread
    l_.parallel_for(panels, gemm::pieces(kElements, positions_ * plan_.wide), pack_some);
    l_.parallel_for(plan_.tasks(), plan_.grain, add_some);
  }

  // Calls body(group, first channel o, channels, first row, rows, sums [row, o]) for pieces of the
  // whole sum.
  template <class Body>
  void finish(const Body& body) const {
    l_.parallel_for(plan_.tasks(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const Piece piece = piece_of(i);
        body(piece.group, piece.column, piece.columns, piece.row, piece.rows, sum_all(piece));
      }
    });
  }

 private:
  // What a task computes.
  struct Piece {
    int64_t number;  // of the panel, over all groups
    int64_t group;
    int64_t column, columns;  // channels o of the group
    int64_t row, rows;
  };
  Piece piece_of(int64_t task) const {
    Piece piece{};
    piece.number = task / plan_.down;
    piece.group = piece.number / plan_.panels;
    piece.column = piece.number % plan_.panels * plan_.wide;
    piece.columns = std::min(plan_.wide, s_.rows - piece.column);
    piece.row = task % plan_.down * plan_.task_rows;
    piece.rows = std::min(plan_.task_rows, rows_ - piece.row);
    return piece;
  }
  T* levels(int64_t part, const Piece& piece, int level) const {
    return scratch_.levels + part * plan_.levels +
           ((level * s_.groups * plan_.panels + piece.number) * rows_ + piece.row) * plan_.wide;
  }
  // Of all images, in level 0 of part 0. The sums of parts are pairwise sums, too.
  T* sum_all(const Piece& piece) const {
    const int64_t count = piece.rows * plan_.wide;
    for (int64_t part = 0; part < plan_.parts; ++part) {
      const int64_t images = std::min(plan_.part_images, s_.images - part * plan_.part_images);
      add_rest(
          images, [&](int level) { return levels(part, piece, level); }, levels(part, piece, 0),
          count);
    }
    for (int64_t step = 1; step < plan_.parts; step *= 2) {
      for (int64_t part = 0; part + step < plan_.parts; part += 2 * step) {
        add_array<T>(levels(part + step, piece, 0), levels(part, piece, 0), count);
      }
    }
    return levels(0, piece, 0);
  }

  void set_offsets() const {
    int64_t* to = scratch_.offsets;
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
  void pack_dy(const WeightImages<T>& images, int64_t number, T* to) const {
    const int64_t panels = s_.groups * plan_.panels;
    pack_panel(images.dy + number / panels * s_.to.image, number % panels,
               to + number * positions_ * plan_.wide);
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

  HWY_NOINLINE void add(int64_t part, const Piece& piece, const WeightImages<T>& images,
                        const T* packed) const {
    HWY_ALIGN T sums[conv::kSumBytes / sizeof(T)];
    const int64_t panels = s_.groups * plan_.panels;
    for (int64_t i = 0; i < images.count; ++i) {
      const T* const image =
          images.x + i * frame_.steps.image + piece.group * s_.channels * frame_.steps.channel;
      const T* const dy = packed + (i * panels + piece.number) * positions_ * plan_.wide;
      for (int64_t p = 0; p < positions_; p += plan_.depth) {
        add_block(piece, image, dy + p * plan_.wide, p, sums);
      }
      add_to_pairs(
          images.first + i, [&](int level) { return levels(part, piece, level); }, sums,
          piece.rows * plan_.wide);
    }
  }
  // Positions from `p` on.
  void add_block(const Piece& piece, const T* image, const T* dy, int64_t p, T* sums) const {
    PositionTile<T> t{};
    t.offsets = scratch_.offsets + p;
    t.dy = dy;
    t.count = std::min(plan_.depth, positions_ - p);
    t.goes_on = p > 0;
    const int64_t blocks = gemm::pieces(piece.rows, kTileRows);
    for (int64_t block = 0; block < blocks; ++block) {
      const int64_t row = block * piece.rows / blocks;
      const int64_t rows = (block + 1) * piece.rows / blocks - row;
      for (int64_t i = 0; i < rows; ++i) t.rows[i] = image + row_offsets_[piece.row + row + i];
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
  const WeightScratch<T> scratch_;
  int64_t* const row_offsets_;  // where channel and tap of a row read, for window 0
};

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
