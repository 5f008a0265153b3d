// SPDX-License-Identifier: Apache-2.0
// backends/cpu/conv/depthwise_grad-inl.h: the adjoint of a convolution of one channel at a time in
// its weights.
//
// dw[c, t] = the pairwise sum over images of the sum over positions p, ascending, of dy[c, p]
// x[c, place(p, t)]. The lanes of a vector are channels: some rows of as many channels are copied
// side by side, with zeros around them, and each tap has a sum in a register. A sum that is NaN is
// computed again without the padding.

#if defined(TENON_CPU_CONV_DEPTHWISE_GRAD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_CONV_DEPTHWISE_GRAD_INL_H
#undef TENON_CPU_CONV_DEPTHWISE_GRAD_INL_H
#else
#define TENON_CPU_CONV_DEPTHWISE_GRAD_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "conv/depthwise-inl.h"
#include "conv/pairwise-inl.h"
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
  return s.channels == 1 && s.rows == 1 && s.taps() > 0 && s.taps() <= kMaxTaps &&
         s.windows() > 0 && strip_of<T>(s, kLanes<T>, 1).rows > 0;
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
        strip_(strip_of<T>(s, kLanes<T>, 1)) {
    strip_.frame.set_taps(s, offsets_);
    for (int64_t t = 0; t < s.taps(); ++t) offsets_[t] *= kLanes<T>;
  }

  // Calls body(channel, sums [t]).
  template <class Body>
  void compute(const Body& body) const {
    l_.parallel_for(gemm::pieces(s_.groups, kLanes<T>), 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) channels(i, body);
    });
  }

 private:
  // Channels whose sums are computed together.
  struct Block {
    int64_t first, count;
    T* copy;  // of some rows of x
  };
  // The first row of the result in a strip.
  struct Place {
    int64_t image, z, y;
  };

  template <class Body>
  HWY_NOINLINE void channels(int64_t number, const Body& body) const {
    HWY_ALIGN T copy[kStripBytes / sizeof(T)];
    HWY_ALIGN T sums[kMaxTaps * kLanes<T>];
    const int64_t first = number * kLanes<T>;
    const Block block{first, std::min(kLanes<T>, s_.groups - first), copy};
    const int64_t count = s_.taps() * kLanes<T>;
    T* const levels = levels_ + number * conv::levels_of(s_.images) * count;
    const auto level = [&](int l) { return levels + l * count; };
    for (int64_t image = 0; image < s_.images; ++image) {
      std::fill_n(sums, count, T(0));
      for (int64_t z = 0; z < s_.axes[0].count; ++z) {
        for (int64_t y = 0; y < s_.axes[1].count; y += strip_.rows) {
          add_strip(block, Place{image, z, y}, sums);
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

  void add_strip(const Block& block, const Place& at, T* sums) const {
    constexpr int64_t kPositions = 256;
    HWY_ALIGN T dy[kPositions * kLanes<T>];
    copy_rows(block, at);
    const int64_t rows = std::min(strip_.rows, s_.axes[1].count - at.y);
    const conv::Axis& across = s_.axes[2];
    for (int64_t y = 0; y < rows; ++y) {
      const T* const from = dy_ + at.image * s_.to.image + block.first * s_.to.channel +
                            at.z * s_.to.place[0] + (at.y + y) * s_.to.place[1];
      const T* const x = block.copy + y * strip_.frame.window_step(s_, 1) * kLanes<T>;
      for (int64_t i = 0; i < across.count; i += kPositions) {
        const int64_t count = std::min(kPositions, across.count - i);
        pack(Lines<T>{from + i * s_.to.place[2], s_.to.channel, s_.to.place[2], block.count}, count,
             dy, kLanes<T>);
        add_run(
            {x + i * across.step * kLanes<T>, offsets_, dy, sums, count, across.step * kLanes<T>});
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
  // Rows of x that the strip's windows reach, of all channels of the block side by side.
  void copy_rows(const Block& block, const Place& at) const {
    const conv::Frame& f = strip_.frame;
    const T* const image = x_ + at.image * s_.from.image + block.first * s_.from.channel;
    const int64_t begin = std::clamp<int64_t>(-f.first[2], 0, f.size[2]);
    const int64_t end = std::clamp(s_.axes[2].size - f.first[2], begin, f.size[2]);
    for (int64_t i = 0; i < f.size[0] * f.size[1]; ++i) {
      T* const to = block.copy + i * f.size[2] * kLanes<T>;
      const int64_t z = i / f.size[1] + f.first[0] + at.z * s_.axes[0].step;
      const int64_t y = i % f.size[1] + f.first[1] + at.y * s_.axes[1].step;
      if (!s_.axes[0].inside(z) || !s_.axes[1].inside(y) || begin == end) {
        std::fill_n(to, f.size[2] * kLanes<T>, T(0));
        continue;
      }
      const T* const from = image + z * s_.from.place[0] + y * s_.from.place[1] +
                            (begin + f.first[2]) * s_.from.place[2];
      std::fill_n(to, begin * kLanes<T>, T(0));
      pack(Lines<T>{from, s_.from.channel, s_.from.place[2], block.count}, end - begin,
           to + begin * kLanes<T>, kLanes<T>);
      std::fill(to + end * kLanes<T>, to + f.size[2] * kLanes<T>, T(0));
    }
  }

  const sdk::Launch& l_;
  const conv::Sweep& s_;
  const T* const x_;
  const T* const dy_;
  T* const levels_;
  const RowStrip strip_;
  int64_t offsets_[kMaxTaps];
};

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
