// SPDX-License-Identifier: Apache-2.0
// backends/cuda/take_turns.h: which block of a launch is the first, and which the last: the
// kernels' part. turns.h has the host's.
#pragma once

#include "portable.h"
#include "turns.h"

namespace tenon::cuda {

// Is every other block done? All threads of the block take part and get the answer; where it is
// yes, they see all that other blocks wrote before they asked.
__device__ inline bool is_last_block(Turns& turns) {
  __threadfence();
  __syncthreads();
  bool last = false;
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    last = atomicInc(&turns.ended, gridDim.x - 1) == gridDim.x - 1;
    if (last) turns.begun = turns.told = 0;
  }
  last = __syncthreads_or(last) != 0;
  __threadfence();
  return last;
}

// What `count` finds, below 2^32 - 1, is found by the first block that runs and told to the others,
// which wait for it: it has begun, so it will end. All threads of all blocks take part, and ask
// is_last_block later.
template <class Count>
__device__ uint32_t told_by_first_block(Turns& turns, const Count& count) {
  const bool one = threadIdx.x == 0 && threadIdx.y == 0;
  if (__syncthreads_or(one && atomicAdd(&turns.begun, 1U) == 0)) {
    const uint32_t found = count();
    if (one) atomicExch(&turns.told, found + 1);
    return found;
  }
  __shared__ uint32_t heard;
  if (one) {
    const volatile uint32_t& told = turns.told;
    while (told == 0) {
    }
    heard = told - 1;
  }
  __syncthreads();
  return heard;
}

}  // namespace tenon::cuda
