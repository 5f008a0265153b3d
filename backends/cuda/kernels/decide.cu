// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/decide.cu: eq, ne, lt, le, gt, ge, logical_and, logical_or, logical_xor.
//
// One functor for the comparisons and one for the logic, each told by a table which outcomes are
// true: the kernels wait for memory alone, and nine of them for each dtype would be most of what
// this library takes to compile. Of the comparisons only ne is true of NaN; false < true.
#include "elementwise.h"

namespace tenon::cuda::decide_unit {
namespace {

// What an element is compared as: 16-bit floats as the floats they widen to, Bool as 0 and 1.
template <class T>
__device__ __forceinline__ auto compared(T x) {
  if constexpr (std::is_same_v<T, sdk::Bool>) {
    return static_cast<bool>(x);
  } else {
    return widen(x);
  }
}

struct Compare {
  enum Outcome : uint32_t { kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8 };
  uint32_t accepted;  // outcomes
  template <class T>
  __device__ sdk::Bool operator()(T first, T second) const {
    const auto a = compared(first), b = compared(second);
    const uint32_t outcome = a < b ? kLess : a == b ? kEqual : a > b ? kGreater : kUnordered;
    return sdk::Bool((accepted & outcome) != 0);
  }
};

// A number is true unless it is zero.
struct Logic {
  enum Outcome : uint32_t { kNone = 1, kOne = 2, kBoth = 4 };
  uint32_t accepted;  // outcomes
  template <class T>
  __device__ sdk::Bool operator()(T a, T b) const {
    const bool first = compared(a) != 0, second = compared(b) != 0;
    const uint32_t outcome = first && second ? kBoth : first || second ? kOne : kNone;
    return sdk::Bool((accepted & outcome) != 0);
  }
};

template <uint32_t accepted>
void compare(const sdk::Launch& l) {
  sdk::dispatch_dtype(l.view(0).dtype,
                      [&]<class T>() { elementwise<sdk::Bool, T, T>(l, Compare{accepted}); });
}

// A zero of an integer, or of Bool, is one of its bits.
template <uint32_t accepted>
void logic(const sdk::Launch& l) {
  const tenon_dtype dtype = l.view(0).dtype;
  const auto run = [&]<class T>() { elementwise<sdk::Bool, T, T>(l, Logic{accepted}); };
  if (sdk::is_float(dtype)) {
    sdk::dispatch_dtype<sdk::FloatTypes>(dtype, run);
  } else {
    sdk::dispatch_size(dtype, run);
  }
}

template <void (*Run)(const sdk::Launch&)>
constexpr tenon_kernel_desc decision(std::string_view op) {
  return kernel(op, kBinarySlots, sdk::kAllDtypes, sdk::launch_fn<Run>);
}

constexpr tenon_kernel_desc kernels[] = {
    decision<compare<Compare::kEqual>>("tenon.eq"),
    decision<compare<Compare::kLess | Compare::kGreater | Compare::kUnordered>>("tenon.ne"),
    decision<compare<Compare::kLess>>("tenon.lt"),
    decision<compare<Compare::kLess | Compare::kEqual>>("tenon.le"),
    decision<compare<Compare::kGreater>>("tenon.gt"),
    decision<compare<Compare::kGreater | Compare::kEqual>>("tenon.ge"),
    decision<logic<Logic::kBoth>>("tenon.logical_and"),
    decision<logic<Logic::kOne | Logic::kBoth>>("tenon.logical_or"),
    decision<logic<Logic::kOne>>("tenon.logical_xor"),
};

}  // namespace
}  // namespace tenon::cuda::decide_unit

TENON_UNIT(decide) = {.kernels = tenon::cuda::decide_unit::kernels};
