// SPDX-License-Identifier: Apache-2.0
// backends/cpu/conv/frame-inl.h: copies of images as frame.h says: zeros around them, in the type
// in which sums are computed.

#if defined(TENON_CPU_CONV_FRAME_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_CPU_CONV_FRAME_INL_H
#undef TENON_CPU_CONV_FRAME_INL_H
#else
#define TENON_CPU_CONV_FRAME_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "conv/frame.h"
#include "gemm/narrow-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class H, class T>
HWY_INLINE void copy_line(const H* from, int64_t step, int64_t count, T* to) {
  if constexpr (is_16_bit_float<H>) {
    widen_line(from, step, count, to);
  } else if (step == 1) {
    const hn::ScalableTag<T> d;
    if (count < kLanes<T>) {
      for (int64_t i = 0; i < count; ++i) to[i] = from[i];
      return;
    }
    // The last vector begins within the one before it.
    const int64_t last = count - kLanes<T>;
    for (int64_t i = 0; i < last; i += kLanes<T>) hn::StoreU(hn::LoadU(d, from + i), d, to + i);
    hn::StoreU(hn::LoadU(d, from + last), d, to + last);
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = from[i * step];
  }
}

// Elements 0, 2, ... of a line to `even`, the others to `odd`.
template <class T>
HWY_INLINE void split_line(const T* from, int64_t count, T* even, T* odd) {
  const hn::ScalableTag<T> d;
  int64_t i = 0;
  for (; i + kLanes<T> <= count / 2; i += kLanes<T>) {
    hn::Vec<decltype(d)> first, second;
    hn::LoadInterleaved2(d, from + 2 * i, first, second);
    hn::StoreU(first, d, even + i);
    hn::StoreU(second, d, odd + i);
  }
  for (; 2 * i < count; ++i) {
    even[i] = from[2 * i];
    if (2 * i + 1 < count) odd[i] = from[2 * i + 1];
  }
}

template <class H, class T>
class FrameCopy {
 public:
  FrameCopy(const conv::Sweep& images, const conv::Frame& frame)
      : s_(images), f_(frame), row_(frame.phases * frame.phase_size()) {
    begin_ = std::clamp<int64_t>(-f_.first[2], 0, f_.size[2]);
    end_ = std::clamp(s_.axes[2].size - f_.first[2], begin_, f_.size[2]);
    const auto distance = [](int64_t step) { return step < 0 ? -step : step; };
    planes_ = distance(s_.from.channel) >= distance(s_.from.place[1]);
    parts_ = planes_ ? s_.groups * s_.channels : f_.size[0] * f_.size[1];
  }

  // `count` images from `from` on: what lies beside each other there is copied one after the other.
  void copy(const H* from, int64_t count, T* to) const {
    for (int64_t i = 0; i < count * parts_; ++i) copy_part(from, i, to);
  }
  void copy(const sdk::Launch& l, const H* from, int64_t count, T* to) const {
    constexpr int64_t kElements = 1 << 15;  // worth handing to another thread
    const int64_t part = f_.steps.image / std::max<int64_t>(parts_, 1);
    l.parallel_for(count * parts_, gemm::pieces(kElements, std::max<int64_t>(part, 1)),
                   [&](int64_t begin, int64_t end) {
                     for (int64_t i = begin; i < end; ++i) copy_part(from, i, to);
                   });
  }

  // One channel of an image.
  void copy_plane(const H* from, T* to) const {
    for (int64_t i = 0; i < f_.size[0] * f_.size[1]; ++i) copy_lines(from, i, 1, to + i * row_);
  }

 private:
  // A plane or a row of one of the images.
  void copy_part(const H* from, int64_t number, T* to) const {
    const H* const image = from + number / parts_ * s_.from.image;
    T* const copied = to + number / parts_ * f_.steps.image;
    const int64_t part = number % parts_;
    if (planes_) {
      copy_plane(image + part * s_.from.channel, copied + part * f_.steps.channel);
    } else {
      copy_row(image, part, copied + part * row_);
    }
  }
  // One row of all channels.
  void copy_row(const H* image, int64_t number, T* to) const {
    copy_lines(image, number, s_.groups * s_.channels, to);
  }
  // A row that no window reads stays as it is.
  HWY_INLINE void copy_lines(const H* image, int64_t number, int64_t channels, T* to) const {
    const int64_t z = number / f_.size[1] + f_.first[0];
    const int64_t y = number % f_.size[1] + f_.first[1];
    if (!s_.axes[0].reads(z) || !s_.axes[1].reads(y)) return;
    const bool inside = s_.axes[0].inside(z) && s_.axes[1].inside(y);
    const H* from = image + z * s_.from.place[0] + y * s_.from.place[1];
    for (int64_t c = 0; c < channels; ++c) {
      if (inside) {
        copy_line_of(from, to);
      } else {
        std::fill_n(to, row_, T(0));
      }
      from += s_.from.channel;
      to += f_.steps.channel;
    }
  }
  HWY_INLINE void copy_line_of(const H* from, T* to) const {
    if (f_.phases == 1) return copy_part(from, begin_, end_, f_.first[2], to);
    const bool reads_odd = s_.axes[2].reads(f_.first[2] + 1);
    if (f_.phases == 2 && reads_odd && s_.from.place[2] == 1 && std::is_same_v<H, T>) {
      return copy_halves(reinterpret_cast<const T*>(from), to);
    }
    for (int64_t phase = 0; phase < f_.phases; ++phase, to += f_.phase_size()) {
      // Element i of the phase is place i phases + first.
      const int64_t first = f_.first[2] + phase;
      if (!s_.axes[2].reads(first)) continue;
      copy_part(from, conv::over(-first, f_.phases), conv::over(s_.axes[2].size - first, f_.phases),
                first, to);
    }
  }
  // Elements [begin, end) of a phase lie in the image.
  HWY_INLINE void copy_part(const H* from, int64_t begin, int64_t end, int64_t first, T* to) const {
    const int64_t size = f_.phase_size();
    begin = std::clamp<int64_t>(begin, 0, size);
    end = std::clamp(end, begin, size);
    for (int64_t i = 0; i < begin; ++i) to[i] = T(0);
    copy_line(from + (begin * f_.phases + first) * s_.from.place[2], f_.phases * s_.from.place[2],
              end - begin, to + begin);
    for (int64_t i = end; i < size; ++i) to[i] = T(0);
  }
  void copy_halves(const T* from, T* to) const {
    const int64_t half = f_.phase_size();
    std::fill_n(to, 2 * half, T(0));
    T* even = to + (begin_ + 1) / 2;
    T* odd = to + half + begin_ / 2;
    if (begin_ % 2 != 0) std::swap(even, odd);
    split_line(from + begin_ + f_.first[2], end_ - begin_, even, odd);
  }

  const conv::Sweep& s_;
  const conv::Frame& f_;
  const int64_t row_;    // elements
  int64_t begin_, end_;  // places of a row that lie in the image
  bool planes_;          // or rows of all channels
  int64_t parts_;        // of an image
};

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
