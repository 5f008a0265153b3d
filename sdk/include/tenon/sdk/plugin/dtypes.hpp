// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/dtypes.hpp: dtypes as C++ types: which type stores one, how it is read, how
// converted.
#pragma once

#include <tenon/sdk/plugin/base.hpp>
#include <tenon/sdk/plugin/half.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace tenon::sdk {

// A stored truth value: any byte but 0 reads as true, and only 0 and 1 are written.
struct Bool {
  uint8_t byte = 0;

  constexpr Bool() = default;
  constexpr explicit Bool(bool value) : byte(value ? 1 : 0) {}
  constexpr operator bool() const { return byte != 0; }
};

template <class T>
inline constexpr bool is_float_type =
    std::is_floating_point_v<T> || std::is_same_v<T, F16> || std::is_same_v<T, BF16>;

template <class T>
constexpr tenon_dtype dtype_of() {
  if constexpr (std::is_same_v<T, Bool>)
    return TENON_DTYPE_BOOL;
  else if constexpr (std::is_same_v<T, F16>)
    return TENON_DTYPE_F16;
  else if constexpr (std::is_same_v<T, BF16>)
    return TENON_DTYPE_BF16;
  else if constexpr (is_float_type<T>)
    return TENON_DTYPE_MAKE(2, sizeof(T) * 8);
  else
    return TENON_DTYPE_MAKE(std::is_signed_v<T> ? 0 : 1, sizeof(T) * 8);
}

// The type in which + - * / give the dtype's single rounding: float for the 16-bit floats (24 bits
// are enough for that), unsigned for integers (they wrap), else the dtype itself.
template <class T>
using Compute = std::conditional_t<is_float_type<T>,
                                   std::conditional_t<std::is_same_v<T, double>, double, float>,
                                   std::conditional_t<std::is_same_v<T, Bool>, uint8_t, uint64_t>>;

// The type of a wide accumulator: double, or 64 wrapping bits for integers.
template <class T>
using Wide = std::conditional_t<is_float_type<T>, double, uint64_t>;

// ---- Dispatch -----------------------------------------------------------------------------------

template <class... T>
struct TypeList {};
using FloatTypes = TypeList<F16, BF16, float, double>;
using IntegerTypes = TypeList<uint8_t, int8_t, int16_t, int32_t, int64_t>;
using NumberTypes = TypeList<uint8_t, int8_t, int16_t, int32_t, int64_t, F16, BF16, float, double>;
using WideNumberTypes = TypeList<int64_t, F16, BF16, float, double>;
using AllTypes =
    TypeList<Bool, uint8_t, int8_t, int16_t, int32_t, int64_t, F16, BF16, float, double>;

template <class F, class... T>
void dispatch_dtype_in(TypeList<T...>, tenon_dtype dtype, F& body) {
  const bool found =
      ((dtype == dtype_of<T>() ? (body.template operator()<T>(), true) : false) || ...);
  if (!found) {
    throw Failure{TENON_E_DTYPE, "a kernel was given a dtype that it does not list", "", "",
                  std::to_string(dtype)};
  }
}

// Calls body.operator()<T>() with the C++ type of `dtype`:
//   dispatch_dtype<FloatTypes>(x.dtype, [&]<class T>() { ... });
template <class Types = AllTypes, class F>
void dispatch_dtype(tenon_dtype dtype, F&& body) {
  dispatch_dtype_in(Types(), dtype, body);
}

// The same with an unsigned type of the dtype's size, for kernels that only move elements.
template <class F>
void dispatch_size(tenon_dtype dtype, F&& body) {
  switch (size_of(dtype)) {
    case 1:
      return body.template operator()<uint8_t>();
    case 2:
      return body.template operator()<uint16_t>();
    case 4:
      return body.template operator()<uint32_t>();
    case 8:
      return body.template operator()<uint64_t>();
    default:
      throw Failure{TENON_E_DTYPE, "a kernel was given a dtype of unknown size", "",
                    "1, 2, 4 or 8 bytes", std::to_string(size_of(dtype))};
  }
}

// ---- Access and conversion ----------------------------------------------------------------------

// Loads and stores that need no alignment; compilers make single moves of them.
template <class T>
T load(const void* address) {
  T value;
  std::memcpy(&value, address, sizeof value);
  return value;
}
template <class T>
void store(void* address, T value) {
  std::memcpy(address, &value, sizeof value);
}

// `value` as a double that rounds to a 16-bit float as `value` itself would. Beyond 2^53 a double
// cannot hold every integer: the low bits are folded into one that only says "not a tie".
template <class From>
constexpr double double_to_round(From value) {
  if constexpr (sizeof(From) == 8 && std::is_integral_v<From>) {
    constexpr From exact = From{1} << 53;
    constexpr From low = 0xFFF;
    if (value > exact || value < -exact) {
      const From sticky = (value & low) ? From{0x1000} : From{0};
      return static_cast<double>((value & ~low) | sticky);
    }
  }
  return static_cast<double>(value);
}

// `value` as a To. Floats round to nearest, ties to even. To integers: floats are truncated toward
// zero, values past the range take its end, NaN gives 0; integers wrap. To Bool: value != 0.
template <class To, class From>
constexpr To convert(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<From, F16> || std::is_same_v<From, BF16>) {
    return convert<To>(static_cast<float>(value));
  } else if constexpr (std::is_same_v<From, Bool>) {
    return convert<To>(static_cast<uint8_t>(value ? 1 : 0));
  } else if constexpr (std::is_same_v<To, Bool>) {
    return Bool(value != From(0));
  } else if constexpr (std::is_same_v<To, F16> || std::is_same_v<To, BF16>) {
    return To(double_to_round(value));
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    using Limits = std::numeric_limits<To>;
    // Both ends are powers of two, so exact in any float: [min, max + 1).
    constexpr double low = static_cast<double>(Limits::min());
    constexpr To half = static_cast<To>(Limits::max() / 2 + 1);
    constexpr double past = static_cast<double>(half) * 2.0;
    const double wide = static_cast<double>(value);
    if (wide != wide) return To(0);
    if (wide < low) return Limits::min();
    if (wide >= past) return Limits::max();
    return static_cast<To>(wide);
  } else {
    return static_cast<To>(value);
  }
}

// A computed value stored as a T: floats round, integers wrap.
template <class T, class From>
constexpr T narrow(From value) {
  if constexpr (std::is_same_v<T, F16> || std::is_same_v<T, BF16>) {
    return T(static_cast<double>(value));
  } else {
    return static_cast<T>(value);
  }
}

}  // namespace tenon::sdk
