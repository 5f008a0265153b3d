// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/sum_to.cc: sum_to: undoes broadcasting by summing what was repeated.

#include "kernels/reduction.h"

namespace tenon::ref {
namespace {

void sum_to(const sdk::Launch& l) {
  const Reduction r = reduce(l.view(0), l.out(), kept_by_shape(l.view(0), l.out()));
  sdk::dispatch_dtype<sdk::NumberTypes>(l.out().dtype, [&]<class T>() {
    r.for_each([&](char* out, const sdk::Strided& in) {
      sdk::store(out, sdk::narrow<T>(wide_sum<T>(r.reduced.sizes(), in)));
    });
  });
}

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.sum_to", kMapSlots, sdk::kNumbers, 1, sdk::launch_fn<sum_to>, {.flags = kOracle}),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(sum_to) = {.kernels = tenon::ref::kernels};
