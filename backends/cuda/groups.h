// SPDX-License-Identifier: Apache-2.0
// backends/cuda/groups.h: results of single threads joined into one, in an order that is always the
// same.
//
// A group is the threads of a block with one threadIdx.y: blockDim.x of them, a multiple of 32, or
// a power of two below it. All threads of the block, which are whole warps, take part in each
// function.
#pragma once

#include "launch.h"
#include "portable.h"

namespace tenon::cuda {

inline constexpr uint32_t kWarp = 32;
inline constexpr uint32_t kAllLanes = 0xffffffffU;
inline constexpr uint32_t kMaxThreads = 1024;  // of a block

// `own` as other lanes have it, for values of any size: fetch(word) shuffles a part of it.
template <class S, class Fetch>
__device__ __forceinline__ S shuffled(const S& own, const Fetch& fetch) {
  static_assert(sizeof(S) % 4 == 0 && std::is_trivially_copyable_v<S>);
  using Word = std::conditional_t<sizeof(S) % 8 == 0, unsigned long long, uint32_t>;
  Word words[sizeof(S) / sizeof(Word)];
  memcpy(words, &own, sizeof(S));
#pragma unroll
  for (Word& word : words) word = fetch(word);
  S other;
  memcpy(&other, words, sizeof(S));
  return other;
}
template <class S>
__device__ __forceinline__ S shuffle_from(const S& own, int lane) {
  return shuffled(own, [=](auto word) { return __shfl_sync(kAllLanes, word, lane); });
}

// Lane 0 of each `width` lanes, a power of two, gets the result: of 32, lane i is joined with lane
// i + 16, then i + 8, ...
template <class S, class Join>
__device__ __forceinline__ S join_warp(S own, const Join& join, uint32_t width = kWarp) {
#pragma unroll
  for (uint32_t delta = kWarp / 2; delta > 0; delta /= 2) {
    if (delta >= width) continue;
    const auto fetch = [=](auto word) { return __shfl_down_sync(kAllLanes, word, delta); };
    own = join(own, shuffled(own, fetch));
  }
  return own;
}

// All threads of the group get the result: warps are joined one after another.
template <class S, class Join>
__device__ __forceinline__ S join_group(S own, const Join& join) {
  if (blockDim.x == 1) return own;
  if (blockDim.x <= kWarp) {
    own = join_warp(own, join, blockDim.x);
    const uint32_t lane = (threadIdx.y * blockDim.x + threadIdx.x) % kWarp;
    return shuffle_from(own, static_cast<int>(lane - threadIdx.x));
  }
  own = join_warp(own, join);
  __shared__ S table[kMaxThreads / kWarp];
  const uint32_t warps = blockDim.x / kWarp;
  S* const mine = table + threadIdx.y * warps;
  if (threadIdx.x % kWarp == 0) mine[threadIdx.x / kWarp] = own;
  __syncthreads();
  S all = mine[0];
  for (uint32_t w = 1; w < warps; ++w) all = join(all, mine[w]);
  __syncthreads();  // the table is used again
  return all;
}

struct Plus {
  template <class V>
  __device__ __forceinline__ V operator()(V a, V b) const {
    return a + b;
  }
};
// NaN loses; one of two equal numbers, either of them.
struct LargerOf {
  __device__ __forceinline__ float operator()(float a, float b) const { return fmaxf(a, b); }
  __device__ __forceinline__ double operator()(double a, double b) const { return fmax(a, b); }
};

// CUDA's functions of either width: within 1 unit in the last place as float, 1 to 2 as double
// ("CUDA C++ Programming Guide", Mathematical Functions).
__device__ __forceinline__ float exp_of(float x) { return expf(x); }
__device__ __forceinline__ double exp_of(double x) { return exp(x); }
__device__ __forceinline__ float log_of(float x) { return logf(x); }
__device__ __forceinline__ double log_of(double x) { return log(x); }
__device__ __forceinline__ float root_of(float x) { return sqrtf(x); }
__device__ __forceinline__ double root_of(double x) { return sqrt(x); }

// The smallest number of threads of a group, `least` 2^i, of which each has at most `each` of
// `count` elements; `most` if none is enough.
constexpr uint32_t group_for(int64_t count, uint32_t each, uint32_t most, uint32_t least = kWarp) {
  uint32_t threads = least;
  while (threads < most && int64_t{threads} * each < count) threads *= 2;
  return threads;
}

// Groups of a block of about kBlock threads, where `rows` of them are needed in all; whole warps.
constexpr uint32_t groups_for(uint32_t group, int64_t rows) {
  const int64_t most = group < kBlock ? kBlock / group : 1;
  const auto groups = static_cast<uint32_t>(rows < 1 ? 1 : rows < most ? rows : most);
  const uint32_t of_warp = group < kWarp ? kWarp / group : 1;
  return (groups + of_warp - 1) / of_warp * of_warp;
}

}  // namespace tenon::cuda
