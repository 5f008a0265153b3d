// SPDX-License-Identifier: Apache-2.0
// plugins/ops/window/columns.hpp: what im2col and col2im share: the windows of an image as columns.
#pragma once

#include "window/pools.hpp"

namespace tenon::columns {

using rules::Dims;

// They come after those of the op's own, of which col2im has one: the image's size.
enum Attribute : uint32_t { kKernel, kStride, kPadding, kDilation, kAutoPad, kAttributes };

// `operand` is what holds the sizes, in messages.
inline sdk::Windows windows_of(std::span<const int64_t> image, const sdk::Attrs& attrs,
                               uint32_t own, const char* operand) {
  return {image, attrs.ints(own + kKernel),
          sdk::WindowOptions{.stride = attrs.ints(own + kStride),
                             .padding = attrs.ints(own + kPadding),
                             .dilation = attrs.ints(own + kDilation),
                             .auto_pad = attrs.text(own + kAutoPad)},
          operand};
}

// [N, C taps, windows]. Both products are looked at by themselves: no image may hide them.
inline Dims shape_of(int64_t images, int64_t channels, const sdk::Windows& windows) {
  Dims rows;
  Dims columns;
  rows.push(std::max<int64_t>(channels, 1));
  for (size_t d = 0; d < windows.rank(); ++d) {
    rows.push(windows[d].taps);
    columns.push(windows[d].count);
  }
  rules::checked_shape(rows.span(), "kernel");
  rules::checked_shape(columns.span(), "columns");
  Dims shape;
  shape.push(images);
  shape.push(channels * windows.taps());
  shape.push(windows.count());
  return shape;
}

// [N,C,taps...,windows...].
inline Dims sizes_of(int64_t images, int64_t channels, const sdk::Windows& windows) {
  Dims sizes;
  sizes.push(images);
  sizes.push(channels);
  for (size_t d = 0; d < windows.rank(); ++d) sizes.push(windows[d].taps);
  for (size_t d = 0; d < windows.rank(); ++d) sizes.push(windows[d].count);
  return sizes;
}

// Both orders of taps and windows become the other by it.
inline tenon_tensor* exchanged(sdk::Calls& c, tenon_tensor* x, size_t rank) {
  Dims axes;
  axes.push(0);
  axes.push(1);
  for (size_t d = 0; d < rank; ++d) axes.push(static_cast<int64_t>(pools::kFirst + rank + d));
  for (size_t d = 0; d < rank; ++d) axes.push(static_cast<int64_t>(pools::kFirst + d));
  return c.call("tenon.permute", {x}, {axes.value()});
}

}  // namespace tenon::columns
