// SPDX-License-Identifier: Apache-2.0
// plugins/ops/recurrent/activation.hpp: which activations a plain recurrent step may have.
#pragma once

#include "recurrent/steps.hpp"

namespace tenon::recurrent {

// Refuses another one, and says whether it is "relu".
inline bool is_relu(std::string_view activation) {
  if (activation == "relu") return true;
  if (activation == "tanh") return false;
  throw sdk::Failure{TENON_E_ATTRIBUTE, "activation is not one of a recurrent step", "activation",
                     "tanh or relu", std::string(activation)};
}

}  // namespace tenon::recurrent
