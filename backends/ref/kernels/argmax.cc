// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/argmax.cc: argmax, argmin: where the largest or smallest element is; the
// first of several, and the first NaN if there is one.

#include "kernels/reduction.h"

namespace tenon::ref {
namespace {

enum Attribute : uint32_t { kAxis, kKeepdims, kAttributes };

template <class T, bool kLeast>
int64_t first_extreme(std::span<const int64_t> shape, const sdk::Strided& in) {
  T best = sdk::load<T>(in.data);
  int64_t at = 0;
  sdk::walk<1>(shape, {in}, [&](const sdk::Run<1>& run) {
    for (int64_t i = 0; i < run.count; ++i) {
      const T x = sdk::load<T>(run.data[0] + i * run.step[0]);
      if ((kLeast ? x < best : best < x) || (x != x && best == best)) {
        best = x;
        at = run.first + i;
      }
    }
  });
  return at;
}

// Without an axis the place is counted in the whole input, row by row.
template <bool kLeast>
void place(const sdk::Launch& l) {
  const tenon_view& x = l.view(0);
  const Reduction r = reduce_axes(x, l.out(), axis_attribute(l, kAxis), l.attrs.flag(kKeepdims));
  sdk::dispatch_dtype(x.dtype, [&]<class T>() {
    r.for_each([&](char* out, const sdk::Strided& in) {
      sdk::store(out, first_extreme<T, kLeast>(r.reduced.sizes(), in));
    });
  });
}

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.argmax", kMapSlots, sdk::kAllDtypes, kAttributes, sdk::launch_fn<place<false>>),
    kernel("tenon.argmin", kMapSlots, sdk::kAllDtypes, kAttributes, sdk::launch_fn<place<true>>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(argmax) = {.kernels = tenon::ref::kernels};
