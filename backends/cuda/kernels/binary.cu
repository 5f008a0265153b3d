// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/binary.cu: add, sub, mul, div, maximum, minimum, floor_divide, remainder.
//
// IEEE operations of the dtype, rounded one by one; integers wrap.
//
// Of floats, floor_divide's q = a / b rounded is an integer or has the floor of the exact
// quotient; a whole q may lie above it, which the sign of a - q b says: fma gives that difference
// without an error in its sign. fmod is exact.
#include "elementwise.h"
#include "wrapping.h"

namespace tenon::cuda::binary_unit {
namespace {

struct Add {
  template <class V>
  __device__ V operator()(V a, V b) const {
    if constexpr (std::is_floating_point_v<V>) return a + b;
    return wrapped<V>(unsigned_of(a) + unsigned_of(b));
  }
};
struct Sub {
  template <class V>
  __device__ V operator()(V a, V b) const {
    if constexpr (std::is_floating_point_v<V>) return a - b;
    return wrapped<V>(unsigned_of(a) - unsigned_of(b));
  }
};
struct Mul {
  template <class V>
  __device__ V operator()(V a, V b) const {
    if constexpr (std::is_floating_point_v<V>) return a * b;
    return wrapped<V>(unsigned_of(a) * unsigned_of(b));
  }
};
struct Div {
  template <class V>
  __device__ V operator()(V a, V b) const {
    return a / b;
  }
};

// NaN wins whichever side it is on; of equal values (also -0 and +0) the first is taken.
struct Maximum {
  template <class V>
  __device__ V operator()(V a, V b) const {
    return a < b || b != b ? b : a;
  }
};
struct Minimum {
  template <class V>
  __device__ V operator()(V a, V b) const {
    return b < a || b != b ? b : a;
  }
};

// From here on all floats are whole.
template <class V>
inline constexpr V kWhole = sizeof(V) == 4 ? V(0x1p24) : V(0x1p53);

template <class V>
__device__ V float_quotient(V a, V b) {
  if (std::isinf(a) && b != 0) return a - a;
  const V down = std::floor(a / b);
  // a - down b; of a quotient that vanished, a itself, even if b is infinite.
  const V rest = down == 0 ? a : std::fma(-down, b, a);
  const bool above = (rest < 0 && b > 0) || (rest > 0 && b < 0);
  return above && std::fabs(down) <= kWhole<V> ? down - 1 : down;
}
template <class V>
__device__ V float_rest(V a, V b) {
  const V rest = std::fmod(a, b);
  if (rest == 0) return std::copysign(V(0), b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

// Nothing here divides the least integer by -1, or anything by 0.
template <class V>
__device__ V integer_quotient(V a, V b) {
  if (b == 0) return 0;
  if (std::is_signed_v<V> && b == static_cast<V>(-1)) return Sub()(V(0), a);
  const bool below = a % b != 0 && is_negative(a) != is_negative(b);
  return static_cast<V>(a / b - (below ? 1 : 0));
}
template <class V>
__device__ V integer_rest(V a, V b) {
  if (b == 0 || (std::is_signed_v<V> && b == static_cast<V>(-1))) return 0;
  const V rest = static_cast<V>(a % b);
  return rest != 0 && is_negative(rest) != is_negative(b) ? static_cast<V>(rest + b) : rest;
}

struct FloorDivide {
  template <class V>
  __device__ V operator()(V a, V b) const {
    if constexpr (std::is_floating_point_v<V>)
      return float_quotient(a, b);
    else
      return integer_quotient(a, b);
  }
};
struct Remainder {
  template <class V>
  __device__ V operator()(V a, V b) const {
    if constexpr (std::is_floating_point_v<V>)
      return float_rest(a, b);
    else
      return integer_rest(a, b);
  }
};

template <class Types, class F>
void arithmetic(const sdk::Launch& l) {
  sdk::dispatch_dtype<Types>(l.out().dtype,
                             [&]<class T>() { elementwise<T, T, T>(l, InArithmetic<F>()); });
}

// Integers of one size add up to the same bits, signed or not.
template <class F>
void same_bits(const sdk::Launch& l) {
  if (sdk::is_float(l.out().dtype)) return arithmetic<sdk::FloatTypes, F>(l);
  sdk::dispatch_size(l.out().dtype, [&]<class T>() { elementwise<T, T, T>(l, InArithmetic<F>()); });
}

template <void (*Run)(const sdk::Launch&)>
constexpr tenon_kernel_desc binary(std::string_view op, std::span<const tenon_dtype> rows) {
  return kernel(op, kBinarySlots, rows, sdk::launch_fn<Run>);
}

constexpr tenon_kernel_desc kernels[] = {
    binary<same_bits<Add>>("tenon.add", sdk::kNumbers),
    binary<same_bits<Sub>>("tenon.sub", sdk::kNumbers),
    binary<same_bits<Mul>>("tenon.mul", sdk::kNumbers),
    binary<arithmetic<sdk::FloatTypes, Div>>("tenon.div", sdk::kFloats),
    binary<arithmetic<sdk::NumberTypes, Maximum>>("tenon.maximum", sdk::kNumbers),
    binary<arithmetic<sdk::NumberTypes, Minimum>>("tenon.minimum", sdk::kNumbers),
    binary<arithmetic<sdk::NumberTypes, FloorDivide>>("tenon.floor_divide", sdk::kNumbers),
    binary<arithmetic<sdk::NumberTypes, Remainder>>("tenon.remainder", sdk::kNumbers),
};

}  // namespace
}  // namespace tenon::cuda::binary_unit

TENON_UNIT(binary) = {.kernels = tenon::cuda::binary_unit::kernels};
