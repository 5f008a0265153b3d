// SPDX-License-Identifier: Apache-2.0
// plugins/ops/window/convolution.hpp: what conv and the two ops of its gradient share.
//
// With x [N,C,...], weight [O,C/g,...] and y [N,O,...], each is a sum of products of the other two;
// so the gradients of any of the three are the other two of them.
#pragma once

#include <tenon/sdk/plugin/convolution.hpp>

#include <algorithm>

#include "copy/filling.hpp"
#include "rules.hpp"

namespace tenon::rules {

using Sizes = std::span<const int64_t>;

// ---- Checks -------------------------------------------------------------------------------------

[[noreturn]] inline void refuse_shape(const char* operand, std::string what, std::string expected,
                                      std::string found, std::string hint = "") {
  throw sdk::Failure{TENON_E_SHAPE,       std::move(what),  operand,
                     std::move(expected), std::move(found), std::move(hint)};
}

inline int64_t checked_groups(const sdk::Attrs& attrs, uint32_t first) {
  const int64_t groups = attrs.integer(first + sdk::kConvGroups);
  if (groups >= 1 && groups <= int64_t{1} << 30) return groups;
  throw sdk::Failure{TENON_E_ATTRIBUTE, "groups must be at least 1", "groups", "1 to 2^30",
                     std::to_string(groups)};
}

// x and the weight by their own names: `x` and `weight` are operands or, in gradients, sizes that
// attributes and dy give.
inline sdk::Convolution checked_convolution(Sizes x, Sizes weight, const sdk::Attrs& attrs,
                                            uint32_t first, const char* x_name,
                                            const char* weight_name) {
  if (x.size() < 3 || x.size() > 2 + sdk::kMaxWindowRank) {
    refuse_shape(x_name,
                 std::string(x_name) + " must have images, channels and 1 to 3 dimensions more",
                 "[N,C,W], [N,C,H,W] or [N,C,D,H,W]", sdk::shape_text(x),
                 "a single image without a batch: reshape it to [1,C,...] first");
  }
  if (weight.size() != x.size()) {
    refuse_shape(
        weight_name, std::string(weight_name) + " must have as many dimensions as " + x_name,
        std::to_string(x.size()) + " dimensions, [O,C/groups,...]", sdk::shape_text(weight),
        "a single image without a batch: reshape it to [1,C,...] first");
  }
  const int64_t groups = checked_groups(attrs, first);
  if (x[1] % groups != 0 || weight[0] % groups != 0) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "groups must divide the channels of x and of the result",
                       "groups",
                       "a divisor of " + std::to_string(x[1]) + " and " + std::to_string(weight[0]),
                       std::to_string(groups)};
  }
  if (weight[1] != x[1] / groups) {
    refuse_shape(
        weight_name, std::string(weight_name) + " must have the channels of a group of " + x_name,
        "[O," + std::to_string(x[1] / groups) + ",...] for " + std::to_string(x[1]) +
            " channels in " + std::to_string(groups) + (groups == 1 ? " group" : " groups"),
        sdk::shape_text(weight));
  }
  if (std::ranges::find(weight.subspan(2), 0) != weight.end()) {
    refuse_shape(weight_name, "a window must have at least one place in each dimension",
                 "sizes of 1 or more", sdk::shape_text(weight));
  }
  return {x, weight, attrs, first};
}

// Before a gradient's other sizes are known: dy has windows, and `other` as many dimensions.
inline void need_windows(Sizes dy, Sizes other, const char* name, const char* expected) {
  if (dy.size() < 3) {
    refuse_shape("dy", "dy must have images, channels and 1 to 3 dimensions more",
                 "[N,O,W], [N,O,H,W] or [N,O,D,H,W]", sdk::shape_text(dy));
  }
  if (other.size() != dy.size()) {
    refuse_shape(name, std::string(name) + " must have as many dimensions as dy",
                 std::to_string(dy.size()) + " dimensions, " + expected, sdk::shape_text(other));
  }
}

// The shape [N,O,...] of the windows.
inline Dims windows_shape(const sdk::Convolution& conv) {
  Dims shape;
  shape.push(conv.images);
  shape.push(conv.groups * conv.out);
  for (size_t d = 0; d < conv.windows.rank(); ++d) shape.push(conv.windows[d].count);
  return shape;
}

// dy of the two gradients must be as y was.
inline void need_windows_shape(Sizes dy, const sdk::Convolution& conv) {
  const Dims shape = windows_shape(conv);
  if (std::ranges::equal(dy, shape.span())) return;
  refuse_shape("dy", "dy must have the shape of the convolution's result",
               sdk::shape_text(shape.span()), sdk::shape_text(dy));
}

// [a,b,rest...].
inline Dims joined(int64_t a, int64_t b, Sizes rest) {
  Dims shape;
  shape.push(a);
  shape.push(b);
  for (const int64_t size : rest) shape.push(size);
  return shape;
}

// A list attribute that is a shape: one size for each dimension that windows slide over.
inline Sizes need_sizes(const sdk::Args& args, uint32_t attr, const char* name, size_t rank) {
  const Sizes sizes = args.attrs.ints(attr);
  const bool all = sizes.size() == rank;
  if (all && std::ranges::all_of(sizes, [](int64_t size) { return size >= 0; })) {
    return checked_shape(sizes, name), sizes;
  }
  throw sdk::Failure{TENON_E_ATTRIBUTE,
                     std::string(name) + " must have one size for each dimension", name,
                     std::to_string(rank) + " sizes of 0 or more", sdk::shape_text(sizes)};
}

// ---- Attributes of the other two ops ------------------------------------------------------------

// For a call of another of the three: the same windows, the padding in numbers.
struct SameWindows {
  std::array<int64_t, 2 * sdk::kMaxWindowRank> pads;
  sdk::Value stride, padding, dilation, groups;

  SameWindows(const sdk::Convolution& conv, const sdk::Attrs& attrs, uint32_t first)
      : pads(conv.windows.pads()),
        stride(attrs[first + sdk::kConvStride]),
        padding(Sizes(pads.data(), 2 * conv.windows.rank())),
        dilation(attrs[first + sdk::kConvDilation]),
        groups(attrs[first + sdk::kConvGroups]) {}
  SameWindows(const SameWindows&) = delete;
  SameWindows& operator=(const SameWindows&) = delete;
};

inline tenon_tensor* conv(sdk::Calls& calls, sdk::Value x, sdk::Value weight,
                          const SameWindows& same) {
  return calls.call("tenon.conv", {x, weight},
                    {same.stride, same.padding, same.dilation, same.groups});
}
inline tenon_tensor* conv_input_grad(sdk::Calls& calls, sdk::Value dy, sdk::Value weight,
                                     Sizes image, const SameWindows& same) {
  return calls.call("tenon.conv_input_grad", {dy, weight},
                    {image, same.stride, same.padding, same.dilation, same.groups});
}
inline tenon_tensor* conv_weight_grad(sdk::Calls& calls, sdk::Value dy, sdk::Value x, Sizes kernel,
                                      const SameWindows& same) {
  return calls.call("tenon.conv_weight_grad", {dy, x},
                    {kernel, same.stride, same.padding, same.dilation, same.groups});
}

// The attributes of a call that a backward rule looks at.
template <size_t N>
std::array<tenon_value, N> attributes_of(sdk::Vjp& v) {
  std::array<tenon_value, N> values;
  for (uint32_t i = 0; i < N; ++i) values[i] = v.attr(i);
  return values;
}

// ---- Compositions: a product of matrices for each tap -------------------------------------------
//
// So that padding is never multiplied. Images are [N,G,C/g,...], windows [N,G,O/g,...] and the
// weight [G,O/g,C/g,taps].

// [N,G,channels,...] with size_of(d) along dimension d of the image.
template <class SizeOf>
Dims grouped(const sdk::Convolution& conv, int64_t channels, const SizeOf& size_of) {
  Dims shape = joined(conv.images, conv.groups, Sizes(&channels, 1));
  for (size_t d = 0; d < conv.windows.rank(); ++d) shape.push(size_of(d));
  return shape;
}

// One tap: where in the image the windows find it, and which of them do.
class Tap {
 public:
  Tap(const sdk::Convolution& conv, int64_t number) : conv_(&conv), number_(number) {
    for (size_t d = conv.windows.rank(); d-- > 0;) {
      const sdk::WindowAxis& axis = conv.windows[d];
      at_[d] = number % axis.taps;
      inside_[d] = axis.windows_inside(at_[d]);
      number /= axis.taps;
    }
  }
  int64_t number() const { return number_; }
  bool in_no_window() const {
    return std::any_of(inside_.begin(), inside_.begin() + rank(),
                       [](const sdk::Steps& steps) { return steps.count() == 0; });
  }
  // How many windows find it along each dimension.
  int64_t count() const {
    int64_t count = 1;
    for (size_t d = 0; d < conv_->windows.rank(); ++d) count *= inside_[d].count();
    return count;
  }

  // The image's elements at this tap, as [N,G,C/g,R].
  tenon_tensor* of_image(sdk::Compose& c, sdk::Value x) const {
    for (size_t d = 0; d < conv_->windows.rank(); ++d) {
      const sdk::WindowAxis& axis = conv_->windows[d];
      x = c.call("tenon.slice", {x},
                 {axis_of(d), axis.place(inside_[d].begin, at_[d]),
                  axis.place(inside_[d].end - 1, at_[d]) + 1, axis.stride});
    }
    return as_matrix(c, x, conv_->in);
  }
  // The windows that find it, as [N,G,O/g,R].
  tenon_tensor* of_windows(sdk::Compose& c, sdk::Value y) const {
    for (size_t d = 0; d < conv_->windows.rank(); ++d) {
      y = c.call("tenon.slice", {y}, {axis_of(d), inside_[d].begin, inside_[d].end});
    }
    return as_matrix(c, y, conv_->out);
  }
  // The weight's matrix [G,O/g,C/g] at this tap.
  tenon_tensor* of_weight(sdk::Compose& c, sdk::Value weight) const {
    tenon_tensor* one = c.call("tenon.slice", {weight}, {3, number_, number_ + 1});
    const std::array<int64_t, 3> shape = {conv_->groups, conv_->out, conv_->in};
    return reshape(c, one, Dims(shape));
  }

  // A product [N,G,O/g,R] at the windows that find it, 0 at all others: [N,G,O/g,...].
  tenon_tensor* into_windows(sdk::Compose& c, tenon_tensor* product) const {
    Dims pads, axes;
    for (size_t d = 0; d < conv_->windows.rank(); ++d) {
      axes.push(axis_of(d));
      pads.push(inside_[d].begin);
      pads.push(conv_->windows[d].count - inside_[d].end);
    }
    tenon_tensor* y = reshape(c, product, found(conv_->out));
    return c.call("tenon.pad", {y}, {pads.value(), axes.value()});
  }
  // A product [N,G,C/g,R] where the windows have this tap, 0 at all other places: [N,G,C/g,...].
  tenon_tensor* into_image(sdk::Compose& c, tenon_tensor* product) const {
    Dims shape = found(conv_->in);
    tenon_tensor* x = reshape(c, product, shape);
    for (size_t d = 0; d < conv_->windows.rank(); ++d) {
      const sdk::WindowAxis& axis = conv_->windows[d];
      shape[d + 3] = axis.size;
      x = c.call("tenon.slice_put", {x},
                 {shape.value(), axis_of(d), axis.place(inside_[d].begin, at_[d]), axis.stride});
    }
    return x;
  }

 private:
  std::ptrdiff_t rank() const { return static_cast<std::ptrdiff_t>(conv_->windows.rank()); }
  static int64_t axis_of(size_t d) { return static_cast<int64_t>(d) + 3; }
  // [N,G,channels,...] of the windows that find it.
  Dims found(int64_t channels) const {
    return grouped(*conv_, channels, [&](size_t d) { return inside_[d].count(); });
  }
  tenon_tensor* as_matrix(sdk::Compose& c, sdk::Value x, int64_t channels) const {
    Dims shape = joined(conv_->images, conv_->groups, Sizes(&channels, 1));
    shape.push(count());
    return reshape(c, x, shape);
  }

  const sdk::Convolution* conv_;
  int64_t number_;
  std::array<int64_t, sdk::kMaxWindowRank> at_{};
  std::array<sdk::Steps, sdk::kMaxWindowRank> inside_{};
};

// The operands of a composition as the taps need them.
inline tenon_tensor* grouped_image(sdk::Compose& c, sdk::Value x, const sdk::Convolution& conv) {
  return reshape(c, x, grouped(conv, conv.in, [&](size_t d) { return conv.windows[d].size; }));
}
inline tenon_tensor* grouped_windows(sdk::Compose& c, sdk::Value y, const sdk::Convolution& conv) {
  return reshape(c, y, grouped(conv, conv.out, [&](size_t d) { return conv.windows[d].count; }));
}
inline tenon_tensor* grouped_weight(sdk::Compose& c, sdk::Value weight,
                                    const sdk::Convolution& conv) {
  const std::array<int64_t, 4> shape = {conv.groups, conv.out, conv.in, conv.windows.taps()};
  return reshape(c, weight, Dims(shape));
}

// The sum of what `product(tap)` gives for each tap that a window has in the image, or zeros.
template <class Product>
tenon_tensor* sum_over_taps(sdk::Compose& c, const sdk::Convolution& conv, const Dims& shape,
                            tenon_dtype dtype, Product&& product) {
  tenon_tensor* sum = nullptr;
  for (int64_t number = 0; number < conv.windows.taps(); ++number) {
    const Tap tap(conv, number);
    if (tap.in_no_window()) continue;
    tenon_tensor* term = product(tap);
    sum = sum ? c.call("tenon.add", {sum, term}) : term;
  }
  if (!sum) return filled(c, shape, sdk::Value(0), dtype);
  // A sum of 0 is +0, as if padding had been added.
  return reshape(c, c.call("tenon.add", {sum, 0}), shape);
}

}  // namespace tenon::rules
