// SPDX-License-Identifier: Apache-2.0
// plugins/layers/max_pool.cc: max_pool, the greatest number of each window.
#include "window_options.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace layers = tenon::layers;

enum Option : uint32_t { kKernelSize, kStride, kPadding, kDilation, kCeilMode, kAutoPad };

void describe(sdk::Describe& d) {
  const auto kernel = layers::checked_kernel(d.options, kKernelSize);
  const sdk::WindowOptions given{.stride = d.options.ints(kStride),
                                 .padding = d.options.ints(kPadding),
                                 .dilation = d.options.ints(kDilation),
                                 .auto_pad = d.options.text(kAutoPad)};
  layers::check_windows(layers::rank_of_lists(kernel, given), kernel, given);
}

void forward(sdk::Forward& f) {
  const sdk::Value inputs[] = {f.in(0)};
  const sdk::Value attrs[] = {f.options[kKernelSize], f.options[kStride],   f.options[kPadding],
                              f.options[kDilation],   f.options[kCeilMode], f.options[kAutoPad]};
  tenon_tensor* outputs[2] = {};
  f.call_many("tenon.max_pool", inputs, attrs, outputs);
  f.set(0, outputs[0]);
}

constexpr tenon_layer_option options[] = {layers::kKernelOption,  layers::kPoolStrideOption,
                                          layers::kPaddingOption, layers::kDilationOption,
                                          layers::kCeilOption,    layers::kAutoPadOption};

constexpr tenon_layer_sample samples[] = {
    sdk::layer_sample("f64[1,2,4,3] | kernel_size=[2]"),
    sdk::layer_sample("f64[2,1,7] | kernel_size=[3], stride=[2], padding=[1]"),
    sdk::layer_sample("f64[1,1,3,4,2] | kernel_size=[2,3,1], stride=[1]"),
    sdk::layer_sample("f64[1,1,5,4] | kernel_size=[2], stride=[2], dilation=[2,1]"),
    sdk::layer_sample("f64[1,1,5,4] | kernel_size=[2,3], ceil_mode=true"),
    sdk::layer_sample("f64[1,2,5] | kernel_size=[2], auto_pad=\"same\""),
    sdk::layer_sample("bf16[1,2,4] | kernel_size=[2], padding=[0,1]"),
    sdk::layer_refused("f32[1,2,4,4]", TENON_E_ATTRIBUTE, "\"kernel_size\" is required"),
    sdk::layer_refused("f32[1,2,4,4] | kernel_size=[0]", TENON_E_ATTRIBUTE,
                       "kernel_size must be the sizes"),
    sdk::layer_refused("f32[1,2,4,4] | kernel_size=[2,2,2,2]", TENON_E_ATTRIBUTE,
                       "kernel_size must be the sizes"),
    sdk::layer_refused("f32[1,2,4,4] | kernel_size=[2], stride=[0]", TENON_E_ATTRIBUTE,
                       "stride is out of range"),
    sdk::layer_refused("f32[1,2,4,4] | kernel_size=[2,2], stride=[1,1,1]", TENON_E_ATTRIBUTE,
                       "wrong number"),
    sdk::layer_refused("f32[1,2,4,4] | kernel_size=[2], auto_pad=\"all\"", TENON_E_ATTRIBUTE,
                       "no such auto_pad"),
    sdk::layer_refused("f32[1,2,4] | kernel_size=[2,2]", TENON_E_ATTRIBUTE, "wrong number"),
    sdk::layer_refused("f32[1,2,1,4] | kernel_size=[2]", TENON_E_SHAPE, "does not fit"),
    sdk::layer_refused("f32[4,4] | kernel_size=[2]", TENON_E_SHAPE, "1 to 3 dimensions"),
};

constexpr tenon_layer_desc kLayers[] = {sdk::layer(
    {.name = "tenon.max_pool",
     .doc = R"(The greatest number of each window, for each channel: the op `tenon.max_pool`.

    x [N,C,W], [N,C,H,W] or [N,C,D,H,W] -> y [N,C,...]

Lists have 1 number for all dimensions or one for each: x says how many there are. As
`torch.nn.MaxPool1d`, `MaxPool2d` and `MaxPool3d`.)",
     .options = options,
     .samples = samples,
     .describe = sdk::describe_fn<describe>,
     .forward = sdk::forward_fn<forward>})};

}  // namespace

TENON_UNIT(max_pool) = {.layers = kLayers};
