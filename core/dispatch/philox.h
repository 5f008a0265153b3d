// SPDX-License-Identifier: Apache-2.0
// core/dispatch/philox.h: the counter-based random number generator behind every random op.
//
// Philox4x32-10 of J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel Random Numbers: As
// Easy as 1, 2, 3", SC 2011. A pure function of counter and key, so element i of a tensor can be
// drawn by any thread of any device: it is word i mod 4 of counter i / 4.
#pragma once

#include <stdint.h>

#include <array>

namespace tenon::rng {

// Four random words; both arrays are least significant word first.
constexpr std::array<uint32_t, 4> philox4x32_10(std::array<uint32_t, 4> counter,
                                                std::array<uint32_t, 2> key) noexcept {
  constexpr uint32_t kMultiplier0 = 0xD2511F53;
  constexpr uint32_t kMultiplier1 = 0xCD9E8D57;
  constexpr uint32_t kKeyStep0 = 0x9E3779B9;  // golden ratio
  constexpr uint32_t kKeyStep1 = 0xBB67AE85;  // sqrt(3) - 1
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = uint64_t{kMultiplier0} * counter[0];
    const uint64_t product1 = uint64_t{kMultiplier1} * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(product0)};
    key[0] += kKeyStep0;
    key[1] += kKeyStep1;
  }
  return counter;
}

}  // namespace tenon::rng
