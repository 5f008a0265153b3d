// SPDX-License-Identifier: Apache-2.0
// plugins/layers/adaptive_avg_pool.cc: adaptive_avg_pool, means of as many windows as are wanted.
#include "window_options.hpp"

namespace {

namespace sdk = tenon::sdk;

enum Option : uint32_t { kOutputSize };

void describe(sdk::Describe& d) {
  const std::span<const int64_t> sizes = d.options.ints(kOutputSize);
  bool fits = !sizes.empty() && sizes.size() <= sdk::kMaxWindowRank;
  for (const int64_t size : sizes) fits = fits && size >= 1;
  if (fits) return;
  throw sdk::Failure{TENON_E_ATTRIBUTE, "output_size must say how many windows there are",
                     "output_size", "1 to 3 numbers, each at least 1", sdk::shape_text(sizes)};
}

void forward(sdk::Forward& f) {
  f.set(0, f.call("tenon.adaptive_avg_pool", {f.in(0)}, {f.options[kOutputSize]}));
}

constexpr tenon_layer_option options[] = {sdk::required_option(
    "output_size", TENON_VALUE_INT_LIST,
    "windows along each dimension: [1] is one for the whole image, [4,2] is 4 by 2")};

constexpr tenon_layer_sample samples[] = {
    sdk::layer_sample("f64[2,3,4,5] | output_size=[1]"),
    sdk::layer_sample("f64[1,2,5,3] | output_size=[3,2]"),
    sdk::layer_sample("f64[1,2,7] | output_size=[3]"),
    sdk::layer_sample("f64[1,1,3,4,2] | output_size=[2,3,1]"),
    sdk::layer_sample("bf16[1,2,4,4] | output_size=[2]"),
    sdk::layer_refused("f32[1,2,4,4]", TENON_E_ATTRIBUTE, "\"output_size\" is required"),
    sdk::layer_refused("f32[1,2,4,4] | output_size=[]", TENON_E_ATTRIBUTE,
                       "output_size must say how many"),
    sdk::layer_refused("f32[1,2,4,4] | output_size=[0]", TENON_E_ATTRIBUTE,
                       "output_size must say how many"),
};

constexpr tenon_layer_desc kLayers[] = {sdk::layer(
    {.name = "tenon.adaptive_avg_pool",
     .doc = R"(The image cut into `output_size` windows, and the mean of each, for each channel: the
op `tenon.adaptive_avg_pool`. With [1] the mean of the whole image, before the last layers of a
classifier.

    x [N,C,W], [N,C,H,W] or [N,C,D,H,W] -> y [N,C,...output_size]

As `torch.nn.AdaptiveAvgPool1d`, `AdaptiveAvgPool2d` and `AdaptiveAvgPool3d`.)",
     .options = options,
     .samples = samples,
     .describe = sdk::describe_fn<describe>,
     .forward = sdk::forward_fn<forward>})};

}  // namespace

TENON_UNIT(adaptive_avg_pool) = {.layers = kLayers};
