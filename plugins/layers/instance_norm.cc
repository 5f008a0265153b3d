// SPDX-License-Identifier: Apache-2.0
// plugins/layers/instance_norm.cc: instance_norm, mean 0 and variance 1 of each channel of a
// sample.
#include "channels.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace layers = tenon::layers;

enum Option : uint32_t { kChannels, kEps, kAffine, kDtype };

void describe(sdk::Describe& d) {
  const int64_t channels = d.size(kChannels, "channels");
  if (!d.options.flag(kAffine)) return;
  d.parameter("weight", {channels}, sdk::constant(1), d.options.dtype(kDtype));
  d.parameter("bias", {channels}, sdk::constant(0), d.options.dtype(kDtype));
}

void forward(sdk::Forward& f) {
  layers::need_channels(f, f.options.integer(kChannels));
  f.set(0, f.call("tenon.instance_norm", {f.in(0), f.tensor("weight"), f.tensor("bias")},
                  {f.options[kEps]}));
}

constexpr tenon_layer_option options[] = {
    sdk::required_option("channels", TENON_VALUE_I64, "size of the second dimension of x"),
    sdk::option("eps", 1e-5, "added to the variance"),
    sdk::option("affine", false, "are there a weight and a bias?"), layers::kDtypeOption};

constexpr tenon_layer_sample samples[] = {
    sdk::layer_sample("f64[2,3,4] | channels=3"),
    sdk::layer_sample("f64[2,3,2,2] | channels=3, affine=true, dtype=f64"),
    sdk::layer_sample("f64[1,2,2,1,3] | channels=2, eps=0.1"),
    sdk::layer_sample("bf16[2,2,5] | channels=2, affine=true, dtype=bf16"),
    sdk::layer_refused("f32[2,3,4]", TENON_E_ATTRIBUTE, "\"channels\" is required"),
    sdk::layer_refused("f32[2,3,4] | channels=0", TENON_E_ATTRIBUTE, "channels must be at least 1"),
    sdk::layer_refused("f32[2,3,4] | channels=4", TENON_E_SHAPE,
                       "channels in the second dimension"),
    sdk::layer_refused("f32[3] | channels=3", TENON_E_SHAPE, "channels in the second dimension"),
};

constexpr tenon_layer_desc kLayers[] = {sdk::layer(
    {.name = "tenon.instance_norm",
     .doc =
         R"(Mean 0 and variance 1 of each channel of each sample, and with `affine` a weight (1 at
first) and a bias (0 at first) for each channel: the op `tenon.instance_norm`, the same in training
and in evaluation.

    x [N,channels,...] -> y of the same shape

Source: Ulyanov, Vedaldi, Lempitsky, "Instance Normalization: The Missing Ingredient for Fast
Stylization", 2016; as `torch.nn.InstanceNorm2d` without running statistics, its default.)",
     .options = options,
     .samples = samples,
     .describe = sdk::describe_fn<describe>,
     .forward = sdk::forward_fn<forward>})};

}  // namespace

TENON_UNIT(instance_norm) = {.layers = kLayers};
