// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/windows.hpp: windows that slide over an image of 1 to 3 dimensions, as
// convolution and pooling have them: their attributes checked, and where each window lies.
//
// Along one dimension, window i begins at place `i * stride - before` of the image and has `taps`
// places, `dilation` apart. Places outside [0, size) are padding. Sizes as in PyTorch's `conv2d`
// and `max_pool2d`; `auto_pad` as in ONNX's `Conv` (SAME_UPPER).
#pragma once

#include <tenon/sdk/plugin/base.hpp>

#include <algorithm>
#include <array>

namespace tenon::sdk {

inline constexpr size_t kMaxWindowRank = 3;

// A range of windows or of taps.
struct Steps {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t count() const { return end - begin; }
};

// The windows along one dimension.
struct WindowAxis {
  int64_t size = 1;      // of the image
  int64_t taps = 1;      // of a window
  int64_t stride = 1;    // from one window to the next
  int64_t dilation = 1;  // from one tap to the next
  int64_t before = 0;    // padding
  int64_t after = 0;
  int64_t count = 1;  // of windows

  int64_t span() const { return (taps - 1) * dilation + 1; }
  int64_t place(int64_t window, int64_t tap) const {
    return window * stride - before + tap * dilation;
  }
  // The taps of a window that lie in the image; none has `begin == end`.
  Steps taps_inside(int64_t window) const {
    const int64_t first = place(window, 0);
    const int64_t begin = std::min(first < 0 ? over(-first, dilation) : 0, taps);
    return {begin, std::clamp(over(size - first, dilation), begin, taps)};
  }
  // The taps of a window up to the end of the padding, beyond which `ceil_mode` may let it go.
  int64_t taps_padded(int64_t window) const {
    return std::min(over(size + after - place(window, 0), dilation), taps);
  }
  // The windows whose tap number `tap` lies in the image.
  Steps windows_inside(int64_t tap) const {
    const int64_t first = place(0, tap);
    const int64_t begin = std::min(first < 0 ? over(-first, stride) : 0, count);
    return {begin, std::clamp(over(size - first, stride), begin, count)};
  }

 private:
  // a / b, rounded up; 0 for a <= 0.
  static int64_t over(int64_t a, int64_t b) { return a <= 0 ? 0 : (a - 1) / b + 1; }
};

// Window `i` of `count` that together cover `size` places, as in PyTorch's `adaptive_avg_pool2d`:
// from floor(i size / count) to ceil((i + 1) size / count). No product leaves its range while both
// numbers are at most 2^30.
inline Steps adaptive_window(int64_t i, int64_t size, int64_t count) {
  return {i * size / count, ((i + 1) * size + count - 1) / count};
}

// What attributes say. Lists have one number for all dimensions or one for each; `padding` may also
// have two for each, before and after it.
struct WindowOptions {
  std::span<const int64_t> stride = {};  // empty: the window's own size
  std::span<const int64_t> padding = {};
  std::span<const int64_t> dilation = {};
  std::string_view auto_pad = "none";
  bool ceil_mode = false;
};

class Windows {
 public:
  // `image` are the sizes that windows slide over, `taps` those of a window; dimension 0 of them is
  // dimension `first` of operand `operand`, in messages.
  Windows(std::span<const int64_t> image, std::span<const int64_t> taps,
          const WindowOptions& options, const char* operand = "x", size_t first = 2)
      : rank_(image.size()) {
    if (rank_ < 1 || rank_ > kMaxWindowRank) {
      throw Failure{TENON_E_SHAPE,
                    std::string(operand) + " must have 1 to 3 dimensions that windows slide over",
                    operand,
                    "[N,C,W], [N,C,H,W] or [N,C,D,H,W]",
                    std::to_string(rank_ + first) + " dimensions",
                    "a single image without a batch: reshape it to [1,C,...] first"};
    }
    const bool own = options.stride.empty();
    const auto strides = own ? taps : options.stride;
    const auto padding = options.padding;
    const bool pairs = padding.size() == 2 * rank_;
    need_length("kernel", taps, false);
    need_length("stride", strides, false);
    need_length("padding", padding, true);
    need_length("dilation", options.dilation, false);
    const bool same = options.auto_pad == "same";
    const bool valid = options.auto_pad == "valid";
    if (!same && !valid && options.auto_pad != "none") {
      throw Failure{TENON_E_ATTRIBUTE, "there is no such auto_pad", "auto_pad",
                    "none, same or valid", std::string(options.auto_pad)};
    }
    for (size_t d = 0; d < rank_; ++d) {
      WindowAxis& axis = axes_[d];
      axis.size = image[d];
      axis.taps = number("kernel", of(taps, d), 1);
      axis.stride = number("stride", of(strides, d), 1);
      axis.dilation = number("dilation", of(options.dilation, d), 1);
      axis.before = number("padding", pairs ? padding[2 * d] : of(padding, d), 0);
      axis.after = number("padding", pairs ? padding[2 * d + 1] : of(padding, d), 0);
      if (same || valid) choose_padding(axis, same);
      count_windows(axis, options.ceil_mode, operand, first + d);
    }
  }

  size_t rank() const { return rank_; }
  const WindowAxis& operator[](size_t d) const { return axes_[d]; }
  // How many windows there are, and how many taps a window has.
  int64_t count() const { return product(&WindowAxis::count); }
  int64_t taps() const { return product(&WindowAxis::taps); }
  // The padding as a list of pairs, which an attribute `padding` takes.
  std::array<int64_t, 2 * kMaxWindowRank> pads() const {
    std::array<int64_t, 2 * kMaxWindowRank> pads{};
    for (size_t d = 0; d < rank_; ++d) {
      pads[2 * d] = axes_[d].before;
      pads[2 * d + 1] = axes_[d].after;
    }
    return pads;
  }

 private:
  // Far above what memory holds, and small enough that no product of two of them overflows.
  static constexpr int64_t kLargest = int64_t{1} << 30;

  int64_t product(int64_t WindowAxis::*member) const {
    int64_t product = 1;
    for (size_t d = 0; d < rank_; ++d) product *= axes_[d].*member;
    return product;
  }
  static int64_t of(std::span<const int64_t> list, size_t d) {
    return list[list.size() == 1 ? 0 : d];
  }
  void need_length(const char* attribute, std::span<const int64_t> list, bool pairs) const {
    if (list.size() == 1 || list.size() == rank_ || (pairs && list.size() == 2 * rank_)) return;
    throw Failure{
        TENON_E_ATTRIBUTE, std::string(attribute) + " has the wrong number of elements", attribute,
        "1 number or " + std::to_string(rank_) +
            (pairs ? ", or a pair for each of " + std::to_string(rank_) : "") + " dimensions",
        shape_text(list)};
  }
  static int64_t number(const char* attribute, int64_t value, int64_t least) {
    if (value >= least && value <= kLargest) return value;
    throw Failure{TENON_E_ATTRIBUTE, std::string(attribute) + " is out of range", attribute,
                  std::to_string(least) + " to 2^30", std::to_string(value)};
  }
  static void choose_padding(WindowAxis& axis, bool same) {
    if (axis.before != 0 || axis.after != 0) {
      throw Failure{TENON_E_ATTRIBUTE, "padding is given twice", "padding",
                    "0 where auto_pad chooses the padding",
                    std::to_string(axis.before) + " and " + std::to_string(axis.after)};
    }
    if (!same) return;
    const int64_t windows = axis.size == 0 ? 0 : (axis.size - 1) / axis.stride + 1;
    const int64_t missing =
        std::max<int64_t>((windows - 1) * axis.stride + axis.span() - axis.size, 0);
    axis.before = missing / 2;
    axis.after = missing - axis.before;
  }
  static void count_windows(WindowAxis& axis, bool ceil_mode, const char* operand, size_t d) {
    const int64_t room = axis.size + axis.before + axis.after;
    const int64_t rest = room - axis.span();
    if (rest < 0) {
      throw Failure{TENON_E_SHAPE,
                    "a window of " + std::to_string(axis.span()) +
                        " places does not fit dimension " + std::to_string(d),
                    operand,
                    std::to_string(axis.span()) + " places or more, padding included",
                    std::to_string(axis.size) + " and padding of " + std::to_string(axis.before) +
                        " and " + std::to_string(axis.after),
                    axis.dilation > 1 ? std::to_string(axis.taps) + " taps, " +
                                            std::to_string(axis.dilation) + " places apart"
                                      : "pad the image or take a smaller window"};
    }
    axis.count = rest / axis.stride + 1;
    // One more that goes beyond the padding, if it begins before it does.
    if (ceil_mode && rest % axis.stride != 0 &&
        axis.count * axis.stride < axis.size + axis.before) {
      ++axis.count;
    }
  }

  std::array<WindowAxis, kMaxWindowRank> axes_{};
  size_t rank_;
};

}  // namespace tenon::sdk
