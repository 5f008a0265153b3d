// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/concat.cc: concat: inputs one after another along an axis.

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

void concat(const sdk::Launch& l) {
  const auto axis = static_cast<size_t>(sdk::normal_axis(l.attrs.integer(0), l.out().rank, "axis"));
  sdk::Strided to = sdk::strided(l.out());
  for (uint32_t item = 0; item < l.count(0); ++item) {
    const tenon_view& x = l.view(0, item);
    const auto shape = sdk::shape_of(x);
    copy_elements(shape, x.dtype, to, sdk::strided(x));
    to.data += shape[axis] * to.step[axis];
  }
}

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.concat", kMapSlots, sdk::kAllDtypes, 1, sdk::launch_fn<concat>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(concat) = {.kernels = tenon::ref::kernels};
