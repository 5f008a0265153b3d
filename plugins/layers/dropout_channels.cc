// SPDX-License-Identifier: Apache-2.0
// plugins/layers/dropout_channels.cc: dropout_channels, zeros in whole channels in training.
//
//   y[n,c,...] = u(n,c) >= p ? x[n,c,...] / (1 - p) : 0
//
// Source: J. Tompson and others, "Efficient Object Localization Using Convolutional Networks",
// 2015; torch.nn.Dropout2d. Neighbouring numbers of an image are alike, so that leaving out one by
// one leaves out nothing.
#include "options.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace layers = tenon::layers;

enum Option : uint32_t { kP };

void describe(sdk::Describe& d) { layers::need_probability(d.options.real(kP), "p"); }

// bool [N,C,1,...]
sdk::Value draw_kept(sdk::Forward& f, const tenon_meta& meta) {
  if (meta.rank < 2) {
    throw sdk::Failure{TENON_E_SHAPE, "x must have its channels in the second dimension", "x",
                       "[N,C,...]", sdk::shape_text(layers::shape_of(meta))};
  }
  int64_t channels[TENON_MAX_RANK];
  for (int32_t i = 0; i < meta.rank; ++i) channels[i] = i < 2 ? meta.shape[i] : 1;
  const std::span<const int64_t> shape(channels, static_cast<size_t>(meta.rank));
  const sdk::Value drawn =
      f.call("tenon.uniform", {}, {shape, 0.0, 1.0, sdk::Value::dtype(TENON_DTYPE_F32)});
  return f.call("tenon.ge", {drawn, f.options.real(kP)});
}

// The factor would lose digits as a 16-bit float. If all is left out it is 0, lest the gradient
// become infinity times 0.
sdk::Value scaled(sdk::Forward& f, sdk::Value x, tenon_dtype dtype) {
  const double p = f.options.real(kP);
  const double factor = p < 1 ? 1 / (1 - p) : 0.0;
  if (!layers::is_16_bit(dtype)) return f.call("tenon.mul", {x, factor});
  const sdk::Value wide = f.call("tenon.cast", {x}, {sdk::Value::dtype(TENON_DTYPE_F32)});
  return f.call("tenon.cast", {f.call("tenon.mul", {wide, factor})}, {sdk::Value::dtype(dtype)});
}

void forward(sdk::Forward& f) {
  if (!f.training) {
    f.set(0, f.in(0));
    return;
  }
  const tenon_meta meta = f.meta(f.in(0).tensor());
  const sdk::Value kept = draw_kept(f, meta);
  f.set(0, f.call("tenon.where", {kept, scaled(f, f.in(0), meta.dtype), 0}));
}

constexpr tenon_layer_option options[] = {
    sdk::option("p", 0.5, "probability that a channel becomes 0")};

constexpr tenon_layer_sample samples[] = {
    sdk::layer_sample("f64[3,4,2]"),
    sdk::layer_sample("f64[2,3,2,2] | p=0.25"),
    sdk::layer_sample("f64[4,3] | p=0.0"),
    sdk::layer_sample("f64[2,3,1,2,1] | p=1"),
    sdk::layer_sample("bf16[3,2,4] | p=0.25"),
    sdk::layer_refused("f32[2,3,4] | p=-0.5", TENON_E_ATTRIBUTE, "not a probability"),
    sdk::layer_refused("f32[2,3,4] | p=nan", TENON_E_ATTRIBUTE, "not a probability"),
    sdk::layer_refused("f32[4]", TENON_E_SHAPE, "channels in the second dimension"),
};

constexpr tenon_layer_desc kLayers[] = {sdk::layer(
    {.name = "tenon.dropout_channels",
     .doc = R"(In training whole channels of samples become 0 with probability `p`, and the others
are divided by `1 - p`. In evaluation `y` is `x` itself.

    x [N,C,...] -> y of the same shape: y[n,c,...] = u(n,c) >= p ? x[n,c,...] * s : 0

`s` is `1 / (1 - p)`, `u` as in an f32 `tenon.uniform` of shape [N,C,1,...]. What is left out is an
exact zero, whatever `x` holds there.

Source: Tompson and others, "Efficient Object Localization Using Convolutional Networks", 2015; as
`torch.nn.Dropout1d`, `Dropout2d` and `Dropout3d`. Arithmetic: one product, in f32 for 16-bit x.)",
     .options = options,
     .samples = samples,
     .describe = sdk::describe_fn<describe>,
     .forward = sdk::forward_fn<forward>})};

}  // namespace

TENON_UNIT(dropout_channels) = {.layers = kLayers};
