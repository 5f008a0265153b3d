// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/unfold.cc: unfold_add: out[..., i step + j, ...] = the sum of all
// x[..., i, ..., j].

#include "kernels/places.h"

namespace tenon::ref {
namespace {

enum Attribute : uint32_t { kAxis, kLength, kStep, kAttributes };

void unfold_add(const sdk::Launch& l) {
  const auto shape = sdk::shape_of(l.view(0));
  const sdk::Strided x = sdk::strided(l.view(0));
  const sdk::Strided out = sdk::strided(l.out());
  const size_t last = shape.size() - 1;
  const auto axis =
      static_cast<size_t>(sdk::normal_axis(l.attrs.integer(kAxis), l.out().rank, "axis"));
  const int64_t step = l.attrs.integer(kStep);
  sdk::dispatch_dtype<sdk::NumberTypes>(l.out().dtype, [&]<class T>() {
    for_each_place(sdk::shape_of(l.out()), [&](const Place& place) {
      sdk::Wide<T> sum = 0;
      Place source = place;
      for (int64_t i = 0; i < shape[axis]; ++i) {
        source[axis] = i;
        // A step that leaves the axis comes with one window alone.
        source[last] = i == 0 ? place[axis] : place[axis] - i * step;
        if (source[last] < 0) break;
        if (source[last] >= shape[last]) continue;
        sum += static_cast<sdk::Wide<T>>(sdk::load<T>(address(x, source)));
      }
      sdk::store(address(out, place), sdk::narrow<T>(sum));
    });
  });
}

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.unfold_add", kMapSlots, sdk::kNumbers, kAttributes, sdk::launch_fn<unfold_add>,
           {.flags = kOracle}),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(unfold) = {.kernels = tenon::ref::kernels};
