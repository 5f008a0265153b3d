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
#include "batch_norm.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace layers = tenon::layers;

// Mean and variance of each channel of x, in f64: what the op gives of them is f32.
void set_exact_statistics(sdk::Forward& f, size_t rank, tenon_tensor** moments) {
  const layers::BatchAxes axes(rank);
  moments[0] = f.call("tenon.mean", {f.in(0)}, {axes.list()});
  moments[1] = f.call("tenon.var", {f.in(0)}, {axes.list(), false, 0.0});
}

void forward(sdk::Forward& f) {
  const int64_t features = f.options.integer(layers::kFeatures);
  layers::need_channels(f, features);
  const tenon_meta meta = f.meta(f.in(0).tensor());
  const std::span<const int64_t> shape = layers::shape_of(meta);
  tenon_tensor* results[3] = {};  // y, mean, variance
  layers::call_batch_norm(f, std::span(results, f.training ? 3 : 1));
  f.set(0, results[0]);
  if (!f.training) return;
  if (meta.dtype == TENON_DTYPE_F64) set_exact_statistics(f, shape.size(), results + 1);
  const auto n = static_cast<double>(sdk::count_of(shape)) / static_cast<double>(features);
  layers::follow(f, "running_mean", results[1]);
  layers::follow(f, "running_var", f.call("tenon.mul", {results[2], n / (n - 1)}));
}

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
     .options = layers::kBatchNormOptions,
     .samples = samples,
     .describe = sdk::describe_fn<layers::describe_batch_norm>,
     .forward = sdk::forward_fn<forward>})};

}  // namespace

TENON_UNIT(batch_norm) = {.layers = kLayers};
