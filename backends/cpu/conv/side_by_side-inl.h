// SPDX-License-Identifier: Apache-2.0
// backends/cpu/conv/side_by_side-inl.h: convolution of one channel at a time where the lanes of a
// vector are channels: their rows are copied side by side, with zeros around them.

#if defined(TENON_CPU_CONV_SIDE_BY_SIDE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_CONV_SIDE_BY_SIDE_INL_H
#undef TENON_CPU_CONV_SIDE_BY_SIDE_INL_H
#else
#define TENON_CPU_CONV_SIDE_BY_SIDE_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "conv/depthwise-inl.h"
#include "gemm/pack-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Channels whose sums are computed together.
struct ChannelBlock {
  int64_t first, count;
};

// Some rows of a block's channels, as many as fit into kStripBytes: element [place, lane].
template <class T>
class SideBySide {
 public:
  explicit SideBySide(const conv::Sweep& s) : s_(s), strip_(strip_of<T>(s, kLanes<T>, 1)) {
    strip_.frame.set_taps(s, offsets_);
    for (int64_t t = 0; t < s.taps(); ++t) offsets_[t] *= kLanes<T>;
  }
  static bool fits(const conv::Sweep& s) {
    return s.taps() <= kMaxTaps && strip_of<T>(s, kLanes<T>, 1).rows > 0;
  }

  int64_t rows() const { return strip_.rows; }  // of the result
  // Where taps of a strip's first window read, and what lies between windows.
  const int64_t* offsets() const { return offsets_; }
  int64_t row_step() const { return strip_.frame.window_step(s_, 1) * kLanes<T>; }
  int64_t step() const { return s_.axes[2].step * kLanes<T>; }

  // For rows of the result from z, y on.
  void copy(const T* image, const ChannelBlock& block, int64_t z, int64_t y, T* to) const {
    const conv::Frame& f = strip_.frame;
    const T* const channel = image + block.first * s_.from.channel;
    const int64_t begin = std::clamp<int64_t>(-f.first[2], 0, f.size[2]);
    const int64_t end = std::clamp(s_.axes[2].size - f.first[2], begin, f.size[2]);
    const int64_t row = f.size[2] * kLanes<T>;
    for (int64_t i = 0; i < f.size[0] * f.size[1];) {
      const int64_t from_z = i / f.size[1] + f.first[0] + z * s_.axes[0].step;
      const int64_t from_y = i % f.size[1] + f.first[1] + y * s_.axes[1].step;
      int64_t rows = 1;
      if (!s_.axes[0].inside(from_z) || !s_.axes[1].inside(from_y) || begin == end) {
        std::fill_n(to, row, T(0));
      } else {
        const int64_t most = std::min(f.size[1] - i % f.size[1], s_.axes[1].size - from_y);
        rows = std::min(rows_at_once(s_.from, end - begin), most);
        const T* const from = channel + from_z * s_.from.place[0] + from_y * s_.from.place[1] +
                              (begin + f.first[2]) * s_.from.place[2];
        copy_rows(from, block, rows, begin, end, to);
      }
      i += rows;
      to += rows * row;
    }
  }

  // How many rows of so many elements are turned together: those that follow each other in memory,
  // since a row alone ends in elements that fill no block.
  static int64_t rows_at_once(const conv::Steps& steps, int64_t width) {
    const bool follow = steps.place[2] == 1 && steps.place[1] == width;
    return follow ? std::max<int64_t>(kTurned / width, 1) : 1;
  }
  static constexpr int64_t kTurned = 256;  // elements of a channel

 private:
  // Elements [begin, end) of a row of the copy are the image's.
  void copy_rows(const T* from, const ChannelBlock& block, int64_t rows, int64_t begin, int64_t end,
                 T* to) const {
    HWY_ALIGN T turned[kTurned * kLanes<T>];
    const int64_t width = end - begin;
    const int64_t row = strip_.frame.size[2] * kLanes<T>;
    const Lines<T> lines{from, s_.from.channel, s_.from.place[2], block.count};
    if (rows > 1) pack(lines, rows * width, turned, kLanes<T>);
    for (int64_t y = 0; y < rows; ++y, to += row) {
      T* const inside = to + begin * kLanes<T>;
      std::fill(to, inside, T(0));
      if (rows > 1) {
        std::copy_n(turned + y * width * kLanes<T>, width * kLanes<T>, inside);
      } else {
        pack(lines, width, inside, kLanes<T>);
      }
      std::fill(to + end * kLanes<T>, to + row, T(0));
    }
  }

  const conv::Sweep& s_;
  RowStrip strip_;
  int64_t offsets_[kMaxTaps];
};

// Is a sweep computed here? Rows that are shorter than a vector leave its lanes empty otherwise.
template <class T>
bool is_narrow(const conv::Sweep& s) {
  return s.channels == 1 && s.rows == 1 && s.axes[2].count < kLanes<T> &&
         s.groups >= kLanes<T> / 2 && SideBySide<T>::fits(s);
}

template <class T>
class NarrowDepthwise {
 public:
  NarrowDepthwise(const sdk::Launch& launch, const conv::Sweep& s, const T* image, const T* weights,
                  const T* bias, T* out)
      : l_(launch),
        s_(s),
        image_(image),
        weights_(weights + s.tap_first),
        bias_(bias),
        out_(out + s.to_first),
        lines_(s) {
    const int64_t width = s.axes[2].count;
    for (int64_t i = 0; i < kWindows; ++i) {
      places_[i] = i / width * lines_.row_step() + i % width * lines_.step();
    }
  }

  void compute() const {
    constexpr int64_t kTaskSums = 1 << 15;  // worth handing to another thread
    const int64_t plane = s_.windows() * std::max<int64_t>(s_.taps(), 1) * kLanes<T>;
    l_.parallel_for(s_.images * gemm::pieces(s_.groups, kLanes<T>),
                    gemm::pieces(kTaskSums, std::max<int64_t>(plane, 1)),
                    [&](int64_t begin, int64_t end) { planes(begin, end); });
  }

 private:
  static constexpr int64_t kWindows = 256;  // of which sums are kept
  struct Place {
    int64_t image, z, y;
  };
  // Of a block.
  struct Weights {
    T taps[kMaxTaps * kLanes<T>];  // [tap, lane]
    T bias[kLanes<T>];
  };
  using Vector = hn::Vec<hn::ScalableTag<T>>;

  // Images of a block follow each other.
  HWY_NOINLINE void planes(int64_t begin, int64_t end) const {
    HWY_ALIGN Weights weights;
    int64_t read = -1;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i / s_.images * kLanes<T>;
      const ChannelBlock block{first, std::min(kLanes<T>, s_.groups - first)};
      if (first != read) read_weights(block, weights);
      read = first;
      const int64_t rows = std::min(lines_.rows(), kWindows / s_.axes[2].count);
      for (int64_t z = 0; z < s_.axes[0].count; ++z) {
        for (int64_t y = 0; y < s_.axes[1].count; y += rows) {
          sum_rows(block, weights, {i % s_.images, z, y}, std::min(rows, s_.axes[1].count - y));
        }
      }
    }
  }
  void read_weights(const ChannelBlock& block, Weights& to) const {
    std::fill_n(to.taps, s_.taps() * kLanes<T>, T(0));
    std::fill_n(to.bias, kLanes<T>, T(0));
    for (int64_t c = 0; c < block.count; ++c) {
      for (int64_t t = 0; t < s_.taps(); ++t) {
        to.taps[t * kLanes<T> + c] =
            weights_[(block.first + c) * s_.group_step() + s_.tap_offset(t)];
      }
      if (bias_) to.bias[c] = bias_[block.first + c];
    }
  }

  void sum_rows(const ChannelBlock& block, const Weights& weights, const Place& at,
                int64_t rows) const {
    HWY_ALIGN T copy[kStripBytes / sizeof(T)];
    HWY_ALIGN T sums[kWindows * kLanes<T>];
    lines_.copy(image_ + at.image * s_.from.image, block, at.z, at.y, copy);
    const int64_t windows = rows * s_.axes[2].count;
    const T* from[kAbreast];
    bool has_nan = false;
    for (int64_t i = 0; i < windows; i += kAbreast) {
      // Windows beyond the last one are those before it once more.
      const int64_t first = std::max<int64_t>(std::min(i, windows - kAbreast), 0);
      for (int64_t j = 0; j < kAbreast; ++j) {
        from[j] = copy + places_[std::min(first + j, windows - 1)];
      }
      has_nan |= sum_abreast(weights, from, sums + first * kLanes<T>);
    }
    store(block, at, rows, sums);
    if (has_nan) sum_without_padding(block, weights, at, rows, copy);
  }
  // Are any of them NaN?
  HWY_INLINE bool sum_abreast(const Weights& weights, const T* const* from, T* to) const {
    const hn::ScalableTag<T> d;
    Vector sum[kAbreast];
#pragma GCC unroll 4
    for (int64_t i = 0; i < kAbreast; ++i) sum[i] = hn::Zero(d);
    for (int64_t t = 0; t < s_.taps(); ++t) {
      const auto w = hn::Load(d, weights.taps + t * kLanes<T>);
#pragma GCC unroll 4
      for (int64_t i = 0; i < kAbreast; ++i) {
        sum[i] = hn::MulAdd(w, hn::LoadU(d, from[i] + lines_.offsets()[t]), sum[i]);
      }
    }
    auto is_nan = hn::FirstN(d, 0);
#pragma GCC unroll 4
    for (int64_t i = 0; i < kAbreast; ++i) {
      auto v = hn::Add(sum[i], hn::Zero(d));
      if (bias_) v = hn::Add(v, hn::Load(d, weights.bias));
      is_nan = hn::Or(is_nan, hn::IsNaN(v));
      hn::Store(v, d, to + i * kLanes<T>);
    }
    return !hn::AllFalse(d, is_nan);
  }
  T* out_of(const ChannelBlock& block, const Place& at, int64_t channel) const {
    return out_ + at.image * s_.to.image + (block.first + channel) * s_.to.channel +
           at.z * s_.to.place[0] + at.y * s_.to.place[1];
  }
  void store(const ChannelBlock& block, const Place& at, int64_t rows, const T* sums) const {
    HWY_ALIGN T turned[kWindows * kLanes<T>];
    const int64_t width = s_.axes[2].count;
    pack(Lines<T>{sums, kLanes<T>, 1, rows * width}, block.count, turned, kWindows);
    for (int64_t c = 0; c < block.count; ++c) {
      const T* from = turned + c * kWindows;
      T* to = out_of(block, at, c);
      if (s_.to.place[2] == 1 && s_.to.place[1] == width) {
        std::copy_n(from, rows * width, to);
        continue;
      }
      for (int64_t y = 0; y < rows; ++y, from += width, to += s_.to.place[1]) {
        for (int64_t x = 0; x < width; ++x) to[x * s_.to.place[2]] = from[x];
      }
    }
  }

  HWY_NOINLINE void sum_without_padding(const ChannelBlock& block, const Weights& weights,
                                        const Place& at, int64_t rows, const T* copy) const {
    for (int64_t c = 0; c < block.count; ++c) {
      for (int64_t i = 0; i < rows * s_.axes[2].count; ++i) {
        const int64_t y = i / s_.axes[2].count;
        const int64_t x = i % s_.axes[2].count;
        T* const to = out_of(block, at, c) + y * s_.to.place[1] + x * s_.to.place[2];
        if (!std::isnan(*to)) continue;
        const T* const from = copy + y * lines_.row_step() + x * lines_.step() + c;
        T sum = 0;
        for (int64_t t = 0; t < s_.taps(); ++t) {
          if (!s_.inside({at.z, at.y + y, x}, t)) continue;
          sum = std::fma(weights.taps[t * kLanes<T> + c], from[lines_.offsets()[t]], sum);
        }
        sum += T(0);
        if (bias_) sum += weights.bias[c];
        *to = sum;
      }
    }
  }

  const sdk::Launch& l_;
  const conv::Sweep& s_;
  const T* const image_;
  const T* const weights_;
  const T* const bias_;
  T* const out_;
  const SideBySide<T> lines_;
  int64_t places_[kWindows];  // of a strip's windows in its copy
};

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
