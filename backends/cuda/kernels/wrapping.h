// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/wrapping.h: integers modulo 2^bits, without the overflow of signed
// ones, and signs of numbers that may have none.
#pragma once

#include "portable.h"

namespace tenon::cuda {

// What no operator promotes to a signed number.
template <class T>
using Unsigned = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <class T>
__device__ __forceinline__ Unsigned<T> unsigned_of(T x) {
  return static_cast<Unsigned<T>>(x);
}
template <class T, class U>
__device__ __forceinline__ T wrapped(U bits) {
  return static_cast<T>(bits);
}

// x < 0, which compilers warn of where it cannot be.
template <class V>
__device__ __forceinline__ bool is_negative(V x) {
  if constexpr (std::is_unsigned_v<V>) {
    return false;
  } else {
    return x < V(0);
  }
}

}  // namespace tenon::cuda
