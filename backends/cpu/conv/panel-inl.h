// SPDX-License-Identifier: Apache-2.0
// backends/cpu/conv/panel-inl.h: columns of an image's windows, packed for the products' tiles.
//
// A panel has kTileColumns windows beside each other: to[k, column] is what tap t of channel c
// reads, k = c taps + t. In a frame (frame.h) windows of one row of the result read elements that
// follow each other, for every tap at the same distance: a vector is one load, or a few of which
// each has some lanes.

#if defined(TENON_CPU_CONV_PANEL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_CONV_PANEL_INL_H
#undef TENON_CPU_CONV_PANEL_INL_H
#else
#define TENON_CPU_CONV_PANEL_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "conv/frame-inl.h"
#include "gemm/pack-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Windows of a panel that follow each other in one row of the result.
struct PanelRun {
  int64_t lane;  // of the first one
  int64_t count;
  int64_t from;  // offset of what its tap 0 reads, less that of tap 0 itself, in channel 0
  int64_t to;    // offset in the result, for channel 0
  std::array<int64_t, conv::kRank> window;  // the first one
};

struct Panel {
  std::array<PanelRun, 64> runs;  // no tile has more columns
  int64_t n_runs = 0;
  int64_t columns = 0;
};

inline void find_panel(const conv::Sweep& s, const conv::Frame& frame, int64_t column,
                       int64_t columns, Panel& panel) {
  panel.columns = std::min(columns, s.columns() - column);
  panel.n_runs = 0;
  int64_t image = column / s.windows();
  const int64_t window = column % s.windows();
  int64_t x = window % s.axes[2].count;
  int64_t y = window / s.axes[2].count % s.axes[1].count;
  int64_t z = window / s.axes[2].count / s.axes[1].count;
  for (int64_t lane = 0; lane < panel.columns;) {
    PanelRun& run = panel.runs[static_cast<size_t>(panel.n_runs++)];
    run.lane = lane;
    run.count = std::min(s.axes[2].count - x, panel.columns - lane);
    run.from = image * frame.steps.image + z * frame.window_step(s, 0) +
               y * frame.window_step(s, 1) + x * frame.window_step(s, 2);
    run.to = image * s.to.image + z * s.to.place[0] + y * s.to.place[1] + x * s.to.place[2];
    run.window = {z, y, x};
    lane += run.count;
    x = 0;
    if (++y < s.axes[1].count) continue;
    y = 0;
    if (++z < s.axes[0].count) continue;
    z = 0;
    ++image;
  }
}

// What every panel of a group reads: `taps[t]` is where tap t of window 0 does.
template <class T>
struct PanelSource {
  const T* image;  // of the group's first channel
  const int64_t* taps;
  int64_t n_taps;
  int64_t channel_step;
};

// Lane 0 of a vector reads `from`, or would: only some lanes are those of this part.
template <class T>
struct VectorPart {
  const T* from;
  hn::Mask<hn::ScalableTag<T>> lanes;
};

// Rows [k, end) of kVectors whole vectors of the panel, each of at most kParts parts; those of
// vector i begin at parts[i]. Each part's vector is loaded whole: the elements beside those of its
// lanes are those that other parts read, or lie between them.
template <class T, int kVectors, int kParts>
HWY_NOINLINE void pack_vectors(const PanelSource<T>& source,
                               const VectorPart<T> (*parts)[kLanes<T>], const int64_t* n_parts,
                               int64_t k, int64_t end, T* to) {
  const hn::ScalableTag<T> d;
  const T* first[kVectors];
  const T* second[kVectors];
  hn::Mask<hn::ScalableTag<T>> lanes[kVectors];
#pragma GCC unroll 4
  for (int i = 0; i < kVectors; ++i) {
    const int64_t other = n_parts[i] > 1 ? 1 : 0;
    first[i] = parts[i][0].from;
    second[i] = parts[i][other].from;
    lanes[i] = parts[i][other].lanes;
  }
  int64_t tap = k % source.n_taps;
  int64_t channel = k / source.n_taps * source.channel_step;
  while (k < end) {
    const int64_t last = std::min(source.n_taps, tap + end - k);
    k += last - tap;
    for (; tap < last; ++tap, to += kTileColumns<T>) {
      const int64_t at = channel + source.taps[tap];
#pragma GCC unroll 4
      for (int i = 0; i < kVectors; ++i) {
        auto v = hn::LoadU(d, first[i] + at);
        if constexpr (kParts > 1) v = hn::IfThenElse(lanes[i], hn::LoadU(d, second[i] + at), v);
        if constexpr (kParts > 2) {
          for (int64_t p = 2; p < n_parts[i]; ++p) {
            v = hn::IfThenElse(parts[i][p].lanes, hn::LoadU(d, parts[i][p].from + at), v);
          }
        }
        hn::StoreU(v, d, to + i * kLanes<T>);
      }
    }
    tap = 0;
    channel += source.channel_step;
  }
}

// The same for a vector that has windows in its first lanes alone, or none.
template <class T>
HWY_INLINE void pack_lanes(const PanelSource<T>& source, const T* const* lanes, int64_t n_lanes,
                           int64_t k, int64_t end, T* to) {
  for (; k < end; ++k, to += kTileColumns<T>) {
    const int64_t at = k / source.n_taps * source.channel_step + source.taps[k % source.n_taps];
    for (int64_t i = 0; i < kLanes<T>; ++i) to[i] = i < n_lanes ? lanes[i][at] : T(0);
  }
}

template <class T>
struct PackVectors {
  using Run = void (*)(const PanelSource<T>&, const VectorPart<T> (*)[kLanes<T>], const int64_t*,
                       int64_t, int64_t, T*);

  template <int... kCell>
  static constexpr auto cells(std::integer_sequence<int, kCell...>) {
    return std::array<Run, sizeof...(kCell)>{pack_vectors<T, kCell / 3 + 1, kCell % 3 + 1>...};
  }
  static constexpr auto kAll = cells(std::make_integer_sequence<int, kTileVectors * 3>());
  static Run at(int64_t vectors, int64_t parts) {
    return kAll[static_cast<size_t>((vectors - 1) * 3 + std::min<int64_t>(parts, 3) - 1)];
  }
};

// Rows [k, end) of the panel.
template <class T>
void pack_windows(const PanelSource<T>& source, const Panel& panel, int64_t k, int64_t end, T* to) {
  const hn::ScalableTag<T> d;
  const PanelRun* run = panel.runs.data();
  VectorPart<T> parts[kTileVectors][kLanes<T>];
  int64_t n_parts[kTileVectors];
  int64_t most_parts = 1;
  int64_t whole = 0;  // vectors
  for (int64_t lane = 0; lane < panel.columns; lane += kLanes<T>) {
    const T* lanes[kLanes<T>];
    int64_t n = 0;
    int64_t i = 0;
    while (i < kLanes<T> && lane + i < panel.columns) {
      while (run->lane + run->count <= lane + i) ++run;
      const T* from = source.image + run->from + (lane - run->lane);
      // Later parts are laid over the lanes of this one.
      parts[whole][n++] = {from, hn::Not(hn::FirstN(d, static_cast<size_t>(i)))};
      const int64_t stop = std::min(kLanes<T>, run->lane + run->count - lane);
      for (; i < stop; ++i) lanes[i] = from + i;
    }
    if (i < kLanes<T>) {
      pack_lanes(source, lanes, i, k, end, to + lane);
    } else {
      most_parts = std::max(most_parts, n);
      n_parts[whole++] = n;
    }
  }
  if (whole == 0) return;
  PackVectors<T>::at(whole, most_parts)(source, parts, n_parts, k, end, to);
}

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
