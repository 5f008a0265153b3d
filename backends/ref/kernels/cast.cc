// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/cast.cc: cast between all pairs of dtypes, by the rules of sdk::convert.

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

void cast(const sdk::Launch& l) {
  sdk::dispatch_dtype(l.view(0).dtype, [&]<class From>() {
    sdk::dispatch_dtype(l.out().dtype, [&]<class To>() {
      each_element<To, From>(l, [](From x) { return sdk::convert<To>(x); });
    });
  });
}

constexpr auto rows = sdk::pairs(sdk::kAllDtypes, sdk::kAllDtypes);

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.cast", kUnarySlots, rows, 1, sdk::launch_fn<cast>, {.n_variables = 2}),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(cast) = {.kernels = tenon::ref::kernels};
