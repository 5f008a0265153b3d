// SPDX-License-Identifier: Apache-2.0
// backends/cpu/conv/panel-inl.h: columns of an image's windows, packed for the products' tiles.
//
// A panel has kTileColumns windows beside each other: to[k, column] is the place that tap t of
// channel c reads, k = c taps + t, or 0 where that lies in the padding. Windows of one row of the
// result read places of one row of the image, so a vector is one load, or a few that are masked;
// for a tap these are the same in every channel.

#if defined(TENON_CPU_CONV_PANEL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_CONV_PANEL_INL_H
#undef TENON_CPU_CONV_PANEL_INL_H
#else
#define TENON_CPU_CONV_PANEL_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "conv/geometry.h"
#include "gemm/pack-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Windows of a panel that follow each other in one row of the result.
struct PanelRun {
  int64_t lane;  // of the first one
  int64_t count;
  int64_t from;                            // offset of its image and channel 0
  int64_t to;                              // offset in the result, for channel 0
  std::array<int64_t, conv::kRank> place;  // of tap 0 of the first one
};

struct Panel {
  std::array<PanelRun, 64> runs;  // as many as columns of f32 that any tile has, or more
  int64_t n_runs = 0;
  int64_t columns = 0;
};

inline Panel panel_at(const conv::Sweep& s, int64_t column, int64_t columns) {
  Panel panel;
  panel.columns = std::min(columns, s.columns() - column);
  const int64_t long_side = s.axes[2].count;
  for (int64_t lane = 0; lane < panel.columns;) {
    const int64_t image = (column + lane) / s.windows();
    const int64_t window = (column + lane) % s.windows();
    const int64_t x = window % long_side;
    const int64_t y = window / long_side % s.axes[1].count;
    const int64_t z = window / long_side / s.axes[1].count;
    PanelRun& run = panel.runs[static_cast<size_t>(panel.n_runs++)];
    run.lane = lane;
    run.count = std::min(long_side - x, panel.columns - lane);
    run.from = image * s.from.image;
    run.to = image * s.to.image + z * s.to.place[0] + y * s.to.place[1] + x * s.to.place[2];
    run.place = {s.axes[0].place(z, 0), s.axes[1].place(y, 0), s.axes[2].place(x, 0)};
    lane += run.count;
  }
  return panel;
}

// Lanes [begin, end) of a panel read `at + lane * step`, for channel 0.
template <class T>
struct Piece {
  const T* at;
  int64_t begin;
  int64_t end;
};

// What one tap reads.
template <class T>
struct TapPieces {
  std::array<Piece<T>, 64> list;
  int64_t count = 0;
  int64_t step = 1;
  int64_t channel_step = 0;
};

template <class T>
HWY_INLINE void find_pieces(const conv::Sweep& s, const T* image, const Panel& panel,
                            const std::array<int64_t, conv::kRank>& tap, TapPieces<T>& out) {
  out.count = 0;
  const auto& step = s.from.place;
  for (int64_t r = 0; r < panel.n_runs; ++r) {
    const PanelRun& run = panel.runs[static_cast<size_t>(r)];
    const int64_t z = run.place[0] + tap[0] * s.axes[0].tap_step;
    const int64_t y = run.place[1] + tap[1] * s.axes[1].tap_step;
    if (!s.axes[0].inside(z) || !s.axes[1].inside(y)) continue;
    const int64_t x = run.place[2] + tap[2] * s.axes[2].tap_step;
    const conv::Range in = s.axes[2].inside(x, run.count);
    if (in.begin == in.end) continue;
    // Lane 0 may lie outside of the image: only an address.
    const int64_t first = run.from + z * step[0] + y * step[1] + x * step[2];
    out.list[static_cast<size_t>(out.count++)] = {image + (first - run.lane * out.step),
                                                  run.lane + in.begin, run.lane + in.end};
  }
}

#if HWY_ARCH_X86

template <class D>
HWY_INLINE hn::Mask<D> lanes_between(D d, int64_t begin, int64_t end) {
  const auto lanes = static_cast<int64_t>(hn::MaxLanes(D()));
  const auto first = [&](int64_t n) {
    return hn::FirstN(d, static_cast<size_t>(std::clamp<int64_t>(n, 0, lanes)));
  };
  return hn::AndNot(first(begin), first(end));
}

// Lanes [begin, end) of a vector from one piece, others 0; every lane or every second one in
// memory.
template <class T, int kStep>
struct LanesOf {
  using D = hn::ScalableTag<T>;

  LanesOf() = default;
  HWY_INLINE LanesOf(const Piece<T>& piece, int64_t lane) : at(piece.at + lane * kStep) {
    const D d;
    const int64_t begin = piece.begin - lane;
    const int64_t end = piece.end - lane;
    low = lanes_between(d, kStep * begin, kStep * (end - 1) + 1);
    high = lanes_between(d, kStep * begin - kLanes<T>, kStep * (end - 1) + 1 - kLanes<T>);
  }
  HWY_INLINE hn::Vec<D> load(int64_t offset) const {
    const D d;
    const auto first = hn::MaskedLoad(low, d, at + offset);
    if constexpr (kStep == 1) return first;
    return hn::ConcatEven(d, hn::MaskedLoad(high, d, at + offset + kLanes<T>), first);
  }
  const T* at;
  hn::Mask<D> low;
  hn::Mask<D> high;
};

// One vector of the panel in each of `channels` rows.
template <class T, int kStep>
HWY_INLINE void fill_lanes(const TapPieces<T>& pieces, int64_t lane, int64_t channels, T* to,
                           int64_t to_step) {
  const hn::ScalableTag<T> d;
  LanesOf<T, kStep> parts[kLanes<T>];
  int64_t n = 0;
  bool whole = false;
  for (int64_t i = 0; i < pieces.count; ++i) {
    const Piece<T>& piece = pieces.list[static_cast<size_t>(i)];
    if (piece.end <= lane || piece.begin >= lane + kLanes<T>) continue;
    whole = piece.begin <= lane && piece.end >= lane + kLanes<T>;
    parts[n++] = LanesOf<T, kStep>(piece, lane);
  }
  const int64_t step = pieces.channel_step;
  T* row = to + lane;
  if (n == 0) {
    for (int64_t c = 0; c < channels; ++c, row += to_step) hn::StoreU(hn::Zero(d), d, row);
  } else if (n == 1 && whole && kStep == 1) {
    const T* from = parts[0].at;
    for (int64_t c = 0; c < channels; ++c, row += to_step, from += step) {
      hn::StoreU(hn::LoadU(d, from), d, row);
    }
  } else if (n == 1) {
    const auto part = parts[0];
    for (int64_t c = 0; c < channels; ++c, row += to_step) {
      hn::StoreU(part.load(c * step), d, row);
    }
  } else {
    const auto first = parts[0];
    const auto second = parts[1];
    for (int64_t c = 0; c < channels; ++c, row += to_step) {
      auto v = hn::Or(first.load(c * step), second.load(c * step));
      for (int64_t i = 2; i < n; ++i) v = hn::Or(v, parts[i].load(c * step));
      hn::StoreU(v, d, row);
    }
  }
}

#endif

template <class T>
HWY_INLINE void fill_scattered(const TapPieces<T>& pieces, int64_t channels, T* to,
                               int64_t to_step) {
  for (int64_t c = 0; c < channels; ++c) std::fill_n(to + c * to_step, kTileColumns<T>, T(0));
  for (int64_t i = 0; i < pieces.count; ++i) {
    const Piece<T>& piece = pieces.list[static_cast<size_t>(i)];
    for (int64_t c = 0; c < channels; ++c) {
      const T* from = piece.at + c * pieces.channel_step;
      T* row = to + c * to_step;
      if (pieces.step == 1) {
        std::copy(from + piece.begin, from + piece.end, row + piece.begin);
      } else {
        for (int64_t l = piece.begin; l < piece.end; ++l) row[l] = from[l * pieces.step];
      }
    }
  }
}

template <class T>
HWY_INLINE void fill(const TapPieces<T>& pieces, int64_t channels, T* to, int64_t to_step) {
#if HWY_ARCH_X86
  if (pieces.step == 1 || pieces.step == 2) {
    for (int64_t lane = 0; lane < kTileColumns<T>; lane += kLanes<T>) {
      if (pieces.step == 1) {
        fill_lanes<T, 1>(pieces, lane, channels, to, to_step);
      } else {
        fill_lanes<T, 2>(pieces, lane, channels, to, to_step);
      }
    }
    return;
  }
#endif
  fill_scattered(pieces, channels, to, to_step);
}

// Rows [k, end) of the panel; `image` is that of the group's first channel.
template <class T>
HWY_NOINLINE void pack_windows(const conv::Sweep& s, const T* image, const Panel& panel, int64_t k,
                               int64_t end, T* to) {
  const int64_t taps = s.taps();
  TapPieces<T> pieces;
  pieces.step = s.axes[2].step * s.from.place[2];
  pieces.channel_step = s.from.channel;
  std::array<int64_t, conv::kRank> tap{};
  for (int64_t t = 0; t < taps; ++t) {
    const int64_t first = conv::over(k - t, taps);
    const int64_t last = conv::over(end - t, taps);
    if (first < last) {
      find_pieces(s, image + first * s.from.channel, panel, tap, pieces);
      fill(pieces, last - first, to + (first * taps + t - k) * kTileColumns<T>,
           taps * kTileColumns<T>);
    }
    for (size_t d = conv::kRank; d-- > 0;) {
      if (++tap[d] < s.axes[d].taps) break;
      tap[d] = 0;
    }
  }
}

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
