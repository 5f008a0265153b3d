// SPDX-License-Identifier: Apache-2.0
// backends/cpu/conv/geometry.h: a convolution, or its adjoint, as one kind of sum over windows.
//
// Both read an image through windows and weigh what they read: out[row, window] = sum over
// (channel, tap) of weight[row, channel, tap] image[channel, place(window, tap)]. The adjoint of a
// convolution with stride s is s such sums along each dimension: the places of x that have the same
// remainder when divided by s are reached by the same taps.
#pragma once

#include <tenon/sdk/plugin/convolution.hpp>
#include <tenon/sdk/plugin/kernel.hpp>

#include <array>
#include <numeric>

#include "cpu.h"

namespace tenon::cpu::conv {

inline constexpr size_t kRank = sdk::kMaxWindowRank;

// a / b rounded up, for b > 0.
constexpr int64_t over(int64_t a, int64_t b) { return a <= 0 ? -(-a / b) : (a - 1) / b + 1; }

// A range of numbers.
struct Range {
  int64_t begin = 0;
  int64_t end = 0;
};

// Windows along one dimension of the image that is read.
struct Axis {
  int64_t size = 1;   // of the image
  int64_t count = 1;  // of windows
  int64_t taps = 1;
  int64_t step = 1;      // from one window to the next
  int64_t tap_step = 1;  // from one tap to the next; less than 0 in an adjoint
  int64_t first = 0;     // place of tap 0 of window 0

  int64_t place(int64_t window, int64_t tap) const {
    return window * step + tap * tap_step + first;
  }
  bool inside(int64_t place) const { return place >= 0 && place < size; }
  // Does a tap of some window read there, or would if there were more windows?
  bool reads(int64_t place) const {
    if (step == 1) return true;
    for (int64_t tap = 0; tap < taps; ++tap) {
      if ((place - first - tap * tap_step) % step == 0) return true;
    }
    return false;
  }
  // Windows of [0, n) whose places lie in the image, if that of window 0 is `place`.
  Range inside(int64_t place, int64_t n) const {
    const int64_t begin = std::clamp<int64_t>(over(-place, step), 0, n);
    return {begin, std::clamp(over(size - place, step), begin, n)};
  }
  bool has_padding() const {
    if (count == 0 || taps == 0) return false;
    const int64_t last = (taps - 1) * tap_step;
    const int64_t least = first + std::min<int64_t>(last, 0);
    const int64_t most = first + std::max<int64_t>(last, 0) + (count - 1) * step;
    return least < 0 || most >= size;
  }
  bool is_plain() const { return taps == 1 && step == 1 && first == 0 && count == size; }
};

// Steps in elements.
struct Steps {
  int64_t image = 0;
  int64_t channel = 0;
  std::array<int64_t, kRank> place{};
};

inline Steps steps_of(const tenon_view& view) {
  Steps steps;
  steps.image = view.strides[0];
  steps.channel = view.strides[1];
  const auto rank = static_cast<size_t>(view.rank) - 2;
  for (size_t d = 0; d < rank; ++d) steps.place[kRank - rank + d] = view.strides[2 + d];
  return steps;
}

// The steps of a packed image of that many channels.
inline Steps packed_steps(int64_t channels, const std::array<int64_t, kRank>& sizes) {
  Steps steps;
  int64_t step = 1;
  for (size_t d = kRank; d-- > 0;) {
    steps.place[d] = step;
    step *= sizes[d];
  }
  steps.channel = step;
  steps.image = step * channels;
  return steps;
}

struct Sweep {
  int64_t images = 1;
  int64_t groups = 1;
  int64_t rows = 1;      // channels of a group of the result
  int64_t channels = 1;  // channels of a group of what is read
  std::array<Axis, kRank> axes;
  Steps from;
  Steps to;  // `place`: from one window to the next
  int64_t to_first = 0;
  // Of weights.
  int64_t row_step = 1;
  int64_t channel_step = 1;
  std::array<int64_t, kRank> tap_steps{};
  int64_t tap_first = 0;

  int64_t taps() const { return axes[0].taps * axes[1].taps * axes[2].taps; }
  int64_t windows() const { return axes[0].count * axes[1].count * axes[2].count; }
  int64_t columns() const { return images * windows(); }
  int64_t depth() const { return channels * taps(); }
  int64_t weights() const { return groups * rows * depth(); }
  int64_t group_step() const { return std::max(rows * row_step, channels * channel_step); }
  bool has_padding() const {
    return axes[0].has_padding() || axes[1].has_padding() || axes[2].has_padding();
  }
  bool is_empty() const { return columns() == 0 || groups * rows == 0; }
  int64_t tap_offset(int64_t tap) const {
    const int64_t x = tap % axes[2].taps;
    const int64_t rest = tap / axes[2].taps;
    return x * tap_steps[2] + rest % axes[1].taps * tap_steps[1] +
           rest / axes[1].taps * tap_steps[0];
  }
  // Does a tap of a window read within the image?
  bool inside(const std::array<int64_t, kRank>& window, int64_t tap) const {
    for (size_t d = kRank; d-- > 0;) {
      if (!axes[d].inside(axes[d].place(window[d], tap % axes[d].taps))) return false;
      tap /= axes[d].taps;
    }
    return true;
  }
  bool taps_are_packed() const {
    return tap_steps[2] == 1 && tap_steps[1] == axes[2].taps &&
           tap_steps[0] == axes[2].taps * axes[1].taps;
  }
  // Weights of a row lie in the order in which they are added up.
  bool rows_are_packed() const { return taps_are_packed() && channel_step == taps(); }
};

// Dimensions that windows do not slide over, as one: rows of it are longer.
inline void merge_plain(Sweep& s) {
  for (size_t d = kRank - 1; d-- > 0;) {
    Axis& outer = s.axes[d];
    Axis& inner = s.axes[kRank - 1];
    const size_t last = kRank - 1;
    if (!outer.is_plain() || !inner.is_plain()) return;
    const bool follows = s.from.place[d] == s.from.place[last] * inner.size &&
                         s.to.place[d] == s.to.place[last] * inner.size;
    if (outer.size != 1 && !follows) return;
    inner.size *= outer.size;
    inner.count = inner.size;
    outer = Axis();
  }
}

// Axes of lower rank are the last ones.
inline std::array<sdk::WindowAxis, kRank> axes_of(const sdk::Windows& windows) {
  std::array<sdk::WindowAxis, kRank> axes;
  for (size_t d = 0; d < windows.rank(); ++d) axes[kRank - windows.rank() + d] = windows[d];
  return axes;
}

inline Axis forward_axis(const sdk::WindowAxis& a) {
  return {a.size, a.count, a.taps, a.stride, a.dilation, -a.before};
}

// The result of a sweep, as what is read by another.
inline Sweep result_sweep(const Sweep& s, int64_t images) {
  Sweep result;
  result.images = images;
  result.groups = s.groups;
  result.channels = s.rows;
  for (size_t d = 0; d < kRank; ++d) {
    result.axes[d].size = s.axes[d].count;
    result.axes[d].count = s.axes[d].count;
  }
  result.from = s.to;
  return result;
}

inline void set_weights(Sweep& s, const std::array<sdk::WindowAxis, kRank>& axes) {
  s.tap_steps = {axes[1].taps * axes[2].taps, axes[2].taps, 1};
}

// out[N,O,...] of x[N,C,...] and weight[O,C/groups,...].
inline Sweep forward_sweep(const sdk::Args& args) {
  const sdk::Convolution conv(args.shape(0), args.shape(1), args.attrs, 0);
  const auto axes = axes_of(conv.windows);
  Sweep s;
  s.images = conv.images;
  s.groups = conv.groups;
  s.rows = conv.out;
  s.channels = conv.in;
  for (size_t d = 0; d < kRank; ++d) s.axes[d] = forward_axis(axes[d]);
  s.from = steps_of(args.view(0));
  s.to = steps_of(args.out());
  set_weights(s, axes);
  s.channel_step = s.taps();
  s.row_step = s.depth();
  merge_plain(s);
  return s;
}

// The places `remainder`, `remainder` + stride, ... of x along a dimension, as windows over dy.
inline Axis adjoint_axis(const sdk::WindowAxis& a, int64_t remainder, int64_t& first_tap,
                         int64_t& tap_distance) {
  Axis axis;
  axis.size = a.count;
  axis.count = over(a.size - remainder, a.stride);
  tap_distance = a.stride / std::gcd(a.stride, a.dilation);
  first_tap = 0;
  while (first_tap < a.taps && (remainder + a.before - first_tap * a.dilation) % a.stride != 0) {
    ++first_tap;
  }
  axis.taps = over(a.taps - first_tap, tap_distance);
  axis.tap_step = -(tap_distance * a.dilation / a.stride);
  axis.first = (remainder + a.before - first_tap * a.dilation) / a.stride;
  return axis;
}

// dx[N,C,...] of dy[N,O,...] and weight[O,C/groups,...], a sweep for every remainder.
struct Adjoint {
  explicit Adjoint(const sdk::Args& args) {
    const tenon_view& out = args.out();
    const std::span<const int64_t> image(out.shape, static_cast<size_t>(out.rank));
    const sdk::Convolution conv(image, args.shape(1), args.attrs, 1);
    axes = axes_of(conv.windows);
    all.images = conv.images;
    all.groups = conv.groups;
    all.rows = conv.in;
    all.channels = conv.out;
    all.from = steps_of(args.view(0));
    all.to = steps_of(out);
    set_weights(all, axes);
    all.row_step = axes[0].taps * axes[1].taps * axes[2].taps;
    all.channel_step = all.rows * all.row_step;
    for (size_t d = 0; d < kRank; ++d) {
      all.axes[d].size = axes[d].count;
      all.axes[d].count = axes[d].size;
      remainders[d] = std::min(axes[d].stride, axes[d].size);
    }
    if (count() != 1) return;
    all = remainder(0);
    merge_plain(all);
  }
  int64_t count() const { return remainders[0] * remainders[1] * remainders[2]; }
  Sweep sweep(int64_t number) const { return count() == 1 ? all : remainder(number); }

  std::array<sdk::WindowAxis, kRank> axes;
  std::array<int64_t, kRank> remainders{};
  Sweep all;  // the only one, or what all have in common

 private:
  Sweep remainder(int64_t number) const {
    Sweep s = all;
    for (size_t d = kRank; d-- > 0;) {
      const int64_t remainder = number % remainders[d];
      number /= remainders[d];
      int64_t first = 0;
      int64_t distance = 1;
      s.axes[d] = adjoint_axis(axes[d], remainder, first, distance);
      s.tap_first += first * all.tap_steps[d];
      s.tap_steps[d] = distance * all.tap_steps[d];
      s.to_first += remainder * all.to.place[d];
      s.to.place[d] = axes[d].stride * all.to.place[d];
    }
    return s;
  }
};

}  // namespace tenon::cpu::conv
