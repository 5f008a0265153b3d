// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/unary.cu: neg, abs, sign, square, relu, sqrt, rsqrt, reciprocal, floor,
// ceil, trunc, round, isnan, isinf, isfinite, logical_not, bitwise_not.
//
// All of it is exact, or IEEE operations of the dtype that are rounded one by one. Integers wrap:
// they are computed with as unsigned ones.
#include "elementwise.h"
#include "same.h"
#include "wrapping.h"

namespace tenon::cuda::unary_unit {
namespace {

struct Negate {
  template <class V>
  __device__ V operator()(V x) const {
    if constexpr (std::is_floating_point_v<V>) return -x;
    return wrapped<V>(unsigned_of(V(0)) - unsigned_of(x));
  }
};
struct Abs {
  template <class V>
  __device__ V operator()(V x) const {
    if constexpr (std::is_floating_point_v<V>) return std::fabs(x);
    return is_negative(x) ? Negate()(x) : x;
  }
};
struct Sign {
  template <class V>
  __device__ V operator()(V x) const {
    if (x != x) return x;
    return static_cast<V>((x > V(0)) - is_negative(x));
  }
};
struct Square {
  template <class V>
  __device__ V operator()(V x) const {
    if constexpr (std::is_floating_point_v<V>) return x * x;
    return wrapped<V>(unsigned_of(x) * unsigned_of(x));
  }
};
// NaN and -0 stay as they are.
struct Relu {
  template <class V>
  __device__ V operator()(V x) const {
    return is_negative(x) ? V(0) : x;
  }
};
struct Sqrt {
  template <class V>
  __device__ V operator()(V x) const {
    return std::sqrt(x);
  }
};
struct Rsqrt {
  template <class V>
  __device__ V operator()(V x) const {
    return V(1) / std::sqrt(x);
  }
};
struct Reciprocal {
  template <class V>
  __device__ V operator()(V x) const {
    return V(1) / x;
  }
};

// One functor for the four, as their kernels wait for memory alone. No branch depends on the mode:
// the compiler would spend most of the library's time on the paths through a pack's elements.
struct Round {
  enum Mode : uint32_t { kDown, kUp, kToZero, kToEven } mode;
  template <class V>
  __device__ V operator()(V x) const {
    const V whole = std::trunc(x);
    const V even = std::rint(x);
    const V step = mode == kDown && whole > x ? V(-1) : mode == kUp && whole < x ? V(1) : V(0);
    const V directed = step == V(0) ? whole : whole + step;  // a zero keeps its sign
    return mode == kToEven ? even : directed;
  }
};

// Is x of one of the kinds that are asked for?
struct IsOfKind {
  enum Kind : uint32_t { kFinite = 1, kInfinite = 2, kNan = 4 };
  uint32_t kinds;
  template <class T>
  __device__ sdk::Bool operator()(T stored) const {
    const auto x = widen(stored);
    const uint32_t kind = x != x ? kNan : x - x == 0 ? kFinite : kInfinite;
    return sdk::Bool((kinds & kind) != 0);
  }
};
struct Always {
  bool answer;
  __device__ sdk::Bool operator()() const { return sdk::Bool(answer); }
};

struct LogicalNot {
  template <class T>
  __device__ sdk::Bool operator()(T x) const {
    return sdk::Bool(widen(x) == Arithmetic<T>(0));
  }
};
struct BitwiseNot {
  template <class T>
  __device__ T operator()(T x) const {
    return static_cast<T>(~x);
  }
};

template <class F, class Types>
void arithmetic(const sdk::Launch& l) {
  sdk::dispatch_dtype<Types>(l.out().dtype,
                             [&]<class T>() { elementwise<T, T>(l, InArithmetic<F>()); });
}
template <class F>
void number(const sdk::Launch& l) {
  arithmetic<F, sdk::NumberTypes>(l);
}
template <class F>
void real(const sdk::Launch& l) {
  arithmetic<F, sdk::FloatTypes>(l);
}

// Of integers these are the integers themselves.
template <Round::Mode mode>
void rounded(const sdk::Launch& l) {
  if (sdk::is_float(l.out().dtype)) {
    const InArithmetic<Round> f{{mode}};
    sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype,
                                         [&]<class T>() { elementwise<T, T>(l, f); });
  } else {
    leave_alone(l);
  }
}

template <uint32_t kinds>
void is_of_kind(const sdk::Launch& l) {
  if (!sdk::is_float(l.view(0).dtype)) {
    return elementwise<sdk::Bool>(l, Always{(kinds & IsOfKind::kFinite) != 0});
  }
  sdk::dispatch_dtype<sdk::FloatTypes>(
      l.view(0).dtype, [&]<class T>() { elementwise<sdk::Bool, T>(l, IsOfKind{kinds}); });
}

// A zero of an integer is one of its bits.
void logical_not(const sdk::Launch& l) {
  const tenon_dtype dtype = l.view(0).dtype;
  if (sdk::is_float(dtype)) {
    sdk::dispatch_dtype<sdk::FloatTypes>(
        dtype, [&]<class T>() { elementwise<sdk::Bool, T>(l, LogicalNot()); });
  } else {
    sdk::dispatch_size(dtype, [&]<class T>() { elementwise<sdk::Bool, T>(l, LogicalNot()); });
  }
}
void bitwise_not(const sdk::Launch& l) {
  if (l.out().dtype == TENON_DTYPE_BOOL) return logical_not(l);
  sdk::dispatch_size(l.out().dtype, [&]<class T>() { elementwise<T, T>(l, BitwiseNot()); });
}

constexpr tenon_dtype kBits[] = {TENON_DTYPE_BOOL, TENON_DTYPE_U8,  TENON_DTYPE_I8,
                                 TENON_DTYPE_I16,  TENON_DTYPE_I32, TENON_DTYPE_I64};

template <void (*Run)(const sdk::Launch&)>
constexpr tenon_kernel_desc unary(std::string_view op, std::span<const tenon_dtype> rows) {
  return kernel(op, kUnarySlots, rows, sdk::launch_fn<Run>);
}

constexpr tenon_kernel_desc kernels[] = {
    unary<number<Negate>>("tenon.neg", sdk::kNumbers),
    unary<number<Abs>>("tenon.abs", sdk::kNumbers),
    unary<number<Sign>>("tenon.sign", sdk::kNumbers),
    unary<number<Square>>("tenon.square", sdk::kNumbers),
    unary<number<Relu>>("tenon.relu", sdk::kNumbers),
    unary<real<Sqrt>>("tenon.sqrt", sdk::kFloats),
    unary<real<Rsqrt>>("tenon.rsqrt", sdk::kFloats),
    unary<real<Reciprocal>>("tenon.reciprocal", sdk::kFloats),
    unary<rounded<Round::kDown>>("tenon.floor", sdk::kNumbers),
    unary<rounded<Round::kUp>>("tenon.ceil", sdk::kNumbers),
    unary<rounded<Round::kToZero>>("tenon.trunc", sdk::kNumbers),
    unary<rounded<Round::kToEven>>("tenon.round", sdk::kNumbers),
    unary<is_of_kind<IsOfKind::kNan>>("tenon.isnan", sdk::kAllDtypes),
    unary<is_of_kind<IsOfKind::kInfinite>>("tenon.isinf", sdk::kAllDtypes),
    unary<is_of_kind<IsOfKind::kFinite>>("tenon.isfinite", sdk::kAllDtypes),
    unary<logical_not>("tenon.logical_not", sdk::kAllDtypes),
    unary<bitwise_not>("tenon.bitwise_not", kBits),
};

}  // namespace
}  // namespace tenon::cuda::unary_unit

TENON_UNIT(unary) = {.kernels = tenon::cuda::unary_unit::kernels};
