// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/lerp.cc: lerp: x + w (y - x), or y - (y - x) (1 - w) from |w| = 1/2 on.

#include <cmath>

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

void lerp(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    using C = sdk::Compute<T>;
    each_element<T, T, T, T>(l, [](T start, T end, T weight) {
      const C x = static_cast<C>(start);
      const C y = static_cast<C>(end);
      const C w = static_cast<C>(weight);
      const C way = y - x;
      return sdk::narrow<T>(std::abs(w) < C(0.5) ? x + w * way : y - way * (C(1) - w));
    });
  });
}

constexpr tenon_slot_rule slots[] = {element_in(), element_in(), element_in(), sdk::strided_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.lerp", slots, sdk::kFloats, 0, sdk::launch_fn<lerp>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(lerp) = {.kernels = tenon::ref::kernels};
