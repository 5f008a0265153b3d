// SPDX-License-Identifier: Apache-2.0
// plugins/ops/window/pools.hpp: what ops share that pool the windows of an image.
//
// An image has the shape [N,C,...] with 1 to 3 dimensions that windows slide over: the first of
// them is dimension kFirst.
#pragma once

#include <tenon/sdk/plugin/pools.hpp>

#include <algorithm>

#include "copy/filling.hpp"
#include "index/along.hpp"

namespace tenon::pools {

using rules::Dims;

inline constexpr size_t kFirst = 2;

// The sizes that windows slide over. Numbers pass for tensors of any schema dimensions until here.
inline std::span<const int64_t> image_of(std::span<const int64_t> shape, const char* operand) {
  if (shape.size() > kFirst && shape.size() <= kFirst + sdk::kMaxWindowRank) {
    return shape.subspan(kFirst);
  }
  throw sdk::Failure{TENON_E_SHAPE,
                     std::string(operand) + " must have 1 to 3 dimensions that windows slide over",
                     operand,
                     "[N,C,W], [N,C,H,W] or [N,C,D,H,W]",
                     sdk::shape_text(shape),
                     "a single image without a batch: reshape it to [1,C,...] first"};
}

// [N,C] and these sizes.
inline Dims with_image(std::span<const int64_t> shape, std::span<const int64_t> image) {
  Dims result(shape.first(kFirst));
  for (const int64_t size : image) result.push(size);
  return result;
}

inline Dims with_windows(std::span<const int64_t> shape, const sdk::Windows& windows) {
  Dims result(shape.first(kFirst));
  for (size_t d = 0; d < windows.rank(); ++d) result.push(windows[d].count);
  return result;
}

// The attribute `size`: that of an image, of which `operand` holds what was pooled.
inline std::span<const int64_t> image_size(std::span<const int64_t> sizes,
                                           std::span<const int64_t> shape, const char* operand) {
  const size_t rank = image_of(shape, operand).size();
  if (sizes.size() == rank) return sizes;
  throw sdk::Failure{TENON_E_ATTRIBUTE, "size must have a number for each dimension of the image",
                     "size", std::to_string(rank) + " numbers", sdk::shape_text(sizes)};
}

// ---- Windows in compositions --------------------------------------------------------------------

// How far the windows reach along an axis, and at least to the end of the padding.
inline int64_t reach_of(const sdk::WindowAxis& axis) {
  return std::max(axis.before + axis.size + axis.after,
                  (axis.count - 1) * axis.stride + axis.span());
}

// The last dimensions of a tensor, one for each axis.
inline Dims last_axes(size_t rank) {
  Dims axes;
  for (size_t d = 0; d < rank; ++d) axes.push(static_cast<int64_t>(d) - static_cast<int64_t>(rank));
  return axes;
}

// x in which dimensions `first` and on reach as far as the windows; what is around it holds
// `value`. With `back`, the image is taken out of such a tensor.
inline tenon_tensor* padded(sdk::Calls& c, sdk::Value x, const sdk::Windows& windows, size_t first,
                            const tenon_value& value, bool back = false) {
  std::array<int64_t, 2 * sdk::kMaxWindowRank> pads{};
  Dims axes;
  for (size_t d = 0; d < windows.rank(); ++d) {
    const sdk::WindowAxis& axis = windows[d];
    const int64_t sign = back ? -1 : 1;
    axes.push(static_cast<int64_t>(first + d));
    pads[2 * d] = sign * axis.before;
    pads[2 * d + 1] = sign * (reach_of(axis) - axis.before - axis.size);
  }
  const std::span<const int64_t> pairs(pads.data(), 2 * windows.rank());
  return c.call("tenon.pad", {x}, {pairs, axes.value(), sdk::text_value("constant"), value});
}

// A view of a padded tensor: dimensions `first` and on count the windows, new last ones their taps.
inline tenon_tensor* slid(sdk::Calls& c, tenon_tensor* x, const sdk::Windows& windows,
                          size_t first) {
  for (size_t d = 0; d < windows.rank(); ++d) {
    const sdk::WindowAxis& axis = windows[d];
    x = c.call("tenon.unfold", {x}, {static_cast<int64_t>(first + d), axis.span(), axis.stride});
    if (axis.dilation > 1) {
      x = c.call("tenon.slice", {x}, {-1, sdk::Value(), sdk::Value(), axis.dilation});
    }
  }
  return x;
}

// 0, 1, 2, ...
inline tenon_tensor* numbers_to(sdk::Calls& c, int64_t count) {
  const Dims shape(std::span(&count, 1));
  tenon_tensor* ones = rules::filled(c, shape, sdk::Value(1), TENON_DTYPE_I64);
  return c.call("tenon.cumsum", {ones}, {0, false, true});
}

// x [n] as [1,...,n,...,1] with `rank` dimensions, the n of which is number `at`.
inline tenon_tensor* along(sdk::Calls& c, tenon_tensor* x, size_t at, size_t rank) {
  Dims shape;
  const int64_t n = c.meta(x).shape[0];
  for (size_t d = 0; d < rank; ++d) shape.push(d == at ? n : 1);
  return rules::reshape(c, x, shape);
}

// ---- Averages -----------------------------------------------------------------------------------

// How many places each window averages over, as [1,1,windows...] in `dtype`; 1 where there is none.
// Numbers along each axis, multiplied.
inline tenon_tensor* average_counts(sdk::Calls& c, tenon_dtype dtype, const sdk::Windows& windows,
                                    bool include_pad) {
  const Dims last = last_axes(1);
  tenon_tensor* counts = nullptr;
  for (size_t d = 0; d < windows.rank(); ++d) {
    const sdk::WindowAxis& axis = windows[d];
    const int64_t before = include_pad ? 0 : axis.before;
    const int64_t counted = include_pad ? axis.before + axis.size + axis.after : axis.size;
    const int64_t pads[] = {before, reach_of(axis) - before - counted};
    tenon_tensor* ones = rules::filled(c, Dims(std::span(&counted, 1)), sdk::Value(1.0), dtype);
    ones = c.call("tenon.pad", {ones}, {std::span<const int64_t>(pads)});
    ones = c.call("tenon.unfold", {ones}, {0, axis.taps, axis.stride});
    tenon_tensor* own = c.call("tenon.sum", {ones}, {last.value()});
    own = along(c, own, kFirst + d, kFirst + windows.rank());
    counts = counts == nullptr ? own : c.call("tenon.mul", {counts, own});
  }
  return c.call("tenon.maximum", {counts, 1.0});
}

// ---- Windows that cover an image in equal parts -------------------------------------------------

inline constexpr int64_t kMaxParts = int64_t{1} << 30;

// `image` and `parts` have one size for each dimension.
inline void check_parts(std::span<const int64_t> image, std::span<const int64_t> parts,
                        const char* operand) {
  for (size_t d = 0; d < image.size(); ++d) {
    if (parts[d] < 1 || std::max(parts[d], image[d]) > kMaxParts) {
      throw sdk::Failure{
          TENON_E_ATTRIBUTE, "size is out of range", "size",
          "1 to 2^30, of dimensions of at most 2^30 places",
          std::to_string(parts[d]) + ", of a dimension of " + std::to_string(image[d])};
    }
    if (image[d] == 0) {
      throw sdk::Failure{TENON_E_SHAPE, "dimension " + std::to_string(kFirst + d) + " is empty",
                         operand, "one place or more to average over", "0"};
    }
  }
}

// The parts of one axis.
struct Parts {
  int64_t count, length;  // how many, and a length that none is above
  tenon_tensor* places;   // i64[count * length]: those of each part, and others after them
  tenon_tensor* inside;   // bool[count, length]: does the place belong to the part?
  tenon_tensor* sizes;    // i64[count]
};

inline Parts parts_of(sdk::Calls& c, int64_t size, int64_t count) {
  const int64_t whole = size / count;
  const int64_t rest = size % count;
  const int64_t length = std::min(size, rest == 0 ? whole : whole + 2);
  const auto times = [&](tenon_tensor* x, int64_t by) { return c.call("tenon.mul", {x, by}); };
  tenon_tensor* i = numbers_to(c, count);
  tenon_tensor* base = times(i, whole);
  const auto ends_after = [&](int64_t more) {
    tenon_tensor* part = c.call("tenon.add", {times(i, rest), more});
    return c.call("tenon.add", {base, c.call("tenon.floor_divide", {part, count})});
  };
  tenon_tensor* begin = ends_after(0);
  tenon_tensor* end = c.call("tenon.add", {ends_after(rest + count - 1), whole});
  tenon_tensor* places =
      c.call("tenon.add", {along(c, begin, 0, 2), along(c, numbers_to(c, length), 1, 2)});
  tenon_tensor* inside = c.call("tenon.lt", {places, along(c, end, 0, 2)});
  places = c.call("tenon.minimum", {places, size - 1});
  const int64_t flat = count * length;
  return {count, length, rules::reshape(c, places, Dims(std::span(&flat, 1))), inside,
          c.call("tenon.sub", {end, begin})};
}

// [...,count,length,...] of a tensor [...,count * length,...], or the other way.
inline Dims divided(const tenon_meta& meta, size_t axis, int64_t count, int64_t length) {
  Dims shape;
  for (size_t d = 0; d < static_cast<size_t>(meta.rank); ++d) {
    shape.push(d == axis ? count : meta.shape[d]);
    if (d == axis) shape.push(length);
  }
  return shape;
}

// x where a place of dimensions `axis` and the next belongs to its part, else 0.
inline tenon_tensor* inside_parts(sdk::Calls& c, tenon_tensor* x, const Parts& parts, size_t axis) {
  Dims shape;
  for (size_t d = 0; d < static_cast<size_t>(c.meta(x).rank); ++d) {
    shape.push(d == axis ? parts.count : d == axis + 1 ? parts.length : 1);
  }
  return c.call("tenon.where", {rules::reshape(c, parts.inside, shape), x, 0});
}

// How many places the parts have, as [1,1,parts...] in `dtype`.
inline tenon_tensor* part_counts(sdk::Calls& c, std::span<const Parts> axes, tenon_dtype dtype) {
  tenon_tensor* counts = nullptr;
  for (size_t d = 0; d < axes.size(); ++d) {
    tenon_tensor* own = c.call("tenon.cast", {axes[d].sizes}, {sdk::Value::dtype(dtype)});
    own = along(c, own, kFirst + d, kFirst + axes.size());
    counts = counts == nullptr ? own : c.call("tenon.mul", {counts, own});
  }
  return counts;
}

}  // namespace tenon::pools
