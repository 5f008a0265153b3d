// SPDX-License-Identifier: Apache-2.0
// plugins/layers/window_options.hpp: options of layers whose op slides windows over an image.
#pragma once

#include <tenon/sdk/plugin/windows.hpp>

#include "options.hpp"

namespace tenon::layers {

inline constexpr int64_t kOne[] = {1};
inline constexpr int64_t kZero[] = {0};

constexpr tenon_layer_option ints_option(std::string_view name, std::span<const int64_t> initial,
                                         std::string_view doc) {
  return sdk::option(name, sdk::Value(initial), doc);
}

// Of pools: x says how many dimensions an image has.
inline constexpr tenon_layer_option kKernelOption =
    sdk::required_option("kernel_size", TENON_VALUE_INT_LIST, "of a window, as [2] or [2,3]");
inline constexpr tenon_layer_option kPoolStrideOption =
    ints_option("stride", {}, "from one window to the next, as [2] or [1,2]; empty: kernel_size");

inline constexpr tenon_layer_option kPaddingOption = ints_option(
    "padding", kZero,
    "places added around the image: 1 number, one for each dimension, or a pair for each, before "
    "and after it");
inline constexpr tenon_layer_option kDilationOption =
    ints_option("dilation", kOne, "from one place of a window to the next, as [1] or [1,2]");
inline constexpr tenon_layer_option kAutoPadOption = sdk::option(
    "auto_pad", sdk::text_value("none"),
    "none: as padding says; same: so much that there are size / stride windows, rounded "
    "up; valid: nothing");
inline constexpr tenon_layer_option kCeilOption = sdk::option(
    "ceil_mode", false, "is there a last window that only begins within image and padding?");

// The sizes of a window, each at least 1.
inline std::span<const int64_t> checked_kernel(const sdk::Attrs& options, uint32_t option) {
  const std::span<const int64_t> sizes = options.ints(option);
  bool fits = !sizes.empty() && sizes.size() <= sdk::kMaxWindowRank;
  for (const int64_t size : sizes) fits = fits && size >= 1;
  if (fits) return sizes;
  throw sdk::Failure{TENON_E_ATTRIBUTE, "kernel_size must be the sizes of a window", "kernel_size",
                     "1 to 3 numbers, each at least 1", sdk::shape_text(sizes)};
}

// Refuses, when the layer is made, what its op would refuse for every image of that rank.
inline void check_windows(size_t rank, std::span<const int64_t> kernel,
                          const sdk::WindowOptions& given) {
  // Greater than the greatest window.
  static constexpr int64_t kImage[sdk::kMaxWindowRank] = {int64_t{1} << 62, int64_t{1} << 62,
                                                          int64_t{1} << 62};
  sdk::Windows(std::span(kImage).first(rank), kernel, given);
}

// The rank of images that lists ask for of which none, one or all may have a number for each
// dimension: 1 if all images fit.
inline size_t rank_of_lists(std::span<const int64_t> kernel, const sdk::WindowOptions& given) {
  const size_t rank = std::max({kernel.size(), given.stride.size(), given.dilation.size()});
  if (rank > 1) return std::min(rank, sdk::kMaxWindowRank);
  const size_t pads = given.padding.size();  // 2 of them: a pair, or one for each of 2
  return pads == 4 ? 2 : pads == 3 || pads == 6 ? 3 : 1;
}

}  // namespace tenon::layers
