// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/pools.hpp: the attributes of tenon.max_pool, tenon.avg_pool and
// tenon.avg_pool_grad, for shape rules and kernels.
#pragma once

#include <tenon/sdk/plugin/windows.hpp>

namespace tenon::sdk {

enum MaxPoolAttribute : uint32_t {
  kMaxPoolKernel,
  kMaxPoolStride,
  kMaxPoolPadding,
  kMaxPoolDilation,
  kMaxPoolCeilMode,
  kMaxPoolAutoPad,
  kMaxPoolAttributes
};

// `image` are the sizes that windows slide over.
inline Windows max_pool_windows(std::span<const int64_t> image, const Attrs& attrs) {
  return {image, attrs.ints(kMaxPoolKernel),
          WindowOptions{.stride = attrs.ints(kMaxPoolStride),
                        .padding = attrs.ints(kMaxPoolPadding),
                        .dilation = attrs.ints(kMaxPoolDilation),
                        .auto_pad = attrs.text(kMaxPoolAutoPad),
                        .ceil_mode = attrs.flag(kMaxPoolCeilMode)}};
}

// They come after those of the op's own, of which the gradient has one: the image's size.
enum AvgPoolAttribute : uint32_t {
  kAvgPoolKernel,
  kAvgPoolStride,
  kAvgPoolPadding,
  kAvgPoolCeilMode,
  kAvgPoolCountIncludePad,
  kAvgPoolAutoPad,
  kAvgPoolAttributes
};

// `operand` is what holds the sizes, in messages.
inline Windows avg_pool_windows(std::span<const int64_t> image, const Attrs& attrs, uint32_t own,
                                const char* operand = "x") {
  static constexpr int64_t kOne[] = {1};
  return {image, attrs.ints(own + kAvgPoolKernel),
          WindowOptions{.stride = attrs.ints(own + kAvgPoolStride),
                        .padding = attrs.ints(own + kAvgPoolPadding),
                        .dilation = kOne,
                        .auto_pad = attrs.text(own + kAvgPoolAutoPad),
                        .ceil_mode = attrs.flag(own + kAvgPoolCeilMode)},
          operand};
}

}  // namespace tenon::sdk
