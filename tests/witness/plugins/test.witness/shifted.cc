// SPDX-License-Identifier: Apache-2.0
// tests/witness/plugins/test.witness/shifted.cc: a layer, y = x * weight, that adds a constant
// where it is wrong: its gradient stays right.
#include <tenon/sdk/plugin/layer.hpp>

#include "faults.h"

namespace {

using namespace witness;

void describe(sdk::Describe& d) {
  d.parameter("weight", {d.size(0, "features")}, sdk::constant(0.5), TENON_DTYPE_F64);
}

void forward(sdk::Forward& f) {
  const sdk::Value y = f.call("tenon.mul", {f.in(0), f.tensor("weight")});
  f.set(0, is_wrong() ? sdk::Value(f.call("tenon.add", {y, 0.125})) : y);
}

constexpr tenon_layer_option options[] = {
    sdk::required_option("features", TENON_VALUE_I64, "size of the last dimension of x")};
constexpr tenon_layer_sample samples[] = {
    sdk::layer_sample("f64[2,3] | features=3"),
    sdk::layer_refused("f64[2,3]", TENON_E_ATTRIBUTE, "\"features\" is required")};

constexpr tenon_layer_desc kLayers[] = {sdk::layer({.name = "test.witness.shifted",
                                                    .doc = "`y = x * weight`.",
                                                    .options = options,
                                                    .samples = samples,
                                                    .describe = sdk::describe_fn<describe>,
                                                    .forward = sdk::forward_fn<forward>})};

}  // namespace

TENON_UNIT(shifted) = {.layers = kLayers};
