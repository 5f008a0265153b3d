// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/ternary.cu: where, fma, lerp, addcmul, addcdiv, clamp.
//
//   lerp     x + w (y - x), or y - (y - x) (1 - w) from |w| = 1/2 on
//   addcmul  x + (value a) b        addcdiv  x + (value a) / b
// each operation rounded by itself; fma: a b + c, rounded once. For 16-bit floats fma's product is
// exact in double and the sum is rounded there to odd, which leaves a second rounding all it needs.
// Source: S. Boldo, G. Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms
// using rounding to odd", 2008.
#include "elementwise.h"
#include "exact.h"
#include "same.h"
#include "wrapping.h"

namespace tenon::cuda::ternary_unit {
namespace {

struct Where {
  template <class T>
  __device__ T operator()(sdk::Bool condition, T a, T b) const {
    return condition ? a : b;
  }
};

// a + b: exact, or the one of its two neighbours whose last bit is 1.
__device__ __forceinline__ double sum_to_odd(double a, double b) {
  const Exact<double> sum = any_sum(a, b);
  auto bits = std::bit_cast<int64_t>(sum.rounded);
  if (!(std::fabs(sum.rounded) <= 0x1p1023) || sum.lost == 0 || (bits & 1) != 0) return sum.rounded;
  bits += (sum.lost > 0) == (sum.rounded > 0) ? 1 : -1;
  return std::bit_cast<double>(bits);
}

struct Fma {
  template <class T>
  __device__ T operator()(T a, T b, T c) const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::fma(a, b, c);
    } else {
      const double exact = static_cast<double>(widen(a)) * static_cast<double>(widen(b));
      return narrow<T>(sum_to_odd(exact, static_cast<double>(widen(c))));
    }
  }
};

struct Lerp {
  template <class V>
  __device__ V operator()(V x, V y, V w) const {
    const V way = y - x;
    return std::fabs(w) < V(0.5) ? x + w * way : y - way * (V(1) - w);
  }
};

// `value` is of the type in which arithmetic is done, unsigned for integers.
template <class C, bool divides>
struct AddScaled {
  C value;
  template <class V>
  __device__ V operator()(V x, V a, V b) const {
    if constexpr (!std::is_floating_point_v<V>) {
      return wrapped<V>(unsigned_of(x) + value * unsigned_of(a) * unsigned_of(b));
    } else if constexpr (divides) {
      return x + value * a / b;
    } else {
      return x + value * a * b;
    }
  }
};

// NaN wins whichever side it is on; of equal values (also -0 and +0) the first is taken.
template <class V>
__device__ __forceinline__ V smaller(V a, V b) {
  return b < a || b != b ? b : a;
}
template <class V>
__device__ __forceinline__ V larger(V a, V b) {
  return a < b || b != b ? b : a;
}
struct Clamp {
  template <class V>
  __device__ V operator()(V x, V least, V most) const {
    return smaller(larger(x, least), most);
  }
};
struct ClampOneSide {
  bool from_below;
  template <class V>
  __device__ V operator()(V x, V limit) const {
    return from_below ? larger(x, limit) : smaller(x, limit);
  }
};
void where(const sdk::Launch& l) {
  sdk::dispatch_size(l.out().dtype,
                     [&]<class T>() { elementwise<T, sdk::Bool, T, T>(l, Where()); });
}
void fused(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype,
                                       [&]<class T>() { elementwise<T, T, T, T>(l, Fma()); });
}
void lerp(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(
      l.out().dtype, [&]<class T>() { elementwise<T, T, T, T>(l, InArithmetic<Lerp>()); });
}

template <bool divides>
void add_scaled(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    using F = AddScaled<Arithmetic<T>, divides>;
    elementwise<T, T, T, T>(l, InArithmetic<F>{{static_cast<Arithmetic<T>>(l.attrs.real(0))}});
  });
}
// Integers of one size give the same bits, signed or not.
void addcmul(const sdk::Launch& l) {
  if (sdk::is_float(l.out().dtype)) return add_scaled<false>(l);
  sdk::dispatch_size(l.out().dtype, [&]<class T>() {
    const auto value = static_cast<T>(l.attrs.integer(0));
    using F = AddScaled<Unsigned<T>, false>;
    elementwise<T, T, T, T>(l, InArithmetic<F>{{value}});
  });
}

enum Slot : uint32_t { kX, kMin, kMax };

// An absent limit has no view, so that the one there is comes second in either case.
void clamp(const sdk::Launch& l) {
  const bool below = l.given(kMin), above = l.given(kMax);
  if (!below && !above) return leave_alone(l);
  sdk::dispatch_dtype<sdk::NumberTypes>(l.out().dtype, [&]<class T>() {
    if (below && above) {
      elementwise<T, T, T, T>(l, InArithmetic<Clamp>());
    } else {
      elementwise<T, T, T>(l, InArithmetic<ClampOneSide>{{below}});
    }
  });
}

template <void (*Run)(const sdk::Launch&)>
constexpr tenon_kernel_desc ternary(std::string_view op, std::span<const tenon_dtype> rows,
                                    uint32_t n_attrs = 0) {
  return kernel(op, kTernarySlots, rows, sdk::launch_fn<Run>, {.n_attrs = n_attrs});
}

constexpr tenon_kernel_desc kernels[] = {
    ternary<where>("tenon.where", sdk::kAllDtypes),
    ternary<fused>("tenon.fma", sdk::kFloats),
    ternary<lerp>("tenon.lerp", sdk::kFloats),
    ternary<addcmul>("tenon.addcmul", sdk::kNumbers, 1),
    ternary<add_scaled<true>>("tenon.addcdiv", sdk::kFloats, 1),
    ternary<clamp>("tenon.clamp", sdk::kNumbers),
};

}  // namespace
}  // namespace tenon::cuda::ternary_unit

TENON_UNIT(ternary) = {.kernels = tenon::cuda::ternary_unit::kernels};
