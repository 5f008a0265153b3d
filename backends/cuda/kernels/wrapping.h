// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/wrapping.h: integers modulo 2^bits, without the overflow of signed ones.
#pragma once

#include "portable.h"

namespace tenon::cuda {

// An integer as an unsigned number that no operator promotes to a signed one.
template <class T>
__device__ __forceinline__ auto unsigned_of(T x) {
  return static_cast<std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>>(x);
}
template <class T, class U>
__device__ __forceinline__ T wrapped(U bits) {
  return static_cast<T>(bits);
}

}  // namespace tenon::cuda
