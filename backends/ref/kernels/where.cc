// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/where.cc: where: a where the condition holds, else b.

#include "kernels/ref.h"

namespace tenon::ref {
namespace {

void where(const sdk::Launch& l) {
  sdk::dispatch_size(l.out().dtype, [&]<class T>() {
    each_element<T, sdk::Bool, T, T>(
        l, [](sdk::Bool condition, T a, T b) { return condition ? a : b; });
  });
}

constexpr tenon_slot_rule slots[] = {element_in(), element_in(), element_in(), sdk::strided_out()};

constexpr tenon_kernel_desc kernels[] = {
    kernel("tenon.where", slots, sdk::kAllDtypes, 0, sdk::launch_fn<where>),
};

}  // namespace
}  // namespace tenon::ref

TENON_UNIT(where) = {.kernels = tenon::ref::kernels};
