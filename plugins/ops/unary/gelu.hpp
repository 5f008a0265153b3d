// SPDX-License-Identifier: Apache-2.0
// plugins/ops/unary/gelu.hpp: what gelu and its gradient share: the attribute `approximate`.
#pragma once

#include <string>
#include <string_view>

#include "rules.hpp"

namespace tenon::rules {

// Is the hyperbolic tangent to stand in for the error function?
inline bool by_tanh(std::string_view approximate) {
  if (approximate == "tanh") return true;
  if (approximate == "none") return false;
  throw sdk::Failure{TENON_E_ATTRIBUTE, "approximate names no way to compute gelu", "approximate",
                     "\"none\" or \"tanh\"", "\"" + std::string(approximate) + "\""};
}

}  // namespace tenon::rules
