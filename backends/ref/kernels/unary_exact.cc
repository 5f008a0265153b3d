// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/unary_exact.cc: abs, sign, square, reciprocal, rsqrt, floor, ceil, round,
// trunc, isnan, isinf, logical_not, bitwise_not.
//
// All of it is exact, or IEEE operations of the dtype that are rounded one by one.

#include <cmath>

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

// 16-bit floats are computed with as float, Bool as bool.
template <class T>
using C = std::conditional_t<sdk::is_float_type<T>, sdk::Compute<T>,
                             std::conditional_t<std::is_same_v<T, sdk::Bool>, bool, T>>;

// Modulo 2^bits.
template <class T>
T wrapped(uint64_t bits) {
  return static_cast<T>(bits);
}

struct Abs {
  template <class V>
  V operator()(V x) const {
    if constexpr (std::is_floating_point_v<V>) return std::fabs(x);
    return x < V(0) ? wrapped<V>(uint64_t{0} - static_cast<uint64_t>(x)) : x;
  }
};
struct Sign {
  template <class V>
  V operator()(V x) const {
    if constexpr (std::is_floating_point_v<V>) {
      if (std::isnan(x)) return x;
    }
    return static_cast<V>((x > V(0)) - (x < V(0)));
  }
};
struct Square {
  template <class V>
  V operator()(V x) const {
    if constexpr (std::is_floating_point_v<V>) return x * x;
    return wrapped<V>(static_cast<uint64_t>(x) * static_cast<uint64_t>(x));
  }
};
struct Reciprocal {
  template <class V>
  V operator()(V x) const {
    return V(1) / x;
  }
};
struct Rsqrt {
  template <class V>
  V operator()(V x) const {
    return V(1) / std::sqrt(x);
  }
};

// Of integers these are the integers themselves. The mode of rounding is to nearest even.
template <double (*F)(double)>
struct Rounded {
  template <class V>
  V operator()(V x) const {
    if constexpr (std::is_floating_point_v<V>) return static_cast<V>(F(static_cast<double>(x)));
    return x;
  }
};
double floor_of(double x) { return std::floor(x); }
double ceil_of(double x) { return std::ceil(x); }
double trunc_of(double x) { return std::trunc(x); }
double even_of(double x) { return std::nearbyint(x); }

struct IsNan {
  template <class V>
  bool operator()(V x) const {
    if constexpr (std::is_floating_point_v<V>) return std::isnan(x);
    return false;
  }
};
struct IsInf {
  template <class V>
  bool operator()(V x) const {
    if constexpr (std::is_floating_point_v<V>) return std::isinf(x);
    return false;
  }
};
struct LogicalNot {
  template <class V>
  bool operator()(V x) const {
    return x == V(0);
  }
};

// Numbers to numbers of the same dtype.
template <class F>
void number(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::NumberTypes>(l.out().dtype, [&]<class T>() {
    each_element<T, T>(l, [](T x) {
      if constexpr (sdk::is_float_type<T>) {
        return sdk::narrow<T>(F()(static_cast<C<T>>(x)));
      } else {
        return F()(x);
      }
    });
  });
}
template <class F>
void real(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    each_element<T, T>(l, [](T x) { return sdk::narrow<T>(F()(static_cast<C<T>>(x))); });
  });
}
template <class F>
void truth(const sdk::Launch& l) {
  sdk::dispatch_dtype(l.view(0).dtype, [&]<class T>() {
    each_element<sdk::Bool, T>(l, [](T x) { return sdk::Bool(F()(static_cast<C<T>>(x))); });
  });
}
void bitwise_not(const sdk::Launch& l) {
  if (l.out().dtype == TENON_DTYPE_BOOL) return truth<LogicalNot>(l);
  sdk::dispatch_dtype<sdk::IntegerTypes>(l.out().dtype, [&]<class T>() {
    each_element<T, T>(l, [](T x) { return static_cast<T>(~x); });
  });
}

constexpr tenon_dtype kBits[] = {TENON_DTYPE_BOOL, TENON_DTYPE_U8,  TENON_DTYPE_I8,
                                 TENON_DTYPE_I16,  TENON_DTYPE_I32, TENON_DTYPE_I64};

constexpr tenon_kernel_desc unary(std::string_view op, std::span<const tenon_dtype> rows,
                                  LaunchFn launch) {
  return kernel(op, kUnarySlots, rows, 0, launch);
}

constexpr tenon_kernel_desc kernels[] = {
    unary("tenon.abs", sdk::kNumbers, sdk::launch_fn<number<Abs>>),
    unary("tenon.sign", sdk::kNumbers, sdk::launch_fn<number<Sign>>),
    unary("tenon.square", sdk::kNumbers, sdk::launch_fn<number<Square>>),
    unary("tenon.reciprocal", sdk::kFloats, sdk::launch_fn<real<Reciprocal>>),
    unary("tenon.rsqrt", sdk::kFloats, sdk::launch_fn<real<Rsqrt>>),
    unary("tenon.floor", sdk::kNumbers, sdk::launch_fn<number<Rounded<floor_of>>>),
    unary("tenon.ceil", sdk::kNumbers, sdk::launch_fn<number<Rounded<ceil_of>>>),
    unary("tenon.trunc", sdk::kNumbers, sdk::launch_fn<number<Rounded<trunc_of>>>),
    unary("tenon.round", sdk::kNumbers, sdk::launch_fn<number<Rounded<even_of>>>),
    unary("tenon.isnan", sdk::kAllDtypes, sdk::launch_fn<truth<IsNan>>),
    unary("tenon.isinf", sdk::kAllDtypes, sdk::launch_fn<truth<IsInf>>),
    unary("tenon.logical_not", sdk::kAllDtypes, sdk::launch_fn<truth<LogicalNot>>),
    unary("tenon.bitwise_not", kBits, sdk::launch_fn<bitwise_not>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(unary_exact) = {.kernels = tenon::ref::kernels};
