// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/bits.cc: bitwise_and, bitwise_or, bitwise_xor, bitwise_left_shift,
// bitwise_right_shift.
//
// A count below 0 or of the width and more moves every bit out: what is left is 0, or the sign of
// an integer that is moved down.

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

// Integers, and bool as 0 and 1.
struct And {
  int64_t operator()(int64_t a, int64_t b) const { return a & b; }
};
struct Or {
  int64_t operator()(int64_t a, int64_t b) const { return a | b; }
};
struct Xor {
  int64_t operator()(int64_t a, int64_t b) const { return a ^ b; }
};

template <class F>
void bitwise(const sdk::Launch& l) {
  using Types = sdk::TypeList<sdk::Bool, uint8_t, int8_t, int16_t, int32_t, int64_t>;
  sdk::dispatch_dtype<Types>(l.out().dtype, [&]<class T>() {
    each_element<T, T, T>(l, [](T a, T b) {
      if constexpr (std::is_same_v<T, sdk::Bool>) {
        return sdk::Bool(F()(bool(a), bool(b)) != 0);
      } else {
        return static_cast<T>(F()(a, b));
      }
    });
  });
}

template <class T>
bool is_inside(T count) {
  return count >= 0 && static_cast<uint64_t>(count) < 8 * sizeof(T);
}
struct Up {
  template <class T>
  T operator()(T a, T b) const {
    return is_inside(b) ? static_cast<T>(static_cast<uint64_t>(a) << b) : T(0);
  }
};
struct Down {
  template <class T>
  T operator()(T a, T b) const {
    return is_inside(b) ? static_cast<T>(a >> b) : a < 0 ? static_cast<T>(-1) : T(0);
  }
};

template <class F>
void shift(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::IntegerTypes>(l.out().dtype,
                                         [&]<class T>() { each_element<T, T, T>(l, F()); });
}

constexpr tenon_dtype bit_dtypes[] = {TENON_DTYPE_BOOL, TENON_DTYPE_U8,  TENON_DTYPE_I8,
                                      TENON_DTYPE_I16,  TENON_DTYPE_I32, TENON_DTYPE_I64};

constexpr tenon_kernel_desc on_bits(std::string_view op, std::span<const tenon_dtype> rows,
                                    LaunchFn launch) {
  return kernel(op, kBinarySlots, rows, 0, launch);
}

constexpr tenon_kernel_desc kernels[] = {
    on_bits("tenon.bitwise_and", bit_dtypes, sdk::launch_fn<bitwise<And>>),
    on_bits("tenon.bitwise_or", bit_dtypes, sdk::launch_fn<bitwise<Or>>),
    on_bits("tenon.bitwise_xor", bit_dtypes, sdk::launch_fn<bitwise<Xor>>),
    on_bits("tenon.bitwise_left_shift", sdk::kIntegers, sdk::launch_fn<shift<Up>>),
    on_bits("tenon.bitwise_right_shift", sdk::kIntegers, sdk::launch_fn<shift<Down>>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(bits) = {.kernels = tenon::ref::kernels};
