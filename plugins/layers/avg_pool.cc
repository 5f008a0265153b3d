// SPDX-License-Identifier: Apache-2.0
// plugins/layers/avg_pool.cc: avg_pool, the mean of each window.
#include "window_options.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace layers = tenon::layers;

enum Option : uint32_t { kKernelSize, kStride, kPadding, kCeilMode, kCountIncludePad, kAutoPad };

void describe(sdk::Describe& d) {
  const auto kernel = layers::checked_kernel(d.options, kKernelSize);
  const sdk::WindowOptions given{.stride = d.options.ints(kStride),
                                 .padding = d.options.ints(kPadding),
                                 .dilation = layers::kOne,
                                 .auto_pad = d.options.text(kAutoPad)};
  layers::check_windows(layers::rank_of_lists(kernel, given), kernel, given);
}

void forward(sdk::Forward& f) {
  f.set(0, f.call("tenon.avg_pool", {f.in(0)},
                  {f.options[kKernelSize], f.options[kStride], f.options[kPadding],
                   f.options[kCeilMode], f.options[kCountIncludePad], f.options[kAutoPad]}));
}

constexpr tenon_layer_option options[] = {
    layers::kKernelOption,
    layers::kPoolStrideOption,
    layers::kPaddingOption,
    layers::kCeilOption,
    sdk::option("count_include_pad", true, "do places of the padding count as zeros?"),
    layers::kAutoPadOption};

constexpr tenon_layer_sample samples[] = {
    sdk::layer_sample("f64[1,2,4,3] | kernel_size=[2]"),
    sdk::layer_sample("f64[2,1,7] | kernel_size=[3], stride=[2], padding=[1]"),
    sdk::layer_sample("f64[1,1,3,4,2] | kernel_size=[2,3,1], stride=[1]"),
    sdk::layer_sample("f64[1,1,5,4] | kernel_size=[2,3], padding=[1], count_include_pad=false"),
    sdk::layer_sample("f64[1,1,5,4] | kernel_size=[2,3], ceil_mode=true"),
    sdk::layer_sample("f64[1,2,5] | kernel_size=[2], auto_pad=\"same\""),
    sdk::layer_sample("bf16[1,2,4] | kernel_size=[2], padding=[0,1]"),
    sdk::layer_refused("f32[1,2,4,4]", TENON_E_ATTRIBUTE, "\"kernel_size\" is required"),
    sdk::layer_refused("f32[1,2,4,4] | kernel_size=[0]", TENON_E_ATTRIBUTE,
                       "kernel_size must be the sizes"),
    sdk::layer_refused("f32[1,2,4,4] | kernel_size=[2], stride=[0]", TENON_E_ATTRIBUTE,
                       "stride is out of range"),
    sdk::layer_refused("f32[1,2,4,4] | kernel_size=[2], padding=[-1]", TENON_E_ATTRIBUTE,
                       "padding is out of range"),
    sdk::layer_refused("f32[1,2,4] | kernel_size=[2,2]", TENON_E_ATTRIBUTE, "wrong number"),
    sdk::layer_refused("f32[1,2,1,4] | kernel_size=[2]", TENON_E_SHAPE, "does not fit"),
    sdk::layer_refused("f32[4,4] | kernel_size=[2]", TENON_E_SHAPE, "1 to 3 dimensions"),
};

constexpr tenon_layer_desc kLayers[] = {
    sdk::layer({.name = "tenon.avg_pool",
                .doc = R"(The mean of each window, for each channel: the op `tenon.avg_pool`.

    x [N,C,W], [N,C,H,W] or [N,C,D,H,W] -> y [N,C,...]

Lists have 1 number for all dimensions or one for each: x says how many there are. As
`torch.nn.AvgPool1d`, `AvgPool2d` and `AvgPool3d`.)",
                .options = options,
                .samples = samples,
                .describe = sdk::describe_fn<describe>,
                .forward = sdk::forward_fn<forward>})};

}  // namespace

TENON_UNIT(avg_pool) = {.layers = kLayers};
