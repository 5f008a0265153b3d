// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/whole_quotient.cc: floor_divide and remainder.
//
// Of floats, q = a / b rounded is an integer or has the floor of the exact quotient; a whole q
// may lie above it, which the sign of a - q b says: fma gives that difference without an error in
// its sign. fmod is exact in C.

#include <cmath>
#include <limits>

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

// 2^p: from here on all floats are whole.
template <class C>
constexpr C kWhole = std::is_same_v<C, float> ? C(0x1p24) : C(0x1p53);

template <class C>
C float_quotient(C a, C b) {
  if (std::isinf(a) && b != 0) return std::numeric_limits<C>::quiet_NaN();
  const C down = std::floor(a / b);
  // a - down b; of a quotient that vanished, a itself, even if b is infinite.
  const C rest = down == 0 ? a : std::fma(-down, b, a);
  const bool above = (rest < 0 && b > 0) || (rest > 0 && b < 0);
  return above && std::abs(down) <= kWhole<C> ? down - 1 : down;
}

template <class C>
C float_rest(C a, C b) {
  const C rest = std::fmod(a, b);
  if (rest == 0) return std::copysign(C(0), b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

// Nothing here traps: neither the least integer by -1 nor anything by 0.
template <class T>
T integer_quotient(T a, T b) {
  if (b == 0) return 0;
  if (b == static_cast<T>(-1) && std::is_signed_v<T>) {
    return static_cast<T>(uint64_t{0} - static_cast<uint64_t>(a));
  }
  const bool below = a % b != 0 && (a < 0) != (b < 0);
  return static_cast<T>(a / b - (below ? 1 : 0));
}

template <class T>
T integer_rest(T a, T b) {
  if (b == 0 || (b == static_cast<T>(-1) && std::is_signed_v<T>)) return 0;
  const T rest = static_cast<T>(a % b);
  return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
}

struct Quotient {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (sdk::is_float_type<T>) {
      using C = sdk::Compute<T>;
      return sdk::narrow<T>(float_quotient<C>(static_cast<C>(a), static_cast<C>(b)));
    } else {
      return integer_quotient(a, b);
    }
  }
};
struct Rest {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (sdk::is_float_type<T>) {
      using C = sdk::Compute<T>;
      return sdk::narrow<T>(float_rest<C>(static_cast<C>(a), static_cast<C>(b)));
    } else {
      return integer_rest(a, b);
    }
  }
};

template <class F>
void divide(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::NumberTypes>(l.out().dtype,
                                        [&]<class T>() { each_element<T, T, T>(l, F()); });
}

constexpr tenon_kernel_desc division(std::string_view op, LaunchFn launch) {
  return kernel(op, kBinarySlots, sdk::kNumbers, 0, launch);
}

constexpr tenon_kernel_desc kernels[] = {
    division("tenon.floor_divide", sdk::launch_fn<divide<Quotient>>),
    division("tenon.remainder", sdk::launch_fn<divide<Rest>>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(whole_quotient) = {.kernels = tenon::ref::kernels};
