// SPDX-License-Identifier: Apache-2.0
// core/dispatch/check.h: the check mode that runs a launch on copies (TENON_CHECK=layout).
#pragma once

#include "core/dispatch/call.h"
#include "core/dispatch/launch.h"

namespace tenon::dispatch {

// Runs the kernel twice on shadow copies of its operands whose surroundings and holes hold two
// different patterns, and compares: all of the outputs must have been written, nothing else may
// have changed, and the result may not depend on what lies outside the operands. Where a layout is
// not row-major, row-major operands must give the same bits. Then copies the outputs to the real
// operands. Host-memory devices only. Throws TENON_E_CHECK.
tenon_status launch_guarded(Call& call, const registry::Kernel& kernel, Block& block);

}  // namespace tenon::dispatch
