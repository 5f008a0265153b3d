// SPDX-License-Identifier: Apache-2.0
// backends/cpu/conv/sweep-inl.h: a sweep of windows over images as products of matrices.
//
// out[row, column] = sum over k of weight[row, k] places[k, column]: rows are channels, columns the
// windows of all images, k = (channel, tap) ascending as the canonical arithmetic says. The tiles
// are those of matmul. A task has some rows and a few panels of columns; a block of k of a panel is
// packed from the image (panel-inl.h) just before the tiles of all its rows read it from the first
// cache. Padding is packed as 0: that adds nothing if weights are finite. Where a weight is not,
// the sum becomes NaN, and such sums are computed again without the padding.

#if defined(TENON_CPU_CONV_SWEEP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_CONV_SWEEP_INL_H
#undef TENON_CPU_CONV_SWEEP_INL_H
#else
#define TENON_CPU_CONV_SWEEP_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "conv/panel-inl.h"
#include "conv/plan.h"
#include "gemm/narrow-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Of a block of rows: what becomes of the sums of the last block of k.
template <class T>
struct FinishSum {
  const T* bias;  // of row 0 of the tile; or none
  bool last;
  bool looks_for_nan;
  bool* has_nan;

  template <class D, class V>
  HWY_INLINE V operator()(D d, V sum, int64_t row, int64_t /*column*/) const {
    if (!last) return sum;
    V v = hn::Add(sum, hn::Zero(d));
    if (bias) v = hn::Add(v, hn::Set(d, bias[row]));
    if (looks_for_nan && !hn::AllFalse(d, hn::IsNaN(v))) *has_nan = true;
    return v;
  }
};

// Tiles of panels, which are whole.
template <class T>
struct PanelTiles {
  using Run = void (*)(const Tile<T>&, const FinishSum<T>&);

  template <Along kAlong, int... kCell>
  static constexpr auto cells(std::integer_sequence<int, kCell...>) {
    return std::array<Run, sizeof...(kCell)>{
        run_tile<T, kCell / kTileVectors + 1, kCell % kTileVectors + 1, true, kAlong, Ready<T>,
                 FinishSum<T>>...};
  }
  using Cells = std::make_integer_sequence<int, kTileRows * kTileVectors>;
  static constexpr std::array<Run, kTileRows * kTileVectors> kAll[2] = {
      cells<Along::kDepth>(Cells()), cells<Along::kRows>(Cells())};

  static Run at(Along along, int64_t rows, int64_t columns) {
    const int64_t vectors = gemm::pieces(columns, kLanes<T>);
    return kAll[along == Along::kRows][(rows - 1) * kTileVectors + vectors - 1];
  }
};

// In T, in which sums are computed.
template <class T>
struct SweepOperands {
  const T* image;       // of the frame, or in place
  const int64_t* taps;  // where those of window 0 read
  const T* weights;
  const T* bias;  // or none
  T* packed;      // room for packed weights
};

template <class T, class Out>
class SweepProduct {
 public:
  SweepProduct(const sdk::Launch& launch, const conv::Sweep& sweep, const conv::Frame& frame,
               const conv::Plan& plan, const SweepOperands<T>& operands, Out* out)
      : l_(launch),
        s_(sweep),
        frame_(frame),
        plan_(plan),
        o_(operands),
        out_(out + sweep.to_first),
        depth_(sweep.depth()),
        has_padding_(sweep.has_padding()) {}

  // Once for all images.
  void pack_weights() const {
    if (!plan_.packs_weights) return;
    constexpr int64_t kPackedElements = 1 << 15;  // worth handing to another thread
    const int64_t grain = gemm::pieces(kPackedElements, std::max<int64_t>(depth_, 1) * kPanelRows);
    l_.parallel_for(s_.groups * plan_.row_blocks, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        pack_block(i / plan_.row_blocks, i % plan_.row_blocks);
      }
    });
  }
  void compute(bool shared) const {
    const int64_t tasks = s_.groups * plan_.down * plan_.across;
    const auto run = [this](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) task(i);
    };
    if (!shared) return run(0, tasks);
    l_.parallel_for(tasks, plan_.grain, run);
  }

 private:
  static constexpr int64_t kPanelRows = kShapes<T>.panel_rows;
  static constexpr int64_t kWide = kTileColumns<T>;

  // A task: blocks of rows, and columns, of a group.
  struct Part {
    int64_t group;
    int64_t block, last;  // blocks of rows
    int64_t column, columns;
    bool has_nan;
  };
  // A block of k of one panel.
  struct Step {
    const T* panel;
    T* c;  // of the part's first row
    int64_t c_step;
    int64_t columns;
    int64_t k, depth;
    const T* next;  // what the next panel's first column reads, or none
  };

  int64_t row_of(int64_t block) const { return gemm::row_of(block, s_.rows, plan_.row_blocks); }
  int64_t rows_of(int64_t block) const { return row_of(block + 1) - row_of(block); }
  const T* weights_of(int64_t group, int64_t row) const {
    return o_.weights + group * s_.group_step() + row * s_.row_step + s_.tap_first;
  }
  T* packed_of(int64_t group, int64_t block) const {
    return o_.packed + (group * plan_.row_blocks + block) * depth_ * kPanelRows;
  }

  void pack_block(int64_t group, int64_t block) const {
    const T* const from = weights_of(group, row_of(block));
    T* to = packed_of(group, block);
    if (s_.rows_are_packed()) {
      pack(Lines<T>{from, s_.row_step, 1, rows_of(block)}, depth_, to, kPanelRows);
      return;
    }
    // Weights of one channel lie beside each other. Those of the next are pages away: no processor
    // guesses where, and waiting for each would take longer than packing.
    constexpr int64_t kLater = 4;
    constexpr auto kLine = static_cast<int64_t>(64 / sizeof(T));
    const int64_t taps = s_.taps();
    for (int64_t c = 0; c < s_.channels; ++c, to += taps * kPanelRows) {
      const T* const first = from + c * s_.channel_step;
      if (s_.taps_are_packed() && c + kLater < s_.channels) {
        const T* const later = first + kLater * s_.channel_step;
        const int64_t count = (rows_of(block) - 1) * s_.row_step + taps;
        for (int64_t i = 0; i < count; i += kLine) hwy::Prefetch(later + i);
      }
      if (s_.taps_are_packed()) {
        pack(Lines<T>{first, s_.row_step, 1, rows_of(block)}, taps, to, kPanelRows);
        continue;
      }
      for (int64_t t = 0; t < taps; ++t) {
        const Lines<T> lines{first + s_.tap_offset(t), s_.row_step, 1, rows_of(block)};
        pack_scattered(lines, 0, 1, to + t * kPanelRows, kPanelRows);
      }
    }
  }
  void task(int64_t number) const {
    Part part{};
    part.column = number % plan_.across * plan_.task_panels * kWide;
    part.columns = std::min(plan_.task_panels * kWide, s_.columns() - part.column);
    part.group = number / plan_.across / plan_.down;
    part.block = number / plan_.across % plan_.down * plan_.task_blocks;
    part.last = std::min(part.block + plan_.task_blocks, plan_.row_blocks);
    compute(part);
    if (part.has_nan) sum_without_padding(part);
  }

  HWY_NOINLINE void compute(Part& part) const {
    HWY_ALIGN T packed[conv::kPanelBytes / sizeof(T)];
    HWY_ALIGN T sums[conv::kSumBytes / sizeof(T)];
    const PanelSource<T> source{o_.image + part.group * s_.channels * frame_.steps.channel, o_.taps,
                                std::max<int64_t>(s_.taps(), 1), frame_.steps.channel};
    Panel panel;
    Out* const out = out_ + (part.group * s_.rows + row_of(part.block)) * s_.to.channel;
    for (int64_t k = 0; k == 0 || k < depth_; k += plan_.depth) {
      const int64_t depth = std::min(plan_.depth, depth_ - k);
      for (int64_t column = 0; column < part.columns; column += kWide) {
        find_panel(s_, frame_, part.column + column, kWide, panel);
        pack_windows(source, panel, k, k + depth, packed);
        Step step{packed, sums + column, plan_.task_panels * kWide, panel.columns, k,
                  depth,  nullptr};
        if (column + kWide < part.columns) step.next = source.image + panel.runs[0].from + kWide;
        if constexpr (std::is_same_v<T, Out>) {
          if (is_direct(panel)) {
            step.c = out + panel.runs[0].to;
            step.c_step = s_.to.channel;
          }
        }
        tiles(part, step);
        const bool in_sums = step.c == sums + column;
        if (in_sums && k + depth >= depth_) spread(part, panel, sums + column, out);
      }
    }
  }

  // Is a panel of the result where a tile can be stored?
  bool is_direct(const Panel& panel) const {
    if (panel.columns < kWide || s_.to.place[2] != 1) return false;
    for (int64_t r = 1; r < panel.n_runs; ++r) {
      const PanelRun& run = panel.runs[static_cast<size_t>(r)];
      if (run.to != panel.runs[0].to + run.lane) return false;
    }
    return true;
  }

  void tiles(Part& part, const Step& step) const {
    Tile<T> t{};
    t.b = step.panel;
    t.c = step.c;
    t.b_step = kWide;
    t.c_step = step.c_step;
    t.depth = step.depth;
    t.last = kLanes<T>;
    t.goes_on = step.k > 0;
    FinishSum<T> finish{nullptr, step.k + step.depth >= depth_, has_padding_, &part.has_nan};
    if (step.next && s_.taps() > 0) look_ahead(t, step);
    for (int64_t block = part.block; block < part.last; ++block) {
      const int64_t rows = rows_of(block);
      const int64_t row = part.group * s_.rows + row_of(block);
      t.next = t.c + rows * t.c_step;
      if (block + 1 == part.last) t.next = t.c;
      if (o_.bias) finish.bias = o_.bias + row;
      if (plan_.packs_weights) {
        t.a = packed_of(part.group, block) + step.k * kPanelRows;
        t.a_step = kPanelRows;
        PanelTiles<T>::at(Along::kRows, rows, step.columns)(t, finish);
      } else {
        t.a = weights_of(part.group, row_of(block)) + step.k;
        t.a_step = s_.row_step;
        PanelTiles<T>::at(Along::kDepth, rows, step.columns)(t, finish);
      }
      t.c += rows * t.c_step;
      t.ahead.runs = 0;
    }
  }
  // What the next panel packs is fetched meanwhile: of each channel some rows of the image.
  void look_ahead(Tile<T>& t, const Step& step) const {
    const int64_t channel = step.k / s_.taps();
    const int64_t channels = gemm::pieces(step.depth, s_.taps());
    const int64_t rows = s_.axes[0].taps * s_.axes[1].taps;
    t.ahead = {step.next + channel * frame_.steps.channel + o_.taps[0],
               frame_.steps.channel,
               channels,
               kWide - 1,
               rows,
               rows > 1 ? o_.taps[s_.axes[2].taps] - o_.taps[0] : 0};
  }

  // Finished sums of a panel to where they belong.
  HWY_NOINLINE void spread(const Part& part, const Panel& panel, const T* sums, Out* out) const {
    const int64_t rows = row_of(part.last) - row_of(part.block);
    const int64_t step = s_.to.place[2];
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t r = 0; r < panel.n_runs; ++r) {
        const PanelRun& run = panel.runs[static_cast<size_t>(r)];
        Out* to = out + run.to + row * s_.to.channel;
        const T* from = sums + run.lane;
        if constexpr (std::is_same_v<T, Out>) {
          for (int64_t i = 0; i < run.count; ++i) to[i * step] = from[i];
        } else {
          narrow_line(from, run.count, to, step);
        }
      }
      sums += plan_.task_panels * kWide;
    }
  }

  HWY_NOINLINE void sum_without_padding(const Part& part) const {
    Panel panel;
    for (int64_t column = 0; column < part.columns; column += kWide) {
      find_panel(s_, frame_, part.column + column, kWide, panel);
      for (int64_t r = 0; r < panel.n_runs; ++r) {
        PanelRun run = panel.runs[static_cast<size_t>(r)];
        for (int64_t i = 0; i < run.count; ++i) {
          sum_again(part, run);
          run.from += frame_.window_step(s_, 2);
          run.to += s_.to.place[2];
          ++run.window[2];
        }
      }
    }
  }
  // The first column of `run`, where the result is NaN.
  void sum_again(const Part& part, const PanelRun& run) const {
    for (int64_t row = row_of(part.block); row < row_of(part.last); ++row) {
      const int64_t channel = part.group * s_.rows + row;
      Out* const to = out_ + run.to + channel * s_.to.channel;
      if (!std::isnan(static_cast<T>(sdk::load<Out>(to)))) continue;
      T sum = exact_sum(part.group, row, run) + T(0);
      if (o_.bias) sum += o_.bias[channel];
      sdk::store(to, sdk::narrow<Out>(sum));
    }
  }
  T exact_sum(int64_t group, int64_t row, const PanelRun& run) const {
    T sum = 0;
    const T* weight = weights_of(group, row);
    const T* image = o_.image + run.from + group * s_.channels * frame_.steps.channel;
    for (int64_t c = 0; c < s_.channels; ++c) {
      for (int64_t t = 0; t < s_.taps(); ++t) {
        if (!s_.inside(run.window, t)) continue;
        sum = std::fma(weight[s_.tap_offset(t)], image[o_.taps[t]], sum);
      }
      weight += s_.channel_step;
      image += frame_.steps.channel;
    }
    return sum;
  }

  const sdk::Launch& l_;
  const conv::Sweep& s_;
  const conv::Frame& frame_;
  const conv::Plan& plan_;
  const SweepOperands<T> o_;
  Out* const out_;
  const int64_t depth_;
  const bool has_padding_;
};

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
