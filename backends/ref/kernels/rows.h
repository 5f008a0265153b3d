// SPDX-License-Identifier: Apache-2.0
// backends/ref/kernels/rows.h: the slots of ops that write rows of a table.
#pragma once

#include "common/indices.h"
#include "kernels/ref.h"

namespace tenon::ref {

using namespace backends;

inline constexpr tenon_slot_rule kRowsSlots[] = {sdk::strided_inout(), sdk::strided_in(),
                                                 sdk::strided_in()};

}  // namespace tenon::ref
