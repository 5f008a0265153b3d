// SPDX-License-Identifier: Apache-2.0
// tests/processes/plugins/test.shm/narrow.hpp: f16 and bf16, to be added up.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace tenon::tests {

// IEEE 754 with so many bits of exponent, 16 in all; of whole numbers and what is normal.
template <int kExponent>
struct Narrow {
  static constexpr int kFraction = 15 - kExponent;
  static constexpr int kBias = (1 << (kExponent - 1)) - 1;

  uint16_t bits = 0;

  Narrow() = default;
  explicit Narrow(float value) {
    if (value == 0) return;
    int exponent = 0;
    const float part = std::frexp(std::fabs(value), &exponent);  // 0.5 to 1
    auto whole = static_cast<int>(std::lrint(std::ldexp(part, kFraction + 1)));
    if (whole == 2 << kFraction) {
      whole >>= 1;
      ++exponent;
    }
    bits = static_cast<uint16_t>((value < 0 ? 1 << 15 : 0) | (exponent - 1 + kBias) << kFraction |
                                 (whole & ((1 << kFraction) - 1)));
  }
  float value() const {
    const int exponent = bits >> kFraction & ((1 << kExponent) - 1);
    if (exponent == 0) return 0;
    const int whole = (bits & ((1 << kFraction) - 1)) | 1 << kFraction;
    const float size = std::ldexp(static_cast<float>(whole), exponent - kBias - kFraction);
    return bits >> 15 ? -size : size;
  }
  Narrow& operator+=(Narrow other) { return *this = Narrow(value() + other.value()); }
};

using F16 = Narrow<5>;
using Bf16 = Narrow<8>;

}  // namespace tenon::tests
