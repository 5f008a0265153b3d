// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/philox.h: counter-based random numbers for C programs; the same words as Tenon's own.
//
// Philox4x32-10: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as
// easy as 1, 2, 3", SC 2011. Every number is a pure function of key, stream and position, so a
// program that knows these three can go on where it stopped.
#ifndef TENON_SDK_PHILOX_H
#define TENON_SDK_PHILOX_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// So that C++ can use it in constant expressions.
#ifdef __cplusplus
#define TENON_SDK_CONSTEXPR constexpr
#else
#define TENON_SDK_CONSTEXPR static inline
#endif

// Ten rounds over `counter`, in place; least significant words first.
TENON_SDK_CONSTEXPR void tenon_sdk_philox(uint32_t counter[4], uint64_t key) {
  uint32_t key0 = (uint32_t)key;
  uint32_t key1 = (uint32_t)(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = (uint64_t)0xD2511F53u * counter[0];
    const uint64_t product1 = (uint64_t)0xCD9E8D57u * counter[2];
    counter[0] = (uint32_t)(product1 >> 32) ^ counter[1] ^ key0;
    counter[1] = (uint32_t)product1;
    counter[2] = (uint32_t)(product0 >> 32) ^ counter[3] ^ key1;
    counter[3] = (uint32_t)product0;
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
}

// One sequence of numbers: block `position` of stream `stream` under `key`.
typedef struct tenon_sdk_random {
  uint64_t key;
  uint64_t stream;
  uint64_t position;  // the next block
} tenon_sdk_random;

// 64 random bits: words 0 (high half) and 1 of the next block.
static inline uint64_t tenon_sdk_random_next(tenon_sdk_random* random) {
  uint32_t counter[4] = {(uint32_t)random->position, (uint32_t)(random->position >> 32),
                         (uint32_t)random->stream, (uint32_t)(random->stream >> 32)};
  tenon_sdk_philox(counter, random->key);
  random->position += 1;
  return (uint64_t)counter[0] << 32 | counter[1];
}

// A number from 0 to bound - 1, each equally likely: draws that would favour the low ones are
// thrown away. bound > 0.
static inline uint64_t tenon_sdk_random_below(tenon_sdk_random* random, uint64_t bound) {
  const uint64_t unfair = (0 - bound) % bound;  // 2^64 mod bound
  uint64_t bits = 0;
  do {
    bits = tenon_sdk_random_next(random);
  } while (bits < unfair);
  return bits % bound;
}

#ifdef __cplusplus
}
#endif

#endif  // TENON_SDK_PHILOX_H
