// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/logic.cc: logical_and, logical_or, logical_xor. A number is true unless it
// is zero: of an integer any bit, of a float any bit but the sign.

#include "vectors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/logic.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

struct And {
  template <class M>
  static HWY_INLINE M of(M a, M b) {
    return hn::And(a, b);
  }
};
struct Or {
  template <class M>
  static HWY_INLINE M of(M a, M b) {
    return hn::Or(a, b);
  }
};
struct Xor {
  template <class M>
  static HWY_INLINE M of(M a, M b) {
    return hn::Xor(a, b);
  }
};

template <class F, bool kSigned>
struct Decide {
  static constexpr bool kStreams = false;
  template <class D, class V>
  HWY_INLINE auto operator()(D, V a, V b) const {
    return F::of(truth(a), truth(b));
  }

 private:
  template <class V>
  static HWY_INLINE auto truth(V bits) {
    if constexpr (kSigned) bits = hn::ShiftLeft<1>(bits);
    return hn::Ne(bits, hn::Zero(hn::DFromV<V>()));
  }
};

template <size_t kBytes>
struct UnsignedOf;
template <>
struct UnsignedOf<1> {
  using Type = uint8_t;
};
template <>
struct UnsignedOf<2> {
  using Type = uint16_t;
};
template <>
struct UnsignedOf<4> {
  using Type = uint32_t;
};
template <>
struct UnsignedOf<8> {
  using Type = uint64_t;
};

template <class F>
struct Logical {
  template <class T>
  struct Of {
    static HWY_INLINE tenon_status launch(tenon_call* call, const tenon_launch* args) {
      using U = typename UnsignedOf<sizeof(T)>::Type;
      using Decision = Decide<F, sdk::is_float_type<T>>;
      return Elementwise<Decision, sdk::Bool, U, U>::launch(call, args, Decision());
    }
  };
};

template <class F>
tenon_status launch(tenon_call* call, const tenon_launch* args) {
  using All = sdk::TypeList<sdk::Bool, float, double, sdk::BF16, sdk::F16, int64_t, int32_t,
                            int16_t, int8_t, uint8_t>;
  return launch_as<Logical<F>::template Of>(All(), sdk::Args(args).view(0).dtype, call, args);
}

constexpr tenon_kernel_desc kernels[] = {
    elementwise("tenon.logical_and", kBinarySlots, sdk::kAllDtypes, launch<And>),
    elementwise("tenon.logical_or", kBinarySlots, sdk::kAllDtypes, launch<Or>),
    elementwise("tenon.logical_xor", kBinarySlots, sdk::kAllDtypes, launch<Xor>),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> logic_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(logic) = {.chosen_kernels = TENON_CPU_CHOOSE(logic_kernels)};
#endif
