// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/bits.cu: bitwise_and, bitwise_or, bitwise_xor, bitwise_left_shift,
// bitwise_right_shift; pow of integers.
//
// A count below 0 or of the width and more moves every bit out: what is left is 0, or the sign of
// an integer that is moved down. Powers are modulo 2^bits, by squaring.
#include "elementwise.h"
#include "wrapping.h"

namespace tenon::cuda::bits_unit {
namespace {

struct And {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
  __device__ sdk::Bool operator()(sdk::Bool a, sdk::Bool b) const { return sdk::Bool(a && b); }
};
struct Or {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
  __device__ sdk::Bool operator()(sdk::Bool a, sdk::Bool b) const { return sdk::Bool(a || b); }
};
struct Xor {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
  __device__ sdk::Bool operator()(sdk::Bool a, sdk::Bool b) const {
    return sdk::Bool(static_cast<bool>(a) != static_cast<bool>(b));
  }
};

template <class F>
void bitwise(const sdk::Launch& l) {
  using B = sdk::Bool;
  if (l.out().dtype == TENON_DTYPE_BOOL) return elementwise<B, B, B>(l, F());
  sdk::dispatch_size(l.out().dtype, [&]<class T>() { elementwise<T, T, T>(l, F()); });
}

template <class T>
__device__ __forceinline__ bool is_inside(T count) {
  return !is_negative(count) && static_cast<uint64_t>(count) < 8 * sizeof(T);
}
struct Up {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return is_inside(b) ? wrapped<T>(unsigned_of(a) << b) : T(0);
  }
};
struct Down {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return is_inside(b) ? static_cast<T>(a >> b) : is_negative(a) ? static_cast<T>(-1) : T(0);
  }
};
// A negative exponent leaves the whole part of 1 / a^-b.
struct Power {
  template <class T>
  __device__ T operator()(T a, T b) const {
    if (is_negative(b))
      return a == 1 || (a == T(-1) && b % 2 == 0) ? T(1) : a == T(-1) ? T(-1) : T(0);
    auto square = unsigned_of(a);
    decltype(square) power = 1;
    for (auto rest = unsigned_of(b); rest != 0; rest >>= 1) {
      if (rest & 1) power *= square;
      square *= square;
    }
    return wrapped<T>(power);
  }
};

template <class F>
void integers(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::IntegerTypes>(l.out().dtype,
                                         [&]<class T>() { elementwise<T, T, T>(l, F()); });
}

constexpr tenon_dtype bit_dtypes[] = {TENON_DTYPE_BOOL, TENON_DTYPE_U8,  TENON_DTYPE_I8,
                                      TENON_DTYPE_I16,  TENON_DTYPE_I32, TENON_DTYPE_I64};

template <void (*Run)(const sdk::Launch&)>
constexpr tenon_kernel_desc on_bits(std::string_view op, std::span<const tenon_dtype> rows) {
  return kernel(op, kBinarySlots, rows, sdk::launch_fn<Run>);
}

constexpr tenon_kernel_desc kernels[] = {
    on_bits<bitwise<And>>("tenon.bitwise_and", bit_dtypes),
    on_bits<bitwise<Or>>("tenon.bitwise_or", bit_dtypes),
    on_bits<bitwise<Xor>>("tenon.bitwise_xor", bit_dtypes),
    on_bits<integers<Up>>("tenon.bitwise_left_shift", sdk::kIntegers),
    on_bits<integers<Down>>("tenon.bitwise_right_shift", sdk::kIntegers),
    on_bits<integers<Power>>("tenon.pow", sdk::kIntegers),
};

}  // namespace
}  // namespace tenon::cuda::bits_unit

TENON_UNIT(bits) = {.kernels = tenon::cuda::bits_unit::kernels};
