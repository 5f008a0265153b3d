// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/nextafter.cc: nextafter, exact.

#include <tenon/sdk/plugin/rounding.hpp>

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

void nextafter(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype, [&]<class T>() {
    each_element<T, T, T>(l, [](T a, T b) { return sdk::next_after(a, b); });
  });
}

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.nextafter", kBinarySlots, sdk::kFloats, 0, sdk::launch_fn<nextafter>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(nextafter) = {.kernels = tenon::ref::kernels};
