// SPDX-License-Identifier: Apache-2.0
// backends/cuda/kernels/full.cu: full and full_like: every element is one number, converted as cast
// would.
#include "moving.h"

namespace tenon::cuda::full_unit {
namespace {

enum Attribute : uint32_t { kShape, kValue, kDtype, kAttributes };

template <uint32_t kNumber>
void fill(const sdk::Launch& l) {
  fill_elements(l, l.out(), bits_of(l.attrs[kNumber], l.out().dtype));
}

constexpr tenon_slot_rule full_slots[] = {any_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.full", full_slots, sdk::kAllDtypes, sdk::launch_fn<fill<kValue>>,
           {.n_attrs = kAttributes}),
    kernel("tenon.full_like", kUnarySlots, sdk::kAllDtypes, sdk::launch_fn<fill<0>>,
           {.n_attrs = 1}),
};

}  // namespace
}  // namespace tenon::cuda::full_unit

TENON_UNIT(full) = {.kernels = tenon::cuda::full_unit::kernels};
