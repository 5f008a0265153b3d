// SPDX-License-Identifier: Apache-2.0
// tests/cuda/emulator/emulator.h: what a kernel in CUDA C++ needs, for a compiler that knows no
// CUDA. Kernels compiled with this run on the processor; see driver.cc.
//
// A kernel sees CUDA's names: keywords, built-in variables, barriers, warp collectives, atomics,
// intrinsics. What differs from a GPU:
// - The blocks of a grid run one after another, in no particular order, so none may wait for
//   another. The threads of a block run one at a time, in another order after each barrier; each
//   runs until it waits.
// - __shared__ variables keep what the block before left in them. Dynamic shared memory is filled
//   with 0xFD for each block.
// - A collective that not all threads named in its mask reach, or a barrier that some never reach
//   because they wait elsewhere, ends the launch with cudaErrorLaunchFailure and words.
// - __activemask() is the calling thread alone, which CUDA allows.
// - Operands of arithmetic are rounded as on a GPU; functions such as expf are the C library's.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "intrinsics.h"
#include "vectors.h"

// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): the names are CUDA's.
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __shared__ static thread_local
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
#define __grid_constant__

namespace tenon::cuda::emulated {

struct Place {
  uint3 thread;
  uint3 block;
  dim3 block_dim;
  dim3 grid_dim;
  uint32_t linear;  // number of the thread within its block
};
// Of the thread that runs.
extern constinit thread_local Place place;
inline const Place& here() { return place; }

// What a thread waits for.
enum class Wait : uint32_t {
  none,
  barrier,     // __syncthreads
  barrier_or,  // ... and the variants with a predicate
  barrier_and,
  barrier_count,
  warp_sync,
  warp_shuffle,
  warp_vote,
};

// Waits for all threads of the block; `value` is the predicate, the result what `kind` makes of
// all.
uint32_t wait_block(Wait kind, uint32_t value);
// Waits for the lanes of `mask`. The result of a shuffle is the `value` of lane `source`; that of a
// vote the lanes of `mask` whose value is not 0, and in the upper half those that took part.
uint64_t wait_warp(Wait kind, uint32_t mask, uint64_t value, uint32_t source);

template <class T>
T shuffle(uint32_t mask, T value, uint32_t source) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "CUDA shuffles 4 or 8 bytes");
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  const uint64_t got = wait_warp(Wait::warp_shuffle, mask, std::bit_cast<Bits>(value), source);
  return std::bit_cast<T>(static_cast<Bits>(got));
}
inline uint32_t lane() { return place.linear % 32; }
// The first lane of the piece of `width` lanes that this thread belongs to.
inline uint32_t first_lane(int width) { return lane() & ~(static_cast<uint32_t>(width) - 1); }

}  // namespace tenon::cuda::emulated

#define threadIdx (::tenon::cuda::emulated::here().thread)
#define blockIdx (::tenon::cuda::emulated::here().block)
#define blockDim (::tenon::cuda::emulated::here().block_dim)
#define gridDim (::tenon::cuda::emulated::here().grid_dim)
inline constexpr int warpSize = 32;

// The block's dynamic shared memory, aligned to 128 bytes.
void* tenon_emulated_shared();

// ---- Barriers -----------------------------------------------------------------------------------

inline void __syncthreads() {
  ::tenon::cuda::emulated::wait_block(::tenon::cuda::emulated::Wait::barrier, 0);
}
inline int __syncthreads_or(int value) {
  namespace e = ::tenon::cuda::emulated;
  return static_cast<int>(e::wait_block(e::Wait::barrier_or, value != 0));
}
inline int __syncthreads_and(int value) {
  namespace e = ::tenon::cuda::emulated;
  return static_cast<int>(e::wait_block(e::Wait::barrier_and, value != 0));
}
inline int __syncthreads_count(int value) {
  namespace e = ::tenon::cuda::emulated;
  return static_cast<int>(e::wait_block(e::Wait::barrier_count, value != 0));
}
inline void __syncwarp(unsigned mask = 0xffffffffU) {
  namespace e = ::tenon::cuda::emulated;
  e::wait_warp(e::Wait::warp_sync, mask, 0, e::lane());
}
inline void __threadfence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
inline void __threadfence_block() { __threadfence(); }
inline void __threadfence_system() { __threadfence(); }

// ---- Warp collectives ---------------------------------------------------------------------------

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = warpSize) {
  namespace e = ::tenon::cuda::emulated;
  const uint32_t within = static_cast<uint32_t>(source) & (static_cast<uint32_t>(width) - 1);
  return e::shuffle(mask, value, e::first_lane(width) + within);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
  namespace e = ::tenon::cuda::emulated;
  const bool inside = e::lane() - e::first_lane(width) >= delta;
  return e::shuffle(mask, value, inside ? e::lane() - delta : e::lane());
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
  namespace e = ::tenon::cuda::emulated;
  const uint32_t end = e::first_lane(width) + static_cast<uint32_t>(width);
  const bool inside = delta < end - e::lane();
  return e::shuffle(mask, value, inside ? e::lane() + delta : e::lane());
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = warpSize) {
  namespace e = ::tenon::cuda::emulated;
  const uint32_t source = e::lane() ^ static_cast<uint32_t>(lanes);
  const bool inside = source < e::first_lane(width) + static_cast<uint32_t>(width);
  return e::shuffle(mask, value, inside ? source : e::lane());
}
inline unsigned __ballot_sync(unsigned mask, int value) {
  namespace e = ::tenon::cuda::emulated;
  return static_cast<unsigned>(e::wait_warp(e::Wait::warp_vote, mask, value != 0, e::lane()));
}
inline int __any_sync(unsigned mask, int value) { return __ballot_sync(mask, value) != 0; }
inline int __all_sync(unsigned mask, int value) {
  namespace e = ::tenon::cuda::emulated;
  const uint64_t vote = e::wait_warp(e::Wait::warp_vote, mask, value != 0, e::lane());
  return static_cast<uint32_t>(vote) == vote >> 32;
}
inline unsigned __activemask() { return 1U << ::tenon::cuda::emulated::lane(); }
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
