// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/move.cc: copy, where, full: bits that are only moved.

#include "vectors.h"

#include "kernels/transpose.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/move.cc"
#include "each_target.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::cpu::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

struct Copy {
  static constexpr bool kStreams = true;
  template <class D, class V>
  HWY_INLINE V operator()(D, V x) const {
    return x;
  }
};
struct Pick {
  static constexpr bool kStreams = true;
  template <class D, class M, class V>
  HWY_INLINE V operator()(D, M condition, V a, V b) const {
    return hn::IfThenElse(condition, a, b);
  }
};
template <class T>
struct Fill {
  static constexpr bool kStreams = true;
  T value;
  template <class D>
  HWY_INLINE auto operator()(D d) const {
    return hn::Set(d, value);
  }
};

// Calls launch.operator()<T>() with the unsigned type of the dtype's size.
template <class F>
HWY_INLINE tenon_status by_size(tenon_dtype dtype, F&& launch) {
  switch (sdk::size_of(dtype)) {
    case 1:
      return launch.template operator()<uint8_t>();
    case 2:
      return launch.template operator()<uint16_t>();
    case 4:
      return launch.template operator()<uint32_t>();
    default:
      return launch.template operator()<uint64_t>();
  }
}

tenon_status copy(tenon_call* call, const tenon_launch* args) {
  const sdk::Args operands(args);
  if (HWY_UNLIKELY(is_transposed(operands.view(0), operands.out()))) {
    return copy_transposed(call, args);
  }
  return by_size(operands.out().dtype, [&]<class T>() HWY_ATTR {
    return Elementwise<Copy, T, T>::launch(call, args, Copy());
  });
}

tenon_status where(tenon_call* call, const tenon_launch* args) {
  return by_size(sdk::Args(args).out().dtype, [&]<class T>() HWY_ATTR {
    return Elementwise<Pick, T, Condition, T, T>::launch(call, args, Pick());
  });
}

enum Attribute : uint32_t { kShape, kValue, kDtype, kAttributes };

// The bits of the number as an element.
template <class T>
uint64_t bits_of(const tenon_value& value) {
  const T element =
      value.tag == TENON_VALUE_F64 ? sdk::convert<T>(value.as.f64) : sdk::convert<T>(value.as.i64);
  uint64_t bits = 0;
  std::memcpy(&bits, &element, sizeof element);
  return bits;
}

tenon_status full(tenon_call* call, const tenon_launch* args) {
  const sdk::Args operands(args);
  uint64_t bits = 0;
  const tenon_status status = sdk::guarded(call, [&] {
    sdk::dispatch_dtype(operands.out().dtype,
                        [&]<class T>() { bits = bits_of<T>(operands.attrs[kValue]); });
  });
  if (status != TENON_OK) return status;
  return by_size(operands.out().dtype, [&]<class T>() HWY_ATTR {
    return Elementwise<Fill<T>, T>::launch(call, args, {static_cast<T>(bits)});
  });
}

constexpr tenon_kernel_desc kernels[] = {
    elementwise("tenon.copy", kUnarySlots, sdk::kAllDtypes, copy),
    elementwise("tenon.where", kTernarySlots, sdk::kAllDtypes, where),
    elementwise("tenon.full", kNullarySlots, sdk::kAllDtypes, full, kAttributes),
};

}  // namespace

[[gnu::cold]] std::span<const tenon_kernel_desc> move_kernels() { return kernels; }

}  // namespace tenon::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
TENON_UNIT(move) = {.chosen_kernels = TENON_CPU_CHOOSE(move_kernels)};
#endif
