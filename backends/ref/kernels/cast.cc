// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/cast.cc: cast between all pairs of dtypes, by the rules of sdk::convert.

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

void cast(const sdk::Launch& l) {
  sdk::dispatch_dtype(l.view(0).dtype, [&]<class From>() {
    sdk::dispatch_dtype(l.out().dtype, [&]<class To>() {
      sdk::elementwise<To, From>(l, [](From x) { return sdk::convert<To>(x); });
    });
  });
}

constexpr auto rows = sdk::pairs(sdk::kAllDtypes, sdk::kAllDtypes);

constexpr tenon_kernel_desc kernels[] = {
    sdk::kernel({.op = "tenon.cast",
                 .device = kDevice,
                 .slots = kUnarySlots,
                 .rows = rows,
                 .n_variables = 2,
                 .n_attrs = 1,
                 .flags = kCanonical,
                 .priority = kPriority,
                 .launch = sdk::launch_fn<cast>}),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(cast) = {.kernels = tenon::ref::kernels};
