// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/convolution.hpp: the sizes of tenon.conv, tenon.conv_input_grad and
// tenon.conv_weight_grad, for shape rules and kernels.
//
// All three tie an image x [N,C,...], a weight [O,C/groups,...] and windows y [N,O,...] together:
// two of them are operands, the third is the result.
#pragma once

#include <tenon/sdk/plugin/windows.hpp>

namespace tenon::sdk {

// The attributes that the three share, from the first of them on.
enum ConvolutionAttribute : uint32_t {
  kConvStride,
  kConvPadding,
  kConvDilation,
  kConvGroups,
  kConvAutoPad,
  kConvAttributes
};

struct Convolution {
  Windows windows;
  int64_t images;
  int64_t groups;
  int64_t in;   // channels of x in a group
  int64_t out;  // channels of y in a group

  // `first`: the place of `stride` among the attributes. Windows that do not fit are refused, other
  // sizes are not looked at.
  Convolution(std::span<const int64_t> x, std::span<const int64_t> weight, const Attrs& attrs,
              uint32_t first)
      : windows(x.subspan(2), weight.subspan(2),
                {.stride = attrs.ints(first + kConvStride),
                 .padding = attrs.ints(first + kConvPadding),
                 .dilation = attrs.ints(first + kConvDilation),
                 .auto_pad = attrs.text(first + kConvAutoPad)}),
        images(x[0]),
        groups(attrs.integer(first + kConvGroups)),
        in(weight[1]),
        out(weight[0] / groups) {}
};

}  // namespace tenon::sdk
