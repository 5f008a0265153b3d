// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/layer_gradient_lost.cc: a layer computes with a buffer that it has set to its
// input. What goes through a buffer is not recorded: the input gets no gradient.
//
// cause: wrong-gradient
// op: TENON_CASE_ID.scaled
// backward-only: yes
// level: 0
#include "scaled.h"

namespace {

using namespace mutants;

void forward(sdk::Forward& f) {
  sdk::Value x = f.in(0);
  if (kMutant) {
    f.set_buffer("seen", x);
    x = f.tensor("seen");
  }
  f.set(0, f.call("tenon.mul", {x, f.tensor("weight")}));
}

constexpr tenon_layer_desc kLayers[] = {mutants::scaled<forward>()};

}  // namespace

TENON_UNIT(layer_gradient_lost) = {.layers = kLayers};
