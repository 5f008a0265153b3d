// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/copy.cc: copy, bit for bit, between any two layouts.

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

void copy(const sdk::Launch& l) {
  sdk::dispatch_size(l.out().dtype,
                     [&]<class T>() { each_element<T, T>(l, [](T x) { return x; }); });
}

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.copy", kUnarySlots, sdk::kAllDtypes, 0, sdk::launch_fn<copy>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(copy) = {.kernels = tenon::ref::kernels};
