// SPDX-License-Identifier: Apache-2.0
// backends/cuda/portable.h: lets a kernel be compiled for a GPU by nvcc, and for the processor by
// any C++ compiler together with the tests' emulator.
//
// Kernels are plain CUDA C++. What differs is here: numbers of 16 bits, and dynamic shared memory.
// Whoever compiles them for the processor includes the emulator's header before (tests/cuda).
#pragma once

#include <tenon/sdk/plugin/dtypes.hpp>

#include <cmath>

#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#endif

namespace tenon::cuda {

namespace sdk = tenon::sdk;

// What arithmetic is done in: float for the floats of 16 bits, the dtype itself for the rest.
template <class T>
using Arithmetic =
    std::conditional_t<std::is_same_v<T, sdk::F16> || std::is_same_v<T, sdk::BF16>, float, T>;

// The number itself, exactly.
template <class T>
__host__ __device__ __forceinline__ Arithmetic<T> widen(T value) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, sdk::F16>) return __half2float(__ushort_as_half(value.bits));
  if constexpr (std::is_same_v<T, sdk::BF16>) return __uint_as_float(uint32_t{value.bits} << 16);
#endif
  return static_cast<Arithmetic<T>>(value);
}

// Rounded once, to nearest with ties to even; integers wrap.
template <class T, class From>
__host__ __device__ __forceinline__ T narrow(From value) {
#if defined(__CUDA_ARCH__)
  T result;
  if constexpr (std::is_same_v<T, sdk::F16>) {
    if constexpr (std::is_same_v<From, double>) {
      result.bits = __half_as_ushort(__double2half(value));
    } else {
      result.bits = __half_as_ushort(__float2half_rn(value));
    }
    return result;
  } else if constexpr (std::is_same_v<T, sdk::BF16>) {
    if constexpr (std::is_same_v<From, double>) {
      result.bits = __bfloat16_as_ushort(__double2bfloat16(value));
    } else {
      result.bits = __bfloat16_as_ushort(__float2bfloat16_rn(value));
    }
    return result;
  }
#endif
  return sdk::narrow<T>(value);
}

// 1 / x within 1 ULP, for an x whose reciprocal is a normal number: a start for what corrects it,
// or enough for 16 bits. brief_power_of_2 is within 2 ULP, and 0 instead of what is below normal
// numbers. Source: NVIDIA, "PTX ISA", rcp.approx.ftz and ex2.approx.ftz.
__device__ __forceinline__ double brief_reciprocal(double x) { return 1 / x; }
__device__ __forceinline__ float brief_reciprocal(float x) {
#if defined(__CUDA_ARCH__)
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#else
  return 1 / x;
#endif
}
__device__ __forceinline__ float brief_power_of_2(float x) {
#if defined(__CUDA_ARCH__)
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#else
  return std::exp2(x);
#endif
}

// The block's dynamic shared memory, aligned to 128 bytes.
template <class T>
__device__ __forceinline__ T* dynamic_shared() {
#if defined(__CUDACC__)
  extern __shared__ __align__(128) unsigned char tenon_shared_bytes[];
  return reinterpret_cast<T*>(tenon_shared_bytes);
#else
  return static_cast<T*>(tenon_emulated_shared());
#endif
}

// n / divisor without a division, for n below 2^31. Source: T. Granlund, P. L. Montgomery,
// "Division by Invariant Integers using Multiplication", PLDI 1994.
struct Divisor {
  uint32_t value = 1;
  uint32_t multiplier = 1;
  uint32_t shift = 0;

  Divisor() = default;
  explicit Divisor(uint32_t divisor) : value(divisor) {
    while (shift < 32 && (uint64_t{1} << shift) < divisor) ++shift;
    const uint64_t power = uint64_t{1} << shift;
    multiplier = static_cast<uint32_t>(((uint64_t{1} << 32) * (power - divisor)) / divisor + 1);
  }
  __device__ __forceinline__ uint32_t divide(uint32_t n) const {
    return (__umulhi(n, multiplier) + n) >> shift;
  }
};

}  // namespace tenon::cuda
