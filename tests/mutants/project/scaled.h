// SPDX-License-Identifier: Apache-2.0
// tests/mutants/project/scaled.h: what cases about layers share: a layer with one weight, in a
// plugin of its own.
#pragma once

#include <tenon/sdk/plugin/layer.hpp>

namespace mutants {

namespace sdk = tenon::sdk;

inline constexpr bool kMutant = TENON_MUTANT != 0;

// A weight of three numbers and a buffer for three.
inline void describe(sdk::Describe& d) {
  d.parameter("weight", {3}, sdk::uniform(0.5, 1.5), TENON_DTYPE_F64);
  d.buffer("seen", {3}, sdk::constant(1), TENON_DTYPE_F64);
}

inline constexpr tenon_layer_sample kSamples[] = {
    sdk::layer_sample("f64[3]"), sdk::layer_sample("f64[3](1,2)"),
    sdk::layer_refused("f64[2]", TENON_E_SHAPE, "broadcast")};

template <void (*Forward)(sdk::Forward&)>
constexpr tenon_layer_desc scaled() {
  return sdk::layer({.name = TENON_CASE_ID ".scaled",
                     .doc = "x times a weight, both of shape [3].",
                     .samples = kSamples,
                     .describe = sdk::describe_fn<describe>,
                     .forward = sdk::forward_fn<Forward>});
}

}  // namespace mutants
