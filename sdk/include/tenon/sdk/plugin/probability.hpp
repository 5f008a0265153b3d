// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/probability.hpp: which words refuse an operand of probabilities, for every
// provider of an op that takes one.
#pragma once

#include <tenon/sdk/plugin/loops.hpp>
#include <tenon/sdk/plugin/place.hpp>

#include <charconv>

namespace tenon::sdk {

// As few digits as tell it from its neighbours.
template <class T>
std::string digits_of(T number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

// Refuses the first element outside [0, 1]; NaN is outside.
inline void check_probabilities(const tenon_view& p, const char* operand) {
  const auto shape = shape_of(p);
  dispatch_dtype<FloatTypes>(p.dtype, [&]<class T>() {
    walk<1>(shape, {strided(p)}, [&](const Run<1>& run) {
      for (int64_t i = 0; i < run.count; ++i) {
        const auto number = static_cast<Compute<T>>(load<T>(run.data[0] + i * run.step[0]));
        if (number >= 0 && number <= 1) continue;
        const std::string found = digits_of(number);
        throw Failure{TENON_E_DATA,
                      place_in(operand, shape, run.first + i) + " is " + found +
                          ", which is not a probability",
                      operand,
                      "0 <= " + std::string(operand) + " <= 1",
                      found,
                      "clamp the probabilities, or check where they come from"};
      }
    });
  });
}

}  // namespace tenon::sdk
