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
// Arithmetic: that of tenon.batch_norm; the running statistics by the ops in the order written.
#include "channels.hpp"

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

void follow(sdk::Forward& f, std::string_view buffer, sdk::Value value) {
  f.set_buffer(buffer, f.call("tenon.lerp", {f.tensor(buffer), value, f.options.real(kMomentum)}));
}

// Mean and variance of each channel of x, in f64: what the op gives of them is f32.
void set_exact_statistics(sdk::Forward& f, std::span<const int64_t> shape, tenon_tensor** moments) {
  int64_t axes[TENON_MAX_RANK] = {};
  size_t n_axes = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i != 1) axes[n_axes++] = static_cast<int64_t>(i);
  }
  const std::span<const int64_t> others(axes, n_axes);
  moments[0] = f.call("tenon.mean", {f.in(0)}, {others});
  moments[1] = f.call("tenon.var", {f.in(0)}, {others, false, 0.0});
}

void forward(sdk::Forward& f) {
  const int64_t features = f.options.integer(kFeatures);
  layers::need_channels(f, features);
  const tenon_meta meta = f.meta(f.in(0).tensor());
  const std::span<const int64_t> shape = layers::shape_of(meta);
  const bool affine = f.options.flag(kAffine);
  const sdk::Value none;
  const sdk::Value inputs[] = {
      f.in(0), affine ? f.tensor("weight") : none, affine ? f.tensor("bias") : none,
      f.training ? none : f.tensor("running_mean"), f.training ? none : f.tensor("running_var")};
  const sdk::Value attrs[] = {f.options.real(kEps)};
  tenon_tensor* results[3] = {};  // y, mean, variance
  f.call_many("tenon.batch_norm", inputs, attrs, std::span(results, f.training ? 3 : 1));
  f.set(0, results[0]);
  if (!f.training) return;
  if (meta.dtype == TENON_DTYPE_F64) set_exact_statistics(f, shape, results + 1);
  const auto n = static_cast<double>(sdk::count_of(shape)) / static_cast<double>(features);
  follow(f, "running_mean", results[1]);
  follow(f, "running_var", f.call("tenon.mul", {results[2], n / (n - 1)}));
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
takes x of 3 dimensions and more as well here. Arithmetic: that of the op `tenon.batch_norm`.)",
     .options = options,
     .samples = samples,
     .describe = sdk::describe_fn<describe>,
     .forward = sdk::forward_fn<forward>})};

}  // namespace

TENON_UNIT(batch_norm) = {.layers = kLayers};
