// SPDX-License-Identifier: Apache-2.0
// plugins/ops/random/filtering.hpp: what filter_logits and sample take, and what they refuse.
#pragma once

#include <cmath>

#include "rules.hpp"

namespace tenon::rules {

enum Filtering : uint32_t { kTemperature, kTopK, kTopP, kMinP, kFilteringAttributes };

inline void need_share(double value, const char* attribute) {
  if (value >= 0.0 && value <= 1.0) return;
  throw sdk::Failure{TENON_E_ATTRIBUTE, std::string(attribute) + " is out of range", attribute,
                     "0 <= " + std::string(attribute) + " <= 1", std::to_string(value)};
}

// Checks the attributes. Returns the shape of the rows.
inline std::span<const int64_t> check_filtering(const sdk::Args& args) {
  const std::span<const int64_t> shape = args.shape(0);
  if (shape.empty() || shape.back() == 0) {
    throw sdk::Failure{TENON_E_SHAPE, "logits have no axis of tokens", "logits",
                       "a last axis of one token or more", sdk::shape_text(shape)};
  }
  const double temperature = args.attrs.real(kTemperature);
  if (!(temperature >= 0.0 && std::isfinite(temperature))) {
    throw sdk::Failure{TENON_E_ATTRIBUTE,
                       "temperature is out of range",
                       "temperature",
                       "a finite number of 0 or more",
                       std::to_string(temperature),
                       "0 keeps the largest logit alone"};
  }
  if (args.attrs.integer(kTopK) < 0) {
    throw sdk::Failure{TENON_E_ATTRIBUTE,
                       "top_k is out of range",
                       "top_k",
                       "0 or more",
                       std::to_string(args.attrs.integer(kTopK)),
                       "0 keeps all"};
  }
  need_share(args.attrs.real(kTopP), "top_p");
  need_share(args.attrs.real(kMinP), "min_p");
  return shape.first(shape.size() - 1);
}

}  // namespace tenon::rules
