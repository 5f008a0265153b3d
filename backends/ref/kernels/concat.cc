// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/concat.cc: concat: inputs one after another along an axis.

#include "common/parts.h"
#include "kernels/ref.h"

namespace tenon::ref {
namespace {

void concat(const sdk::Launch& l) {
  backends::concat_with(l, [](const sdk::Strided& to, const tenon_view& x) {
    copy_elements(sdk::shape_of(x), x.dtype, to, sdk::strided(x));
  });
}

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.concat", kMapSlots, sdk::kAllDtypes, 1, sdk::launch_fn<concat>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(concat) = {.kernels = tenon::ref::kernels};
