// SPDX-License-Identifier: Apache-2.0
// plugins/layers/dropout.cc: dropout, zeros at random places in training, nothing in evaluation.
#include "options.hpp"

namespace {

namespace sdk = tenon::sdk;

enum Option : uint32_t { kP };

void describe(sdk::Describe& d) { tenon::layers::need_probability(d.options.real(kP), "p"); }

void forward(sdk::Forward& f) {
  const sdk::Value p = f.options.real(kP);
  f.set(0, f.training ? f.call("tenon.dropout", {f.in(0)}, {p}) : f.in(0));
}

constexpr tenon_layer_option options[] = {
    sdk::option("p", 0.5, "probability that an element becomes 0")};

constexpr tenon_layer_sample samples[] = {
    sdk::layer_sample("f64[4,3]"),
    sdk::layer_sample("f64[7] | p=0.25"),
    sdk::layer_sample("f64[7] | p=0.0"),
    sdk::layer_sample("f64[7] | p=1"),
    sdk::layer_refused("f64[7] | p=1.5", TENON_E_ATTRIBUTE, "not a probability"),
    sdk::layer_refused("f64[7] | p=nan", TENON_E_ATTRIBUTE, "not a probability"),
};

constexpr tenon_layer_desc kLayers[] = {sdk::layer(
    {.name = "tenon.dropout",
     .doc = R"(In training the op `tenon.dropout`: elements become 0 with probability `p`, and
the others are divided by `1 - p`. In evaluation `y` is `x` itself.)",
     .options = options,
     .samples = samples,
     .describe = sdk::describe_fn<describe>,
     .forward = sdk::forward_fn<forward>})};

}  // namespace

TENON_UNIT(dropout) = {.layers = kLayers};
