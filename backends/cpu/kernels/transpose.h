// SPDX-License-Identifier: Apache-2.0
// backends/cpu/kernels/transpose.h: copies between layouts whose packed dimensions differ.
#pragma once

#include "cpu.h"

namespace tenon::cpu {

// Is the output packed along its last dimension and the input along another one, and is there
// enough of it that blocks pay?
bool is_transposed(const tenon_view& in, const tenon_view& out);

// The copy, in blocks that fit the nearest cache whichever way they are walked.
tenon_status copy_transposed(tenon_call* call, const tenon_launch* args);

}  // namespace tenon::cpu
