// SPDX-License-Identifier: Apache-2.0
// backends/cuda/radix.h: pairs of a key and a number, sorted by key; pairs of equal keys keep their
// order. Defined in kernels/permutation.cu.
#pragma once

#include "launch.h"

namespace tenon::cuda {

struct Pairs {
  uint64_t* keys;
  uint32_t* numbers;
};

// The most pairs that can be sorted.
inline constexpr int64_t kMaxPairs = kMaxElements;

// Scratch for `count` pairs. Throws if they are too many.
uint64_t radix_bytes(int64_t count, const char* operand);

// Where the pairs are put before they are sorted.
Pairs radix_input(int64_t count, void* scratch);

// Enqueues the sort by the lowest `bits` bits of the keys, above which they have none; where the
// sorted pairs then are.
Pairs radix_sort(const sdk::Launch& l, int64_t count, int bits, void* scratch);

}  // namespace tenon::cuda
