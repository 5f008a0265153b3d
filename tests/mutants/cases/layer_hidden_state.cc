// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/layer_hidden_state.cc: a layer that counts its calls in training beside its
// tensors: what is saved and put into another layer has no count.
//
// cause: layer-state
// op: TENON_CASE_ID.scaled
// backward-only: no
// level: 0
#include <map>

#include "scaled.h"

namespace {

using namespace mutants;

// By the weight, which each layer has of its own.
std::map<const void*, double>& counts() {
  static std::map<const void*, double> all;
  return all;
}

void forward(sdk::Forward& f) {
  tenon_tensor* const weight = f.tensor("weight").tensor();
  double& hidden = counts()[weight];
  if (f.training) {
    hidden += 1;
    const sdk::Value more = f.call("tenon.add", {f.tensor("seen"), 1.0});
    f.set_buffer("seen", more);
  }
  const sdk::Value y = f.call("tenon.mul", {f.in(0), weight});
  const sdk::Value times = kMutant ? sdk::Value(hidden + 1) : f.tensor("seen");
  f.set(0, f.training ? y : f.call("tenon.mul", {y, times}));
}

constexpr tenon_layer_desc kLayers[] = {mutants::scaled<forward>()};

}  // namespace

TENON_UNIT(layer_hidden_state) = {.layers = kLayers};
