// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/limits.cc: minimum and clamp.
//
// NaN wins whichever side it is on; of equal values (also -0 and +0) the first is taken.

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

template <class T>
T smaller(T a, T b) {
  return b < a || b != b ? b : a;
}
template <class T>
T larger(T a, T b) {
  return a < b || b != b ? b : a;
}

void minimum(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::NumberTypes>(l.out().dtype,
                                        [&]<class T>() { each_element<T, T, T>(l, smaller<T>); });
}

enum Slot : uint32_t { kX, kMin, kMax };

// An absent limit has no view, so that the one there is comes second in either case.
void clamp(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::NumberTypes>(l.out().dtype, [&]<class T>() {
    if (l.given(kMin) && l.given(kMax)) {
      each_element<T, T, T, T>(
          l, [](T x, T least, T most) { return smaller(larger(x, least), most); });
    } else if (l.given(kMin)) {
      each_element<T, T, T>(l, larger<T>);
    } else if (l.given(kMax)) {
      each_element<T, T, T>(l, smaller<T>);
    } else {
      each_element<T, T>(l, [](T x) { return x; });
    }
  });
}

constexpr tenon_slot_rule clamp_slots[] = {element_in(), element_in(), element_in(),
                                           sdk::strided_out()};

constexpr tenon_kernel_desc limit(std::string_view op, std::span<const tenon_slot_rule> slots,
                                  LaunchFn launch) {
  return kernel(op, slots, sdk::kNumbers, 0, launch);
}

constexpr tenon_kernel_desc kernels[] = {
    limit("tenon.minimum", kBinarySlots, sdk::launch_fn<minimum>),
    limit("tenon.clamp", clamp_slots, sdk::launch_fn<clamp>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(limits) = {.kernels = tenon::ref::kernels};
