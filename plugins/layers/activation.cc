// SPDX-License-Identifier: Apache-2.0
// plugins/layers/activation.cc: activation, an op of one tensor as a layer.
//
// One layer for all of them: an activation has no parameters, and what it means its op says.
#include "options.hpp"

namespace {

namespace sdk = tenon::sdk;
namespace layers = tenon::layers;

enum Option : uint32_t { kOp };

void describe(sdk::Describe& d) { d.need_op(layers::full_name(d.options.text(kOp))); }

void forward(sdk::Forward& f) {
  f.set(0, f.call(layers::full_name(f.options.text(kOp)), {f.in(0)}));
}

constexpr tenon_layer_option options[] = {
    sdk::required_option("op", TENON_VALUE_STRING,
                         "the op's name, as \"relu\" or \"acme.softsign\"; its attributes have "
                         "their defaults")};

constexpr tenon_layer_sample samples[] = {
    sdk::layer_sample("f64[2,3] | op=\"tanh\""),
    sdk::layer_sample("f64[2,3]{-2.0,-1.0,-0.5,0.5,1.0,2.0} | op=\"relu\""),
    sdk::layer_sample("f64[2,3] | op=\"gelu\""),
    sdk::layer_sample("f64[5] | op=\"sigmoid\""),
    sdk::layer_sample("f64[5] | op=\"silu\""),
    sdk::layer_sample("f64[2,3] | op=\"tenon.softmax\""),
    sdk::layer_refused("f64[5] | op=\"no_such_op\"", TENON_E_NOT_FOUND, "no_such_op"),
    sdk::layer_refused("f64[5]", TENON_E_ATTRIBUTE, "\"op\" is required"),
    sdk::layer_refused("f64[5] | op=\"add\"", TENON_E_ARGUMENT, "number of operands"),
};

constexpr tenon_layer_desc kLayers[] = {sdk::layer(
    {.name = "tenon.activation",
     .doc = R"(An op of one tensor as a layer without parameters, for containers: `y = op(x)`.
For example relu, gelu, silu, sigmoid, tanh, elu, leaky_relu, softplus, mish, softmax.)",
     .options = options,
     .samples = samples,
     .describe = sdk::describe_fn<describe>,
     .forward = sdk::forward_fn<forward>})};

}  // namespace

TENON_UNIT(activation) = {.layers = kLayers};
