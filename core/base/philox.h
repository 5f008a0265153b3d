// SPDX-License-Identifier: Apache-2.0
// core/base/philox.h: counter-based random numbers: Philox4x32-10, J. K. Salmon, M. A. Moraes, R.
// O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
#pragma once

#include <array>
#include <cstdint>

namespace tenon::base {

// One sequence: block `position` of stream `stream` under `key`. The words of tenon/sdk/philox.h.
struct Philox {
  uint64_t key = 0;
  uint64_t stream = 0;
  uint64_t position = 0;  // the next block

  // 64 random bits: words 0 (high half) and 1 of the next block.
  uint64_t next() {
    std::array<uint32_t, 4> c = {low(position), high(position), low(stream), high(stream)};
    uint32_t key0 = low(key), key1 = high(key);
    for (int round = 0; round < 10; ++round) {
      const uint64_t product0 = uint64_t{0xD2511F53u} * c[0];
      const uint64_t product1 = uint64_t{0xCD9E8D57u} * c[2];
      c = {high(product1) ^ c[1] ^ key0, low(product1), high(product0) ^ c[3] ^ key1,
           low(product0)};
      key0 += 0x9E3779B9u;
      key1 += 0xBB67AE85u;
    }
    ++position;
    return uint64_t{c[0]} << 32 | c[1];
  }

  // A number from 0 to bound - 1, each equally likely: draws that would favour the low ones are
  // thrown away. bound > 0.
  uint64_t below(uint64_t bound) {
    const uint64_t unfair = (0 - bound) % bound;  // 2^64 mod bound
    uint64_t bits = 0;
    do {
      bits = next();
    } while (bits < unfair);
    return bits % bound;
  }

 private:
  static constexpr uint32_t low(uint64_t value) { return static_cast<uint32_t>(value); }
  static constexpr uint32_t high(uint64_t value) { return static_cast<uint32_t>(value >> 32); }
};

}  // namespace tenon::base
