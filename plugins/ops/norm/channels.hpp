// SPDX-License-Identifier: Apache-2.0
// plugins/ops/norm/channels.hpp: what the ops share that normalise the channels of x [N,C,...].
#pragma once

#include "channel_axes.hpp"
#include "norm/rows.hpp"

namespace tenon::rules {

// The sizes of x [N,C,...], which is operand `input`.
inline std::span<const int64_t> channels_shape(const sdk::Args& args, uint32_t input) {
  const std::span<const int64_t> shape = args.shape(input);
  if (shape.size() >= 2) return shape;
  throw sdk::Failure{TENON_E_SHAPE, "x must have its channels in the second dimension", "x",
                     "[N,C,...]", sdk::shape_text(shape)};
}

// An operand that may be absent and else has a number for each channel.
inline void need_channels(const sdk::Args& args, uint32_t input, const char* operand,
                          int64_t channels) {
  const std::span<const int64_t> each(&channels, 1);
  if (!args.given(input) || std::ranges::equal(args.shape(input), each)) return;
  throw sdk::Failure{TENON_E_SHAPE, std::string(operand) + " must have a number for each channel",
                     operand, sdk::shape_text(each), sdk::shape_text(args.shape(input))};
}

// The operands that both batch_norm and its gradient have, from `first` on: x, weight, and then
// mean and variance from `moments` on.
inline void need_batch(const sdk::Args& args, uint32_t first, uint32_t moments) {
  const std::span<const int64_t> shape = channels_shape(args, first);
  need_channels(args, first + 1, "weight", shape[1]);
  need_channels(args, moments, "mean", shape[1]);
  need_channels(args, moments + 1, "variance", shape[1]);
  if (args.given(moments) != args.given(moments + 1)) {
    throw sdk::Failure{TENON_E_ARGUMENT,
                       "mean and variance go together",
                       args.given(moments) ? "variance" : "mean",
                       "both of them, or neither",
                       "one of them",
                       "without both, those of x itself are taken"};
  }
  if (args.given(moments)) return;
  int64_t numbers = 1;
  for (size_t i = 0; i < shape.size(); ++i) numbers *= i == 1 ? 1 : shape[i];
  if (numbers >= 2) return;
  throw sdk::Failure{TENON_E_SHAPE,
                     "training needs more than one number of each channel",
                     "x",
                     "at least 2 of each channel",
                     std::to_string(numbers) + " in " + sdk::shape_text(shape),
                     "give mean and variance to normalise by known statistics"};
}

// x of a composition and its statistics: x - mean, and 1 / sqrt(variance + eps).
struct Centred {
  sdk::Value mean, apart, variance, scale;
};

// A composition's operands, where x is operand `x`, and mean and variance are `moments` and the
// next: 16-bit floats as f32, all as f64 where one is; a number for each channel as [C,1,...].
class ChannelNorm {
 public:
  ChannelNorm(sdk::Compose& calls, uint32_t x)
      : calls_(calls),
        meta_(calls.meta(calls.in(x).tensor())),
        computed_(meta_.dtype == TENON_DTYPE_F64 ? TENON_DTYPE_F64 : TENON_DTYPE_F32),
        axes_(beside_channels(shape_of(meta_).size())) {
    for (const int64_t axis : axes_.span()) numbers_ *= meta_.shape[axis];
    column_.push(meta_.shape[1]);
    for (int32_t i = 2; i < meta_.rank; ++i) column_.push(1);
  }

  ChannelNorm(sdk::Compose& calls, uint32_t x, uint32_t moments) : ChannelNorm(calls, x) {
    moments_ = moments;
    const sdk::Value mean = calls.in(moments);
    is_given_ = !mean.is_none();
    if (is_given_ && calls.meta(mean.tensor()).dtype == TENON_DTYPE_F64) {
      computed_ = TENON_DTYPE_F64;
    }
  }

  // Are mean and variance?
  bool is_given() const { return is_given_; }
  sdk::Value in(uint32_t input) { return as(calls_, calls_.in(input), computed_); }
  // An operand with a number for each channel, or none.
  sdk::Value column(uint32_t input) {
    if (calls_.in(input).is_none()) return {};
    return reshape(calls_, in(input), column_);
  }
  sdk::Value sum(sdk::Value x) {
    return reshape(calls_, calls_.call("tenon.sum", {x}, {axes_.value()}), column_);
  }
  sdk::Value mean(sdk::Value x) { return averaged(sum(x)); }
  // A sum over a channel, by how many numbers it has.
  sdk::Value averaged(sdk::Value total) {
    return calls_.call("tenon.div", {total, static_cast<double>(numbers_)});
  }
  // x - mean(x). The mean is rounded, so what is left of it is taken off once more.
  sdk::Value centred(sdk::Value x) {
    for (int pass = 0; pass < 2; ++pass) x = calls_.call("tenon.sub", {x, mean(x)});
    return x;
  }
  // By the given mean and variance, or those of x.
  Centred by_statistics(sdk::Value x, double eps) {
    Centred known;
    known.mean = is_given_ ? column(moments_) : mean(x);
    known.apart = is_given_ ? sdk::Value(calls_.call("tenon.sub", {x, known.mean})) : centred(x);
    known.variance = is_given_ ? column(moments_ + 1)
                               : mean(calls_.call("tenon.mul", {known.apart, known.apart}));
    const sdk::Value shifted = calls_.call("tenon.add", {known.variance, eps});
    known.scale = calls_.call("tenon.div", {1.0, calls_.call("tenon.sqrt", {shifted})});
    return known;
  }
  // x times y, or just x where there is no y.
  sdk::Value times(sdk::Value x, sdk::Value y) {
    return y.is_none() ? x : sdk::Value(calls_.call("tenon.mul", {x, y}));
  }

  void set(uint32_t output, sdk::Value y) { calls_.set(output, as(calls_, y, meta_.dtype)); }
  void set_column(uint32_t output, sdk::Value y, tenon_dtype dtype) {
    const Dims line(std::span<const int64_t>(&meta_.shape[1], 1));
    calls_.set(output, as(calls_, reshape(calls_, y, line), dtype));
  }
  tenon_dtype dtype() const { return meta_.dtype; }

 private:
  sdk::Compose& calls_;
  tenon_meta meta_;
  tenon_dtype computed_;
  Dims axes_;    // all but that of the channels
  Dims column_;  // [C,1,...]
  int64_t numbers_ = 1;
  uint32_t moments_ = 0;
  bool is_given_ = false;
};

}  // namespace tenon::rules
