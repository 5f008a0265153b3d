// SPDX-License-Identifier: Apache-2.0
// plugins/layers/group_norm.cc: group_norm, mean 0 and variance 1 of each group of channels.
#include "channels.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace layers = tenon::layers;

enum Option : uint32_t { kGroups, kChannels, kEps, kAffine, kDtype };

void describe(sdk::Describe& d) {
  const int64_t groups = d.size(kGroups, "groups");
  const int64_t channels = d.size(kChannels, "channels");
  if (channels % groups != 0) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, "groups must divide channels", "groups",
                       "a divisor of " + std::to_string(channels), std::to_string(groups)};
  }
  if (!d.options.flag(kAffine)) return;
  d.parameter("weight", {channels}, sdk::constant(1), d.options.dtype(kDtype));
  d.parameter("bias", {channels}, sdk::constant(0), d.options.dtype(kDtype));
}

void forward(sdk::Forward& f) {
  layers::need_channels(f, f.options.integer(kChannels));
  f.set(0, f.call("tenon.group_norm", {f.in(0), f.tensor("weight"), f.tensor("bias")},
                  {f.options[kGroups], f.options[kEps]}));
}

constexpr tenon_layer_option options[] = {
    sdk::required_option("groups", TENON_VALUE_I64, "of channels that lie side by side"),
    sdk::required_option("channels", TENON_VALUE_I64, "size of the second dimension of x"),
    sdk::option("eps", 1e-5, "added to the variance"),
    sdk::option("affine", true, "are there a weight and a bias?"), layers::kDtypeOption};

constexpr tenon_layer_sample samples[] = {
    sdk::layer_sample("f64[2,4,3] | groups=2, channels=4, dtype=f64"),
    sdk::layer_sample("f64[2,3,2,2] | groups=1, channels=3, dtype=f64"),
    sdk::layer_sample("f64[1,2,2,1,3] | groups=2, channels=2, affine=false, eps=0.1, dtype=f64"),
    sdk::layer_sample("f64[3,4] | groups=2, channels=4, dtype=f64"),
    sdk::layer_sample("bf16[2,4,3] | groups=2, channels=4, dtype=bf16"),
    sdk::layer_refused("f32[2,4,3] | groups=2", TENON_E_ATTRIBUTE, "\"channels\" is required"),
    sdk::layer_refused("f32[2,4,3] | groups=0, channels=4", TENON_E_ATTRIBUTE,
                       "groups must be at least 1"),
    sdk::layer_refused("f32[2,4,3] | groups=1, channels=0", TENON_E_ATTRIBUTE,
                       "channels must be at least 1"),
    sdk::layer_refused("f32[2,4,3] | groups=3, channels=4", TENON_E_ATTRIBUTE,
                       "groups must divide channels"),
    sdk::layer_refused("f32[2,4,3] | groups=2, channels=2, affine=false", TENON_E_SHAPE,
                       "channels in the second dimension"),
    sdk::layer_refused("f32[4] | groups=2, channels=4", TENON_E_SHAPE,
                       "channels in the second dimension"),
};

constexpr tenon_layer_desc kLayers[] = {sdk::layer(
    {.name = "tenon.group_norm",
     .doc = R"(Mean 0 and variance 1 of each group of channels of each sample, then a weight (1 at
first) and a bias (0 at first) for each channel: the op `tenon.group_norm`, the same in training and
in evaluation.

    x [N,channels,...] -> y of the same shape

Source: Wu, He, "Group Normalization", 2018; as `torch.nn.GroupNorm`.)",
     .options = options,
     .samples = samples,
     .describe = sdk::describe_fn<describe>,
     .forward = sdk::forward_fn<forward>})};

}  // namespace

TENON_UNIT(group_norm) = {.layers = kLayers};
