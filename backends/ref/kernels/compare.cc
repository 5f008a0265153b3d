// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/compare.cc: eq, lt. Anything compared with NaN is false; false < true.

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

struct Equal {
  template <class C>
  bool operator()(C a, C b) const {
    return a == b;
  }
};
struct Less {
  template <class C>
  bool operator()(C a, C b) const {
    return a < b;
  }
};

template <class F>
void compare(const sdk::Launch& l) {
  sdk::dispatch_dtype(l.view(0).dtype, [&]<class T>() {
    // 16-bit floats compare as the floats they widen to, Bool as 0 and 1.
    using C = std::conditional_t<sdk::is_float_type<T>, sdk::Compute<T>,
                                 std::conditional_t<std::is_same_v<T, sdk::Bool>, bool, T>>;
    each_element<sdk::Bool, T, T>(
        l, [](T a, T b) { return sdk::Bool(F()(static_cast<C>(a), static_cast<C>(b))); });
  });
}

constexpr tenon_kernel_desc comparison(std::string_view op, LaunchFn launch) {
  return kernel(op, kBinarySlots, sdk::kAllDtypes, 0, launch);
}

constexpr tenon_kernel_desc kernels[] = {
    comparison("tenon.eq", sdk::launch_fn<compare<Equal>>),
    comparison("tenon.lt", sdk::launch_fn<compare<Less>>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(compare) = {.kernels = tenon::ref::kernels};
