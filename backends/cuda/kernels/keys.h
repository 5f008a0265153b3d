// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/keys.h: unsigned numbers with the order of floats: all NaNs one, the
// largest, and both zeros one.
#pragma once

#include "portable.h"

namespace tenon::cuda {

__device__ __forceinline__ uint32_t key_of(float x) {
  if (x != x) return 0xffffffffU;
  const uint32_t bits = x == 0 ? 0U : __float_as_uint(x);
  return bits >> 31 ? ~bits : bits | 0x80000000U;
}
__device__ __forceinline__ uint64_t key_of(double x) {
  constexpr uint64_t sign = uint64_t{1} << 63;
  if (x != x) return ~uint64_t{0};
  const uint64_t bits = x == 0 ? 0 : static_cast<uint64_t>(__double_as_longlong(x));
  return bits & sign ? ~bits : bits | sign;
}

}  // namespace tenon::cuda
