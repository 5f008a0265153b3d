// SPDX-License-Identifier: Apache-2.0
// backends/cpu/conv/depthwise_grad-inl.h: the adjoint of a convolution of one channel at a time in
// its weights.
//
// dw[c, t] = the pairwise sum over images of the sum over positions p, ascending, of dy[c, p]
// x[c, place(p, t)]. The lanes of a vector are channels, and each tap has a sum in a register. A
// sum that is NaN is computed again without the padding.

#if defined(TENON_CPU_CONV_DEPTHWISE_GRAD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_CONV_DEPTHWISE_GRAD_INL_H
#undef TENON_CPU_CONV_DEPTHWISE_GRAD_INL_H
#else
#define TENON_CPU_CONV_DEPTHWISE_GRAD_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "conv/pairwise-inl.h"
#include "conv/side_by_side-inl.h"
#include "conv/weight_plan.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr int kTapSums = HWY_MAX_BYTES == 16 ? 12 : 9;  // in registers at a time

// Sums of kTaps taps go on by `count` positions: those of x are `step` elements apart.
template <class T>
struct TapRun {
  const T* x;
  const int64_t* offsets;  // of taps
  const T* dy;
  T* sums;
  int64_t count, step;
};

template <class T, int kTaps>
HWY_NOINLINE void add_taps(const TapRun<T>& r) {
  const hn::ScalableTag<T> d;
  hn::Vec<decltype(d)> sum[kTaps];
  const T* x[kTaps];
#pragma GCC unroll 16
  for (int t = 0; t < kTaps; ++t) {
    sum[t] = hn::LoadU(d, r.sums + t * kLanes<T>);
    x[t] = r.x + r.offsets[t];
  }
  for (int64_t i = 0; i < r.count; ++i) {
    const auto dy = hn::LoadU(d, r.dy + i * kLanes<T>);
#pragma GCC unroll 16
    for (int t = 0; t < kTaps; ++t) {
      sum[t] = hn::MulAdd(hn::LoadU(d, x[t] + i * r.step), dy, sum[t]);
    }
  }
#pragma GCC unroll 16
  for (int t = 0; t < kTaps; ++t) hn::StoreU(sum[t], d, r.sums + t * kLanes<T>);
}

template <class T>
struct TapRuns {
  using Run = void (*)(const TapRun<T>&);

  template <int... kTap>
  static constexpr auto cells(std::integer_sequence<int, kTap...>) {
    return std::array<Run, sizeof...(kTap)>{add_taps<T, kTap + 1>...};
  }
  static constexpr auto kAll = cells(std::make_integer_sequence<int, kTapSums>());
};

// Is it computed here? Rows of a vector's channels have to fit.
template <class T>
bool is_depthwise_grad(const conv::Sweep& s) {
  return s.channels == 1 && s.rows == 1 && s.taps() > 0 && s.windows() > 0 &&
         SideBySide<T>::fits(s);
}

template <class T>
int64_t depthwise_grad_elements(const conv::Sweep& s) {
  return gemm::round_up(s.groups, kLanes<T>) * conv::levels_of(s.images) * s.taps();
}

template <class T>
class DepthwiseGrad {
 public:
  // `s` reads x through its windows; its result's steps are those of dy.
  DepthwiseGrad(const sdk::Launch& launch, const conv::Sweep& s, const T* x, const T* dy)
      : l_(launch),
        s_(s),
        x_(x),
        dy_(dy),
        levels_(reinterpret_cast<T*>(launch.scratch().data())),
        lines_(s) {}

  // Calls body(channel, sums [t]).
  template <class Body>
  void compute(const Body& body) const {
    l_.parallel_for(gemm::pieces(s_.groups, kLanes<T>), 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) channels(i, body);
    });
  }

 private:
  // The first row of the result in a strip.
  struct Place {
    int64_t image, z, y;
  };

  template <class Body>
  HWY_NOINLINE void channels(int64_t number, const Body& body) const {
    HWY_ALIGN T copy[kStripBytes / sizeof(T)];
    HWY_ALIGN T sums[kMaxTaps * kLanes<T>];
    const int64_t first = number * kLanes<T>;
    const ChannelBlock block{first, std::min(kLanes<T>, s_.groups - first)};
    const int64_t count = s_.taps() * kLanes<T>;
    T* const levels = levels_ + number * conv::levels_of(s_.images) * count;
    const auto level = [&](int l) { return levels + l * count; };
    for (int64_t image = 0; image < s_.images; ++image) {
      std::fill_n(sums, count, T(0));
      for (int64_t z = 0; z < s_.axes[0].count; ++z) {
        for (int64_t y = 0; y < s_.axes[1].count; y += lines_.rows()) {
          add_strip(block, Place{image, z, y}, copy, sums);
        }
      }
      add_to_pairs(image, level, sums, count);
    }
    add_rest(s_.images, level, level(0), count);
    for (int64_t c = 0; c < block.count; ++c) {
      for (int64_t t = 0; t < s_.taps(); ++t) sums[t] = levels[t * kLanes<T> + c];
      body(first + c, sums);
    }
  }

  void add_strip(const ChannelBlock& block, const Place& at, T* copy, T* sums) const {
    constexpr int64_t kPositions = SideBySide<T>::kTurned;
    HWY_ALIGN T dy[kPositions * kLanes<T>];
    lines_.copy(x_ + at.image * s_.from.image, block, at.z, at.y, copy);
    const int64_t rows = std::min(lines_.rows(), s_.axes[1].count - at.y);
    const conv::Axis& across = s_.axes[2];
    const int64_t together = std::min(SideBySide<T>::rows_at_once(s_.to, across.count), rows);
    for (int64_t y = 0; y < rows; y += together) {
      const T* const from = dy_ + at.image * s_.to.image + block.first * s_.to.channel +
                            at.z * s_.to.place[0] + (at.y + y) * s_.to.place[1];
      const int64_t turned = std::min(together, rows - y);
      for (int64_t i = 0; i < across.count; i += kPositions) {
        const int64_t count = std::min(kPositions, across.count - i);
        pack(Lines<T>{from + i * s_.to.place[2], s_.to.channel, s_.to.place[2], block.count},
             turned * count, dy, kLanes<T>);
        for (int64_t row = 0; row < turned; ++row) {
          const T* const x = copy + (y + row) * lines_.row_step() + i * lines_.step();
          add_run({x, lines_.offsets(), dy + row * count * kLanes<T>, sums, count, lines_.step()});
        }
      }
    }
  }
  void add_run(TapRun<T> run) const {
    const int64_t taps = s_.taps();
    const int64_t pieces = gemm::pieces(taps, kTapSums);
    for (int64_t i = 0; i < pieces; ++i) {
      const int64_t count = (i + 1) * taps / pieces - i * taps / pieces;
      TapRuns<T>::kAll[static_cast<size_t>(count - 1)](run);
      run.offsets += count;
      run.sums += count * kLanes<T>;
    }
  }

  const sdk::Launch& l_;
  const conv::Sweep& s_;
  const T* const x_;
  const T* const dy_;
  T* const levels_;
  const SideBySide<T> lines_;
};

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
