// SPDX-License-Identifier: Apache-2.0
// tests/cuda/emulator/intrinsics.h: CUDA's functions on numbers, and its atomics, in C++.
//
// Source: "CUDA Math API Reference Manual" and the atomic functions of the "CUDA C++ Programming
// Guide".
#pragma once

#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): the names are CUDA's.

// ---- Bits ---------------------------------------------------------------------------------------

inline int __popc(unsigned x) { return std::popcount(x); }
inline int __popcll(unsigned long long x) { return std::popcount(x); }
inline int __clz(int x) { return std::countl_zero(static_cast<unsigned>(x)); }
inline int __clzll(long long x) { return std::countl_zero(static_cast<unsigned long long>(x)); }
inline int __ffs(int x) { return x == 0 ? 0 : std::countr_zero(static_cast<unsigned>(x)) + 1; }
inline int __ffsll(long long x) {
  return x == 0 ? 0 : std::countr_zero(static_cast<unsigned long long>(x)) + 1;
}
inline unsigned __brev(unsigned x) {
  unsigned reversed = 0;
  for (int bit = 0; bit < 32; ++bit) reversed |= (x >> bit & 1U) << (31 - bit);
  return reversed;
}
inline unsigned long long __brevll(unsigned long long x) {
  const unsigned long long low = __brev(static_cast<unsigned>(x));
  return low << 32 | __brev(static_cast<unsigned>(x >> 32));
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  const uint64_t both = uint64_t{high} << 32 | low;
  return static_cast<unsigned>(both << (shift % 32) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  const uint64_t both = uint64_t{high} << 32 | low;
  return static_cast<unsigned>(both >> (shift % 32));
}
inline unsigned __umulhi(unsigned x, unsigned y) {
  return static_cast<unsigned>(uint64_t{x} * y >> 32);
}
inline int __mulhi(int x, int y) { return static_cast<int>(int64_t{x} * y >> 32); }
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<unsigned long long>(static_cast<Wide>(x) * y >> 64);
}
inline long long __mul64hi(long long x, long long y) {
  __extension__ using Wide = __int128;
  return static_cast<long long>(static_cast<Wide>(x) * y >> 64);
}

inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
inline float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
inline int __float_as_int(float x) { return std::bit_cast<int>(x); }
inline float __int_as_float(int x) { return std::bit_cast<float>(x); }
inline long long __double_as_longlong(double x) { return std::bit_cast<long long>(x); }
inline double __longlong_as_double(long long x) { return std::bit_cast<double>(x); }

// ---- Arithmetic, rounded to nearest -------------------------------------------------------------

inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fsub_rn(float x, float y) { return x - y; }
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __frcp_rn(float x) { return 1.0F / x; }
inline float __fsqrt_rn(float x) { return std::sqrt(x); }
inline float __fmaf_rn(float x, float y, float z) { return std::fma(x, y, z); }
inline double __dadd_rn(double x, double y) { return x + y; }
inline double __dsub_rn(double x, double y) { return x - y; }
inline double __dmul_rn(double x, double y) { return x * y; }
inline double __ddiv_rn(double x, double y) { return x / y; }
inline double __drcp_rn(double x) { return 1.0 / x; }
inline double __dsqrt_rn(double x) { return std::sqrt(x); }
inline double __fma_rn(double x, double y, double z) { return std::fma(x, y, z); }
inline float __saturatef(float x) { return x > 0.0F ? (x < 1.0F ? x : 1.0F) : 0.0F; }
inline float __fdividef(float x, float y) { return x / y; }

inline float __int2float_rn(int x) { return static_cast<float>(x); }
inline float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
inline float __ll2float_rn(long long x) { return static_cast<float>(x); }
inline float __ull2float_rn(unsigned long long x) { return static_cast<float>(x); }
inline double __ll2double_rn(long long x) { return static_cast<double>(x); }
inline double __ull2double_rn(unsigned long long x) { return static_cast<double>(x); }
inline float __double2float_rn(double x) { return static_cast<float>(x); }

// As the GPU's conversions: what does not fit becomes the nearest number that does, NaN becomes 0.
template <class To, class From>
To tenon_emulated_convert(From x) {
  if (std::isnan(x)) return 0;
  const From end = std::ldexp(From{1}, std::numeric_limits<To>::digits);
  if (x >= end) return std::numeric_limits<To>::max();
  if (x < static_cast<From>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
  return static_cast<To>(x);
}
inline int __float2int_rn(float x) { return tenon_emulated_convert<int>(std::nearbyint(x)); }
inline int __float2int_rz(float x) { return tenon_emulated_convert<int>(std::trunc(x)); }
inline int __float2int_rd(float x) { return tenon_emulated_convert<int>(std::floor(x)); }
inline long long __float2ll_rn(float x) {
  return tenon_emulated_convert<long long>(std::nearbyint(x));
}
inline long long __double2ll_rn(double x) {
  return tenon_emulated_convert<long long>(std::nearbyint(x));
}
inline long long __double2ll_rz(double x) {
  return tenon_emulated_convert<long long>(std::trunc(x));
}

// ---- Functions that the C library lacks ---------------------------------------------------------

inline float rsqrtf(float x) { return static_cast<float>(1.0 / std::sqrt(double{x})); }
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline float normcdff(float x) {
  return static_cast<float>(0.5 * std::erfc(-double{x} * 0.70710678118654752));
}
inline double normcdf(double x) { return 0.5 * std::erfc(-x * 0.70710678118654752); }

// The GPU's fast functions. glibc declares some of these names and defines none.
#define __expf(x) std::exp(static_cast<float>(x))
#define __exp10f(x) std::pow(10.0F, static_cast<float>(x))
#define __logf(x) std::log(static_cast<float>(x))
#define __log2f(x) std::log2(static_cast<float>(x))
#define __log10f(x) std::log10(static_cast<float>(x))
#define __powf(x, y) std::pow(static_cast<float>(x), static_cast<float>(y))
#define __sinf(x) std::sin(static_cast<float>(x))
#define __cosf(x) std::cos(static_cast<float>(x))
#define __tanf(x) std::tan(static_cast<float>(x))

template <class T>
T __ldg(const T* address) {
  return *address;
}

constexpr int min(int x, int y) { return y < x ? y : x; }
constexpr unsigned min(unsigned x, unsigned y) { return y < x ? y : x; }
constexpr long min(long x, long y) { return y < x ? y : x; }
constexpr unsigned long min(unsigned long x, unsigned long y) { return y < x ? y : x; }
constexpr long long min(long long x, long long y) { return y < x ? y : x; }
constexpr unsigned long long min(unsigned long long x, unsigned long long y) {
  return y < x ? y : x;
}
inline float min(float x, float y) { return std::fmin(x, y); }
inline double min(double x, double y) { return std::fmin(x, y); }
constexpr int max(int x, int y) { return x < y ? y : x; }
constexpr unsigned max(unsigned x, unsigned y) { return x < y ? y : x; }
constexpr long max(long x, long y) { return x < y ? y : x; }
constexpr unsigned long max(unsigned long x, unsigned long y) { return x < y ? y : x; }
constexpr long long max(long long x, long long y) { return x < y ? y : x; }
constexpr unsigned long long max(unsigned long long x, unsigned long long y) {
  return x < y ? y : x;
}
inline float max(float x, float y) { return std::fmax(x, y); }
inline double max(double x, double y) { return std::fmax(x, y); }

// ---- Atomics: other launches may run at the same time, on other threads of the host -------------

// Stores change(old) in place of the value, and returns the old one.
template <class T, class Change>
T tenon_emulated_atomic(T* address, Change change) {
  std::atomic_ref<T> value(*address);
  T old = value.load(std::memory_order_relaxed);
  while (!value.compare_exchange_weak(old, change(old), std::memory_order_relaxed)) {
  }
  return old;
}
template <class T>
T atomicAdd(T* address, std::type_identity_t<T> value) {
  return tenon_emulated_atomic(address, [=](T old) { return static_cast<T>(old + value); });
}
template <class T>
T atomicSub(T* address, std::type_identity_t<T> value) {
  return tenon_emulated_atomic(address, [=](T old) { return static_cast<T>(old - value); });
}
template <class T>
T atomicExch(T* address, std::type_identity_t<T> value) {
  return tenon_emulated_atomic(address, [=](T) { return value; });
}
template <class T>
T atomicMin(T* address, std::type_identity_t<T> value) {
  return tenon_emulated_atomic(address, [=](T old) { return value < old ? value : old; });
}
template <class T>
T atomicMax(T* address, std::type_identity_t<T> value) {
  return tenon_emulated_atomic(address, [=](T old) { return old < value ? value : old; });
}
template <class T>
T atomicAnd(T* address, std::type_identity_t<T> value) {
  return tenon_emulated_atomic(address, [=](T old) { return old & value; });
}
template <class T>
T atomicOr(T* address, std::type_identity_t<T> value) {
  return tenon_emulated_atomic(address, [=](T old) { return old | value; });
}
template <class T>
T atomicXor(T* address, std::type_identity_t<T> value) {
  return tenon_emulated_atomic(address, [=](T old) { return old ^ value; });
}
template <class T>
T atomicCAS(T* address, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  return tenon_emulated_atomic(address, [=](T old) { return old == expected ? value : old; });
}
inline unsigned atomicInc(unsigned* address, unsigned most) {
  return tenon_emulated_atomic(address, [=](unsigned old) { return old >= most ? 0 : old + 1; });
}
inline unsigned atomicDec(unsigned* address, unsigned most) {
  return tenon_emulated_atomic(
      address, [=](unsigned old) { return old == 0 || old > most ? most : old - 1; });
}
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
