// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/nextafter.cu: nextafter, exact.
#include <tenon/sdk/plugin/rounding.hpp>

#include "elementwise.h"

namespace tenon::cuda::nextafter_unit {
namespace {

struct NextAfter {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return sdk::next_after(a, b);
  }
};

void nextafter(const sdk::Launch& l) {
  sdk::dispatch_dtype<sdk::FloatTypes>(l.out().dtype,
                                       [&]<class T>() { elementwise<T, T, T>(l, NextAfter()); });
}

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.nextafter", kBinarySlots, sdk::kFloats, sdk::launch_fn<nextafter>),
};

}  // namespace
}  // namespace tenon::cuda::nextafter_unit

TENON_UNIT(nextafter) = {.kernels = tenon::cuda::nextafter_unit::kernels};
