// SPDX-License-Identifier: Apache-2.0
// backends/cpu/conv/depthwise-inl.h: sweeps over one channel at a time.
//
// A vector lies along a row of the result; for each tap it is one load and one multiply-add. Some
// rows of one channel are copied first, with zeros around them, into memory that stays in the first
// cache. As in sweep-inl.h, a sum that is NaN is computed again without the padding.

#if defined(TENON_CPU_CONV_DEPTHWISE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_CONV_DEPTHWISE_INL_H
#undef TENON_CPU_CONV_DEPTHWISE_INL_H
#else
#define TENON_CPU_CONV_DEPTHWISE_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "conv/frame-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr int64_t kMaxTaps = 256;
inline constexpr int64_t kStripBytes = 65536;  // of the copy
inline constexpr int64_t kAbreast = 4;         // vectors that are summed at a time

// Rows of one channel that are copied for some rows of the result.
struct RowStrip {
  conv::Frame frame;  // for the first rows
  int64_t rows = 0;   // of the result; 0: not one fits
};

// `channels` that lie side by side, in rows of so many phases.
template <class T>
RowStrip strip_of(const conv::Sweep& s, int64_t channels, int64_t phases) {
  const int64_t room = (static_cast<int64_t>(kStripBytes / sizeof(T)) - kLanes<T>) / channels;
  RowStrip strip;
  conv::Frame& f = strip.frame;
  f.copies = true;
  f.phases = phases;
  for (size_t d = 0; d < conv::kRank; ++d) {
    conv::Axis axis = s.axes[d];
    if (d < 2) axis.count = 1;
    const conv::Range reach = conv::reach(axis);
    f.first[d] = reach.begin;
    f.size[d] = reach.end - reach.begin;
  }
  const int64_t row = f.phases * f.phase_size();
  const int64_t fit = room / row / f.size[0];  // rows of a plane
  if (fit < f.size[1]) return strip;
  strip.rows = std::min((fit - f.size[1]) / s.axes[1].step + 1, s.axes[1].count);
  f.size[1] += (strip.rows - 1) * s.axes[1].step;
  f.steps = conv::packed_steps(1, {f.size[0], f.size[1], row});
  return strip;
}

// Is a sweep computed here?
template <class T>
bool is_depthwise(const conv::Sweep& s) {
  return s.channels == 1 && s.rows <= 4 && s.taps() <= kMaxTaps &&
         strip_of<T>(s, 1, s.axes[2].step).rows > 0;
}

// Sums of kAbreast vectors: lanes of `to` get what `from` plus each tap's offset says.
template <class T>
struct Abreast {
  const T* from[kAbreast];
  T* to[kAbreast];
  int64_t n = 0;
};

template <class T>
struct TapSums {
  const int64_t* offsets;
  const T* weights;
  int64_t taps;
  T bias;
  bool has_bias;

  // Are any of them NaN?
  template <bool kWhole>
  HWY_INLINE bool sum(const Abreast<T>& a, int64_t lanes) const {
    const hn::ScalableTag<T> d;
    const auto mask = hn::FirstN(d, static_cast<size_t>(lanes));
    hn::Vec<decltype(d)> sums[kAbreast];
#pragma GCC unroll 4
    for (int64_t i = 0; i < kAbreast; ++i) sums[i] = hn::Zero(d);
    for (int64_t t = 0; t < taps; ++t) {
      const auto w = hn::Set(d, weights[t]);
#pragma GCC unroll 4
      for (int64_t i = 0; i < kAbreast; ++i) {
        const T* at = a.from[i] + offsets[t];
        const auto x = kWhole ? hn::LoadU(d, at) : load_first(d, mask, at, lanes);
        sums[i] = hn::MulAdd(w, x, sums[i]);
      }
    }
    auto is_nan = hn::FirstN(d, 0);
#pragma GCC unroll 4
    for (int64_t i = 0; i < kAbreast; ++i) {
      auto v = hn::Add(sums[i], hn::Zero(d));
      if (has_bias) v = hn::Add(v, hn::Set(d, bias));
      is_nan = hn::Or(is_nan, hn::IsNaN(v));
      if (kWhole) {
        hn::StoreU(v, d, a.to[i]);
      } else {
        store_first(d, mask, v, a.to[i], lanes);
      }
    }
    return !hn::AllFalse(d, is_nan);
  }
};

template <class H>
class Depthwise {
 public:
  using T = sdk::Compute<H>;

  Depthwise(const conv::Sweep& s, const H* image, const H* weights, const H* bias, H* out)
      : s_(s),
        image_(image),
        weights_(weights + s.tap_first),
        bias_(bias),
        out_(out + s.to_first),
        strip_(strip_of<T>(s, 1, s.axes[2].step)) {
    strip_.frame.set_taps(s, offsets_);
  }

  // Sums of a channel of an image.
  int64_t sums() const { return s_.windows() * std::max<int64_t>(s_.taps(), 1) * s_.rows; }
  void channel(int64_t image, int64_t group) const { strips(image, group, nullptr); }

  // Does another sweep write the places between those of this one's rows?
  bool is_beside(const Depthwise& odd) const {
    const auto& rows = s_.axes[1];
    const auto& others = odd.s_.axes[1];
    return std::is_same_v<T, H> && s_.to.place[2] == 2 && odd.out_ == out_ + 1 &&
           rows.first == others.first && rows.count == others.count &&
           s_.axes[0].first == odd.s_.axes[0].first && s_.axes[0].count == odd.s_.axes[0].count &&
           s_.axes[2].count - odd.s_.axes[2].count <= 1;
  }
  // Both, so that whole vectors are stored.
  void channel_of_both(int64_t image, int64_t group, const Depthwise& odd) const {
    strips(image, group, &odd);
  }

 private:
  // Some rows of the result in one plane.
  struct Rows {
    int64_t image, group;
    int64_t z, y, count;
    const T* copy;
  };
  static constexpr int64_t kChunk = kAbreast * kLanes<T>;

  HWY_NOINLINE void strips(int64_t image, int64_t group, const Depthwise* odd) const {
    HWY_ALIGN T copy[kStripBytes / sizeof(T)];
    const int64_t most = odd ? std::min(strip_.rows, odd->strip_.rows) : strip_.rows;
    for (int64_t z = 0; z < s_.axes[0].count; ++z) {
      for (int64_t y = 0; y < s_.axes[1].count; y += most) {
        const Rows rows{image, group, z, y, std::min(most, s_.axes[1].count - y), copy};
        copy_strip(rows, copy);
        if (odd) {
          odd->beside(*this, rows);
        } else {
          for (int64_t r = 0; r < s_.rows; ++r) sum_rows(rows, r);
        }
      }
    }
  }
  void copy_strip(const Rows& rows, T* to) const {
    const H* const from = image_ + rows.image * s_.from.image + rows.group * s_.from.channel;
    conv::Sweep one = s_;
    one.groups = 1;
    conv::Frame frame = strip_.frame;
    frame.first[0] += rows.z * s_.axes[0].step;
    frame.first[1] += rows.y * s_.axes[1].step;
    FrameCopy<H, T>(one, frame).copy_plane(from, to);
  }

  // This sweep's rows and those of the one that writes the even places.
  HWY_NOINLINE void beside(const Depthwise& even, const Rows& evens) const {
    HWY_ALIGN T copy[kStripBytes / sizeof(T)];
    Rows odds = evens;
    odds.copy = copy;
    copy_strip(odds, copy);
    for (int64_t r = 0; r < s_.rows; ++r) {
      T weights[2][kMaxTaps];
      const TapSums<T> even_sums = even.sums_of(evens, r, weights[0]);
      const TapSums<T> odd_sums = sums_of(odds, r, weights[1]);
      if constexpr (std::is_same_v<T, H>) {
        T* const out = even.out_of(evens, r);
        bool has_nan = false;
        for (int64_t y = 0; y < evens.count; ++y) {
          has_nan |= row_of_both({even_sums, even.from_row(evens, y), even.s_.axes[2].count},
                                 {odd_sums, from_row(odds, y), s_.axes[2].count},
                                 out + y * s_.to.place[1]);
        }
        if (!has_nan) continue;
        even.sum_without_padding(even_sums, evens, out);
        sum_without_padding(odd_sums, odds, out_of(odds, r));
      }
    }
  }
  struct Half {
    const TapSums<T>& sums;
    const T* from;
    int64_t count;
  };
  // The even places have one more, or as many.
  static bool row_of_both(const Half& even, const Half& odd, T* to) {
    const hn::ScalableTag<T> d;
    HWY_ALIGN T lanes[2][kChunk];
    bool has_nan = false;
    for (int64_t x = 0; x < even.count; x += kChunk) {
      const int64_t evens = std::min(kChunk, even.count - x);
      const int64_t odds = std::min(kChunk, odd.count - x);
      has_nan |= sum_chunk(even.sums, even.from + x, evens, lanes[0]);
      if (odds > 0) has_nan |= sum_chunk(odd.sums, odd.from + x, odds, lanes[1]);
      int64_t i = 0;
      for (; i + kLanes<T> <= odds; i += kLanes<T>) {
        hn::StoreInterleaved2(hn::Load(d, lanes[0] + i), hn::Load(d, lanes[1] + i), d,
                              to + 2 * (x + i));
      }
      for (; i < evens; ++i) {
        to[2 * (x + i)] = lanes[0][i];
        if (i < odds) to[2 * (x + i) + 1] = lanes[1][i];
      }
    }
    return has_nan;
  }

  void sum_rows(const Rows& rows, int64_t row) const {
    T weights[kMaxTaps];
    const TapSums<T> sums = sums_of(rows, row, weights);
    H* const out = out_of(rows, row);
    bool has_nan = false;
    if (std::is_same_v<T, H> && s_.to.place[2] == 1) {
      has_nan = sum_in_place(sums, rows, reinterpret_cast<T*>(out));
    } else {
      for (int64_t y = 0; y < rows.count; ++y) {
        has_nan |= sum_apart(sums, from_row(rows, y), out + y * s_.to.place[1]);
      }
    }
    if (has_nan) sum_without_padding(sums, rows, out);
  }
  // `weights` is room for them.
  TapSums<T> sums_of(const Rows& rows, int64_t row, T* weights) const {
    const int64_t channel = rows.group * s_.rows + row;
    const H* const from = weights_ + rows.group * s_.group_step() + row * s_.row_step;
    for (int64_t t = 0; t < s_.taps(); ++t) {
      weights[t] = static_cast<T>(sdk::load<H>(from + s_.tap_offset(t)));
    }
    const T bias = bias_ ? static_cast<T>(sdk::load<H>(bias_ + channel)) : T(0);
    return {offsets_, weights, s_.taps(), bias, bias_ != nullptr};
  }
  H* out_of(const Rows& rows, int64_t row) const {
    return out_ + rows.image * s_.to.image + (rows.group * s_.rows + row) * s_.to.channel +
           rows.z * s_.to.place[0] + rows.y * s_.to.place[1];
  }
  const T* from_row(const Rows& rows, int64_t y) const {
    return rows.copy + y * strip_.frame.window_step(s_, 1);
  }

  // The last vector of a row begins within the one before it, if the row is long enough.
  bool sum_in_place(const TapSums<T>& sums, const Rows& rows, T* out) const {
    const int64_t length = s_.axes[2].count;
    const bool whole = length >= kLanes<T>;
    Abreast<T> a;
    bool has_nan = false;
    const auto flush = [&] {
      for (int64_t i = a.n; i < kAbreast; ++i) {
        a.from[i] = a.from[0];
        a.to[i] = a.to[0];
      }
      a.n = 0;
      has_nan |=
          whole ? sums.template sum<true>(a, kLanes<T>) : sums.template sum<false>(a, length);
    };
    for (int64_t y = 0; y < rows.count; ++y) {
      const T* const from = from_row(rows, y);
      for (int64_t x = 0; x < length; x += kLanes<T>) {
        const int64_t at = whole ? std::min(x, length - kLanes<T>) : 0;
        a.from[a.n] = from + at;
        a.to[a.n++] = out + y * s_.to.place[1] + at;
        if (a.n == kAbreast) flush();
      }
    }
    if (a.n > 0) flush();
    return has_nan;
  }

  // The copy has room after its end, so vectors are whole.
  static bool sum_chunk(const TapSums<T>& sums, const T* from, int64_t count, T* lanes) {
    Abreast<T> a;
    for (int64_t i = 0; i < kAbreast; ++i) {
      const int64_t at = std::min(i, gemm::pieces(count, kLanes<T>) - 1) * kLanes<T>;
      a.from[i] = from + at;
      a.to[i] = lanes + at;
    }
    return sums.template sum<true>(a, kLanes<T>);
  }

  // A row whose elements do not lie beside each other, or are narrower.
  bool sum_apart(const TapSums<T>& sums, const T* from, H* out) const {
    HWY_ALIGN T lanes[kChunk];
    bool has_nan = false;
    for (int64_t x = 0; x < s_.axes[2].count; x += kChunk) {
      const int64_t count = std::min(kChunk, s_.axes[2].count - x);
      has_nan |= sum_chunk(sums, from + x, count, lanes);
      H* const to = out + x * s_.to.place[2];
      if constexpr (is_16_bit_float<H>) {
        narrow_line(lanes, count, to, s_.to.place[2]);
      } else {
        for (int64_t i = 0; i < count; ++i) to[i * s_.to.place[2]] = lanes[i];
      }
    }
    return has_nan;
  }

  HWY_NOINLINE void sum_without_padding(const TapSums<T>& sums, const Rows& rows, H* out) const {
    for (int64_t y = 0; y < rows.count; ++y) {
      for (int64_t x = 0; x < s_.axes[2].count; ++x) {
        H* const to = out + y * s_.to.place[1] + x * s_.to.place[2];
        if (!std::isnan(static_cast<T>(sdk::load<H>(to)))) continue;
        const T* const from = from_row(rows, y) + x;
        T sum = 0;
        for (int64_t t = 0; t < sums.taps; ++t) {
          if (!s_.inside({rows.z, rows.y + y, x}, t)) continue;
          sum = std::fma(sums.weights[t], from[offsets_[t]], sum);
        }
        sum += T(0);
        if (sums.has_bias) sum += sums.bias;
        sdk::store(to, sdk::narrow<H>(sum));
      }
    }
  }

  const conv::Sweep s_;
  const H* const image_;
  const H* const weights_;
  const H* const bias_;
  H* const out_;
  const RowStrip strip_;
  int64_t offsets_[kMaxTaps];
};

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
