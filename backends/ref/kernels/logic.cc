// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/logic.cc: ne, le, gt, ge, logical_and, logical_or, logical_xor. Of the
// comparisons only ne is true of NaN; false < true. A number is true unless it is zero.

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

struct NotEqual {
  template <class C>
  bool operator()(C a, C b) const {
    return a != b;
  }
};
struct LessOrEqual {
  template <class C>
  bool operator()(C a, C b) const {
    return a <= b;
  }
};
struct Greater {
  template <class C>
  bool operator()(C a, C b) const {
    return a > b;
  }
};
struct GreaterOrEqual {
  template <class C>
  bool operator()(C a, C b) const {
    return a >= b;
  }
};
struct And {
  template <class C>
  bool operator()(C a, C b) const {
    return a != C(0) && b != C(0);
  }
};
struct Or {
  template <class C>
  bool operator()(C a, C b) const {
    return a != C(0) || b != C(0);
  }
};
struct Xor {
  template <class C>
  bool operator()(C a, C b) const {
    return (a != C(0)) != (b != C(0));
  }
};

template <class F>
void decide(const sdk::Launch& l) {
  sdk::dispatch_dtype(l.view(0).dtype, [&]<class T>() {
    // 16-bit floats as the floats they widen to, Bool as 0 and 1.
    using C = std::conditional_t<sdk::is_float_type<T>, sdk::Compute<T>,
                                 std::conditional_t<std::is_same_v<T, sdk::Bool>, bool, T>>;
    each_element<sdk::Bool, T, T>(
        l, [](T a, T b) { return sdk::Bool(F()(static_cast<C>(a), static_cast<C>(b))); });
  });
}

constexpr tenon_kernel_desc decision(std::string_view op, LaunchFn launch) {
  return kernel(op, kBinarySlots, sdk::kAllDtypes, 0, launch);
}

constexpr tenon_kernel_desc kernels[] = {
    decision("tenon.ne", sdk::launch_fn<decide<NotEqual>>),
    decision("tenon.le", sdk::launch_fn<decide<LessOrEqual>>),
    decision("tenon.gt", sdk::launch_fn<decide<Greater>>),
    decision("tenon.ge", sdk::launch_fn<decide<GreaterOrEqual>>),
    decision("tenon.logical_and", sdk::launch_fn<decide<And>>),
    decision("tenon.logical_or", sdk::launch_fn<decide<Or>>),
    decision("tenon.logical_xor", sdk::launch_fn<decide<Xor>>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(logic) = {.kernels = tenon::ref::kernels};
