// SPDX-License-Identifier: Apache-2.0
// backends/common/slots.h: slots of kernels that read and write elements where they are.
#pragma once

#include <tenon/sdk/plugin/kernel.hpp>

namespace tenon::backends {

// Any layout, but each element aligned as its type asks.
constexpr tenon_slot_rule any_in(uint32_t more_flags = 0) {
  return sdk::slot(TENON_SLOT_IN, TENON_LAYOUT_STRIDED,
                   TENON_SLOT_ZERO_STRIDE | TENON_SLOT_NEGATIVE_STRIDE | more_flags);
}
constexpr tenon_slot_rule any_out() {
  return sdk::slot(TENON_SLOT_OUT, TENON_LAYOUT_STRIDED, TENON_SLOT_NEGATIVE_STRIDE);
}
constexpr tenon_slot_rule any_inout() {
  return sdk::slot(TENON_SLOT_INOUT, TENON_LAYOUT_STRIDED, TENON_SLOT_NEGATIVE_STRIDE);
}

}  // namespace tenon::backends
