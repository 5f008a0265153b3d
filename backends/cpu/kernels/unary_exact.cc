// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/unary_exact.cc: abs, sign, square, reciprocal, rsqrt, floor, ceil, round,
// trunc, isnan, isinf, logical_not, bitwise_not.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/unary_exact.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class V>
inline constexpr bool has_floats = std::is_floating_point_v<hn::TFromV<V>>;

struct OneOperation {
  static constexpr bool kStreams = true;
};

// The sign bit of every float, NaN too; integers wrap.
struct Abs : OneOperation {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    if constexpr (std::is_unsigned_v<hn::TFromV<V>>) {
      return x;
    } else if constexpr (has_floats<V>) {
      return hn::Abs(x);
    } else {
      const V negative = hn::Sub(hn::Zero(hn::DFromV<V>()), x);
      return hn::IfThenElse(hn::Lt(x, hn::Zero(hn::DFromV<V>())), negative, x);
    }
  }
};
// What is neither above nor below 0 is a zero, which loses its sign, or NaN.
struct Sign : OneOperation {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    using T = hn::TFromV<V>;
    const hn::DFromV<V> d;
    const V zero = hn::Zero(d);
    V y = hn::IfThenElse(hn::Eq(x, zero), zero, x);
    y = hn::IfThenElse(hn::Gt(x, zero), hn::Set(d, T(1)), y);
    if constexpr (std::is_unsigned_v<T>) return y;
    return hn::IfThenElse(hn::Lt(x, zero), hn::Set(d, T(-1)), y);
  }
};
// Of bytes, which no instruction set multiplies, tenon.ref has it.
struct Square : OneOperation {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Mul(x, x);
  }
};
struct Reciprocal : OneOperation {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Div(hn::Set(hn::DFromV<V>(), hn::TFromV<V>(1)), x);
  }
};
struct Rsqrt : OneOperation {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Div(hn::Set(hn::DFromV<V>(), hn::TFromV<V>(1)), hn::Sqrt(x));
  }
};

struct Floor : OneOperation {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Floor(x);
  }
};
struct Ceil : OneOperation {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Ceil(x);
  }
};
struct Trunc : OneOperation {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Trunc(x);
  }
};
struct Round : OneOperation {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Round(x);
  }
};
struct Itself : OneOperation {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return x;
  }
};

struct Truth {
  static constexpr bool kStreams = false;
};
struct IsNan : Truth {
  template <class D, class V>
  HWY_INLINE auto operator()(D, V x) const {
    return hn::IsNaN(x);
  }
};
struct IsInf : Truth {
  template <class D, class V>
  HWY_INLINE auto operator()(D, V x) const {
    return hn::IsInf(x);
  }
};
struct Never : Truth {
  template <class D, class V>
  HWY_INLINE auto operator()(D, V) const {
    const hn::DFromV<V> d;
    return hn::Lt(hn::Zero(d), hn::Zero(d));
  }
};
struct LogicalNot : Truth {
  template <class D, class V>
  HWY_INLINE auto operator()(D, V x) const {
    return hn::Eq(x, hn::Zero(hn::DFromV<V>()));
  }
};
struct BitwiseNot : OneOperation {
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return hn::Not(x);
  }
};

// What stands for all integers and truth values of one size, where their meaning does not matter.
template <class T>
struct SameSize {
  using Type =
      std::conditional_t<sizeof(T) == 8, int64_t,
                         std::conditional_t<sizeof(T) == 4, int32_t,
                                            std::conditional_t<sizeof(T) == 2, int16_t, uint8_t>>>;
};

template <class F>
struct Same {
  template <class T>
  struct Of {
    static HWY_INLINE tenon_status launch(tenon_call* call, const tenon_launch* args) {
      return Elementwise<F, T, T>::launch(call, args, F());
    }
  };
};
// F of floats; integers stay what they are.
template <class F>
struct Rounded {
  template <class T>
  struct Of {
    static HWY_INLINE tenon_status launch(tenon_call* call, const tenon_launch* args) {
      if constexpr (sdk::is_float_type<T>) return Same<F>::template Of<T>::launch(call, args);
      return Same<Itself>::template Of<typename SameSize<T>::Type>::launch(call, args);
    }
  };
};
template <class F, class OfOthers>
struct Whether {
  template <class T>
  struct Of {
    static HWY_INLINE tenon_status launch(tenon_call* call, const tenon_launch* args) {
      if constexpr (sdk::is_float_type<T>) {
        return Elementwise<F, sdk::Bool, T>::launch(call, args, F());
      } else {
        using Bits = typename SameSize<T>::Type;
        return Elementwise<OfOthers, sdk::Bool, Bits>::launch(call, args, OfOthers());
      }
    }
  };
};
template <class T>
struct Turned {
  static HWY_INLINE tenon_status launch(tenon_call* call, const tenon_launch* args) {
    if constexpr (std::is_same_v<T, sdk::Bool>) {
      return Whether<LogicalNot, LogicalNot>::Of<T>::launch(call, args);
    } else {
      return Same<BitwiseNot>::Of<typename SameSize<T>::Type>::launch(call, args);
    }
  }
};

using Floats = sdk::TypeList<float, double, sdk::BF16, sdk::F16>;
using Numbers =
    sdk::TypeList<float, double, sdk::BF16, sdk::F16, int64_t, int32_t, int16_t, int8_t, uint8_t>;
using All = sdk::TypeList<float, double, sdk::BF16, sdk::F16, int64_t, int32_t, int16_t, int8_t,
                          uint8_t, sdk::Bool>;
using BitTypes = sdk::TypeList<int64_t, int32_t, int16_t, int8_t, uint8_t, sdk::Bool>;

constexpr tenon_dtype kBits[] = {TENON_DTYPE_BOOL, TENON_DTYPE_U8,  TENON_DTYPE_I8,
                                 TENON_DTYPE_I16,  TENON_DTYPE_I32, TENON_DTYPE_I64};

using Products = sdk::TypeList<float, double, sdk::BF16, sdk::F16, int64_t, int32_t, int16_t>;
constexpr tenon_dtype kProducts[] = {TENON_DTYPE_F16, TENON_DTYPE_BF16, TENON_DTYPE_F32,
                                     TENON_DTYPE_F64, TENON_DTYPE_I16,  TENON_DTYPE_I32,
                                     TENON_DTYPE_I64};

template <class Types, template <class> class K>
tenon_status launch(tenon_call* call, const tenon_launch* args) {
  return launch_as<K>(Types(), sdk::Args(args).view(0).dtype, call, args);
}

constexpr tenon_kernel_desc number(std::string_view op, LaunchFn launch) {
  return elementwise(op, kUnarySlots, sdk::kNumbers, launch);
}
constexpr tenon_kernel_desc truth(std::string_view op, LaunchFn launch) {
  return elementwise(op, kUnarySlots, sdk::kAllDtypes, launch);
}

constexpr tenon_kernel_desc kernels[] = {
    number("tenon.abs", launch<Numbers, Same<Abs>::Of>),
    number("tenon.sign", launch<Numbers, Same<Sign>::Of>),
    elementwise("tenon.square", kUnarySlots, kProducts, launch<Products, Same<Square>::Of>),
    elementwise("tenon.reciprocal", kUnarySlots, sdk::kFloats,
                launch<Floats, Same<Reciprocal>::Of>),
    elementwise("tenon.rsqrt", kUnarySlots, sdk::kFloats, launch<Floats, Same<Rsqrt>::Of>),
    number("tenon.floor", launch<Numbers, Rounded<Floor>::Of>),
    number("tenon.ceil", launch<Numbers, Rounded<Ceil>::Of>),
    number("tenon.trunc", launch<Numbers, Rounded<Trunc>::Of>),
    number("tenon.round", launch<Numbers, Rounded<Round>::Of>),
    truth("tenon.isnan", launch<All, Whether<IsNan, Never>::Of>),
    truth("tenon.isinf", launch<All, Whether<IsInf, Never>::Of>),
    truth("tenon.logical_not", launch<All, Whether<LogicalNot, LogicalNot>::Of>),
    elementwise("tenon.bitwise_not", kUnarySlots, kBits, launch<BitTypes, Turned>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> unary_exact_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(unary_exact) = {.chosen_kernels = TENON_CPU_CHOOSE(unary_exact_kernels)};
#endif
