// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/random.h: numbers from Philox words by logical index, for random kernels.
//
// u(i) in [0,1): f32 the top 24 bits of word i; f64 the top 53 bits of words 2i (high) and 2i+1.
// Words come in blocks of four; each thread makes one block's numbers.
#pragma once

#include <tenon/sdk/philox.h>

#include "geometry.h"

namespace tenon::cuda {

struct Block {
  uint32_t word[4];

  // Words 2i (high half) and 2i + 1.
  __device__ __forceinline__ uint64_t pair(int i) const {
    return uint64_t{word[2 * i]} << 32 | word[2 * i + 1];
  }
};

__device__ __forceinline__ Block random_block(const tenon_rng& rng, uint64_t number) {
  const uint64_t counter = rng.offset + (rng.device_base ? *rng.device_base : 0) + number;
  Block block = {{static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32),
                  static_cast<uint32_t>(rng.stream), static_cast<uint32_t>(rng.stream >> 32)}};
  tenon_sdk_philox(block.word, rng.key);
  return block;
}

template <class T>
inline constexpr T kUlp = std::is_same_v<T, float> ? T(0x1p-24) : T(0x1p-53);

// Number i of the block: of four f32, or two f64.
template <class T>
__device__ __forceinline__ T unit_uniform(const Block& block, int i) {
  if constexpr (std::is_same_v<T, float>) {
    return static_cast<float>(block.word[i] >> 8) * kUlp<T>;
  } else {
    return static_cast<double>(block.pair(i) >> 11) * kUlp<T>;
  }
}

// A part of an operation's elements: those whose logical index is `first` and on.
template <int N>
struct Part {
  Geometry<N> geometry;
  uint64_t first;
  bool packed;  // all are row-major, and as aligned as the numbers of one block together

  // Body(k, number) for each element of block t of the part that the part has: k is its place in
  // the block, `number` counts from the part's beginning. Each block has `in_block` elements.
  template <int in_block, class Body>
  __device__ __forceinline__ void each(uint64_t block, Body&& body) const {
#pragma unroll
    for (int k = 0; k < in_block; ++k) {
      const uint64_t number = block * in_block + static_cast<uint64_t>(k) - first;
      // What lies before the part has wrapped to a huge number.
      if (number < geometry.count) body(k, static_cast<uint32_t>(number));
    }
  }
  // Does the part have the whole block, to be moved at once?
  template <int in_block>
  __device__ __forceinline__ bool has_whole(uint64_t block) const {
    return packed && (block + 1) * in_block - first <= geometry.count;
  }
};

// Calls body(part, offsets, blocks): blocks of `in_block` elements from first / in_block on.
// `packable` says that every operand is row-major and aligned.
template <int N, class Body>
void for_random_parts(const Layout<N>& layout, int in_block, bool packable, Body&& body) {
  uint64_t first = 0;
  for_parts<N>(layout, {}, [&](const Layout<N>& part, const std::array<int64_t, N>& at) {
    const auto size = static_cast<uint64_t>(in_block);
    const auto count = static_cast<uint64_t>(part.count());
    const uint64_t blocks = (first + count + size - 1) / size - first / size;
    body(Part<N>{part.geometry(), first, packable && first % size == 0}, at,
         static_cast<int64_t>(blocks));
    first += count;
  });
}

// Is it row-major, and aligned to `count` of its elements?
inline bool holds_packs(const tenon_view& view, int count) {
  const auto bytes = static_cast<size_t>(count) * sdk::size_of(view.dtype);
  return is_row_major(view) && reinterpret_cast<uintptr_t>(view.data) % bytes == 0;
}

}  // namespace tenon::cuda
