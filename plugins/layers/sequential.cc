// SPDX-License-Identifier: Apache-2.0
// plugins/layers/sequential.cc: sequential, layers one after the other.
#include <tenon/sdk/plugin/layer.hpp>

namespace {

namespace sdk = tenon::sdk;

void describe(sdk::Describe&) {}

void forward(sdk::Forward& f) {
  sdk::Value x = f.in(0);
  const uint32_t count = f.child_count();
  for (uint32_t i = 0; i < count; ++i) x = f.call_child(i, x);
  f.set(0, x);
}

constexpr tenon_layer_sample samples[] = {
    sdk::layer_sample("f64[4,3]"),
    sdk::layer_refused("", TENON_E_ARGUMENT, "number of inputs"),
    sdk::layer_refused("f64[4,3] | layers=3", TENON_E_ATTRIBUTE, "none: it has no options"),
};

constexpr tenon_layer_desc kLayers[] = {sdk::layer(
    {.name = "tenon.sequential",
     .doc = R"(Its children one after the other, each called with what the one before gave. A
container: the program adds the children. Without any, `y` is `x`.)",
     .samples = samples,
     .flags = TENON_LAYER_CONTAINER,
     .describe = sdk::describe_fn<describe>,
     .forward = sdk::forward_fn<forward>})};

}  // namespace

TENON_UNIT(sequential) = {.layers = kLayers};
