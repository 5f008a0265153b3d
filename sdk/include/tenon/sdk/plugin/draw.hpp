// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/draw.hpp: the contents of a sample's operands, element by element.
//
// Every value depends on the seed, the number of its tensor in the call and its row-major position
// alone, so that programs in other languages draw the same ones. The mixing is SplitMix64's:
// G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
#pragma once

#include <tenon/sdk/plugin/dtypes.hpp>
#include <tenon/sdk/plugin/sample.hpp>

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <variant>

namespace tenon::sdk {

// Used if nobody asks for another, and by all golden files.
inline constexpr uint64_t kDrawSeed = 20261121;

// In [0, 1), a multiple of 2^-53. Tensors count from 0 over the whole call, those of lists one by
// one; elements are in row-major order.
constexpr double drawn_unit(uint64_t seed, uint64_t tensor, uint64_t element) {
  uint64_t z = seed + 0x9E3779B97F4A7C15u * ((tensor << 32) + element + 1);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1p-53;
}

template <class T>
T drawn_value(double unit, double low, double high) {
  const double value = low + unit * (high - low);
  if constexpr (std::is_same_v<T, Bool>) {
    return Bool(unit < 0.5);
  } else if constexpr (std::is_integral_v<T>) {
    // Below zero an unsigned dtype keeps the low bits.
    return convert<T>(static_cast<int64_t>(std::floor(value)));
  } else {
    return convert<T>(value);
  }
}

// Element `element` of a sample's tensor: the value the text gives, or a drawn one. Integers that
// are given stay integers: a double could not hold all of them.
template <class T>
T sample_element(const SampleTensor& given, uint64_t seed, uint64_t tensor, uint64_t element) {
  if (!given.explicit_values) {
    return drawn_value<T>(drawn_unit(seed, tensor, element), given.low, given.high);
  }
  return std::visit([](auto value) { return convert<T>(value); }, given.values[element]);
}

}  // namespace tenon::sdk
