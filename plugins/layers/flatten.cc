// SPDX-License-Identifier: Apache-2.0
// plugins/layers/flatten.cc: flatten, neighbouring dimensions as one, all but the first by default.
#include <tenon/sdk/plugin/layer.hpp>

namespace {

namespace sdk = tenon::sdk;

enum Option : uint32_t { kStartAxis, kEndAxis };

void describe(sdk::Describe&) {}

void forward(sdk::Forward& f) {
  f.set(0, f.call("tenon.flatten", {f.in(0)}, {f.options[kStartAxis], f.options[kEndAxis]}));
}

constexpr tenon_layer_option options[] = {
    sdk::option("start_axis", 1, "the first dimension that is merged; negative: from the end"),
    sdk::option("end_axis", -1, "the last one; negative: from the end")};

constexpr tenon_layer_sample samples[] = {
    sdk::layer_sample("f64[2,3,2]"),
    sdk::layer_sample("f64[2,3]"),
    sdk::layer_sample("f64[2,1,3,2] | start_axis=-3, end_axis=2"),
    sdk::layer_sample("f32[2,3,2] | start_axis=0"),
    sdk::layer_sample("i64[0,3,2]"),
    sdk::layer_refused("f32[4]", TENON_E_ATTRIBUTE, "start_axis is out of range"),
    sdk::layer_refused("f32[2,3,2] | end_axis=3", TENON_E_ATTRIBUTE, "end_axis is out of range"),
    sdk::layer_refused("f32[2,3,2] | start_axis=2, end_axis=1", TENON_E_ATTRIBUTE,
                       "comes after end_axis"),
};

constexpr tenon_layer_desc kLayers[] = {sdk::layer(
    {.name = "tenon.flatten",
     .doc = R"(x with the dimensions from `start_axis` to `end_axis` merged into one, by default all
but the first: the op `tenon.flatten`, between convolutions and a linear layer.

    x [N,C,H,W] -> y [N,C*H*W]

As `torch.nn.Flatten`.)",
     .options = options,
     .samples = samples,
     .describe = sdk::describe_fn<describe>,
     .forward = sdk::forward_fn<forward>})};

}  // namespace

TENON_UNIT(flatten) = {.layers = kLayers};
