// SPDX-License-Identifier: Apache-2.0
// plugins/layers/batch_norm.cc: batch_norm, mean 0 and variance 1 of each channel over the batch.
//
// With m and v mean and variance of a channel over all dimensions but the second, n numbers of it:
//
//   y = (x - m) / sqrt(v + eps) * weight + bias
//   running_mean = running_mean + momentum (m - running_mean)             in training
//   running_var = running_var + momentum (v n / (n - 1) - running_var)    in training
//
// In evaluation m and v are the running ones. Source: S. Ioffe, C. Szegedy, "Batch Normalization:
// Accelerating Deep Network Training by Reducing Internal Covariate Shift", 2015; as
// torch.nn.BatchNorm1d.
//
// Arithmetic: in f32 for 16-bit x, whose result is rounded once, else in the dtype of x; the ops
// in the order written.
#include "options.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace layers = tenon::layers;

enum Option : uint32_t { kFeatures, kEps, kMomentum, kAffine, kDtype };

void describe(sdk::Describe& d) {
  const int64_t features = d.size(kFeatures, "features");
  const double momentum = d.options.real(kMomentum);
  if (!(momentum >= 0 && momentum <= 1)) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "momentum is out of range", "momentum",
                       "0 <= momentum <= 1", std::to_string(momentum)};
  }
  const tenon_dtype dtype = d.options.dtype(kDtype);
  if (d.options.flag(kAffine)) {
    d.parameter("weight", {features}, sdk::constant(1), dtype);
    d.parameter("bias", {features}, sdk::constant(0), dtype);
  }
  // 16-bit numbers would lose what a small momentum adds.
  const tenon_dtype wide = layers::is_16_bit(dtype) ? TENON_DTYPE_F32 : dtype;
  d.buffer("running_mean", {features}, sdk::constant(0), wide);
  d.buffer("running_var", {features}, sdk::constant(1), wide);
}

// One call on its way: x in the dtype that is computed in, and where its channels are.
struct Pass {
  explicit Pass(sdk::Forward& forward) : f(forward), meta(f.meta(f.in(0).tensor())) {
    const int64_t features = f.options.integer(kFeatures);
    const std::span<const int64_t> shape(meta.shape, static_cast<size_t>(meta.rank));
    if (shape.size() < 2 || shape[1] != features) {
      throw sdk::Failure{TENON_E_SHAPE, "x must have its channels in the second dimension", "x",
                         "[N," + std::to_string(features) + ",...]", sdk::shape_text(shape)};
    }
    for (int32_t i = 0; i < meta.rank; ++i) {
      spread[i] = i == 1 ? features : 1;
      if (i == 1) continue;
      axes[n_axes++] = i;
      numbers *= shape[static_cast<size_t>(i)];
    }
    x = widened(f.in(0));
  }
  sdk::Value widened(sdk::Value value) {
    if (!layers::is_16_bit(f.meta(value.tensor()).dtype)) return value;
    return f.call("tenon.cast", {value}, {sdk::Value::dtype(TENON_DTYPE_F32)});
  }
  // [C] as [1,C,1,...], and back.
  sdk::Value along(sdk::Value value) {
    const std::span<const int64_t> shape(spread, static_cast<size_t>(meta.rank));
    return f.call("tenon.reshape", {value}, {shape});
  }
  sdk::Value flat(sdk::Value value) {
    return f.call("tenon.reshape", {value}, {std::span<const int64_t>(&spread[1], 1)});
  }
  std::span<const int64_t> others() const { return {axes, n_axes}; }

  sdk::Forward& f;
  tenon_meta meta;
  int64_t spread[TENON_MAX_RANK] = {};
  int64_t axes[TENON_MAX_RANK] = {};
  size_t n_axes = 0;
  int64_t numbers = 1;  // of each channel
  sdk::Value x;
};

struct Moments {
  sdk::Value mean, variance;  // [1,C,1,...]
};

void follow(sdk::Forward& f, std::string_view buffer, sdk::Value value) {
  f.set_buffer(buffer, f.call("tenon.lerp", {f.tensor(buffer), value, f.options.real(kMomentum)}));
}

Moments of_batch(Pass& pass) {
  sdk::Forward& f = pass.f;
  if (pass.numbers < 2) {
    throw sdk::Failure{TENON_E_SHAPE, "training needs more than one number of each channel", "x",
                       "at least 2", std::to_string(pass.numbers)};
  }
  const Moments made{f.call("tenon.mean", {pass.x}, {pass.others(), true}),
                     f.call("tenon.var", {pass.x}, {pass.others(), true, 0.0})};
  const auto n = static_cast<double>(pass.numbers);
  follow(f, "running_mean", pass.flat(made.mean));
  follow(f, "running_var", f.call("tenon.mul", {pass.flat(made.variance), n / (n - 1)}));
  return made;
}

void forward(sdk::Forward& f) {
  Pass pass(f);
  const Moments moments = f.training ? of_batch(pass)
                                     : Moments{pass.along(f.tensor("running_mean")),
                                               pass.along(f.tensor("running_var"))};
  const sdk::Value scale =
      f.call("tenon.rsqrt", {f.call("tenon.add", {moments.variance, f.options.real(kEps)})});
  sdk::Value y = f.call("tenon.mul", {f.call("tenon.sub", {pass.x, moments.mean}), scale});
  if (f.options.flag(kAffine)) {
    y = f.call("tenon.mul", {y, pass.along(pass.widened(f.tensor("weight")))});
    y = f.call("tenon.add", {y, pass.along(pass.widened(f.tensor("bias")))});
  }
  if (layers::is_16_bit(pass.meta.dtype)) {
    y = f.call("tenon.cast", {y}, {sdk::Value::dtype(pass.meta.dtype)});
  }
  f.set(0, y);
}

constexpr tenon_layer_option options[] = {
    sdk::required_option("features", TENON_VALUE_I64, "channels: size of the second dimension"),
    sdk::option("eps", 1e-5, "added to the variance"),
    sdk::option("momentum", 0.1, "share of a batch in the running statistics"),
    sdk::option("affine", true, "are there a weight and a bias?"), layers::kDtypeOption};

constexpr tenon_layer_sample samples[] = {
    sdk::layer_sample("f64[4,3] | features=3, dtype=f64"),
    sdk::layer_sample("f64[2,3,4] | features=3, momentum=0.5, dtype=f64"),
    sdk::layer_sample("f64[2,2,2,3] | features=2, affine=false, eps=0.1, dtype=f64"),
    sdk::layer_sample("bf16[3,2] | features=2, dtype=bf16"),
    sdk::layer_refused("f32[4,3] | features=0", TENON_E_ATTRIBUTE, "features must be at least 1"),
    sdk::layer_refused("f32[4,3] | features=3, momentum=-0.5", TENON_E_ATTRIBUTE,
                       "momentum is out of range"),
    sdk::layer_refused("f32[4,2] | features=3", TENON_E_SHAPE, "channels in the second dimension"),
    sdk::layer_refused("f32[3] | features=3", TENON_E_SHAPE, "channels in the second dimension"),
    sdk::layer_refused("f32[1,3] | features=3", TENON_E_SHAPE, "more than one number"),
};

constexpr tenon_layer_desc kLayers[] = {sdk::layer(
    {.name = "tenon.batch_norm",
     .doc = R"(Mean 0 and variance 1 of each channel over all other dimensions of the batch, then
a weight (1 at first) and a bias (0 at first):

    x [N,C,...]:  y = (x - m) / sqrt(v + eps) * weight + bias

In training `m` and `v` are those of the batch, and the buffers `running_mean` and `running_var`
(of the unbiased variance) take `momentum` of them; in evaluation they are the buffers. Buffers of
a 16-bit layer are f32.

Source: Ioffe, Szegedy, "Batch Normalization", 2015, in the form of `torch.nn.BatchNorm1d`, which
takes x of 3 dimensions and more as well here. Arithmetic: f32 for 16-bit x.)",
     .options = options,
     .samples = samples,
     .describe = sdk::describe_fn<describe>,
     .forward = sdk::forward_fn<forward>})};

}  // namespace

TENON_UNIT(batch_norm) = {.layers = kLayers};
