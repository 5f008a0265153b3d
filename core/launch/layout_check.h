// SPDX-License-Identifier: Apache-2.0
// core/launch/layout_check.h: the check mode that runs a launch on copies (TENON_CHECK=layout).
#pragma once

#include "core/runtime/callback.h"

namespace tenon::launch {

// Runs the kernel twice on shadow copies of its operands whose surroundings and holes hold two
// different patterns, and compares: all of the outputs must have been written, nothing else may
// have changed, and the result may not depend on what lies outside the operands. If a layout is
// not row-major, row-major operands must give the same bits. Then copies the outputs to the real
// operands. Host-memory devices only. Throws TENON_E_CHECK.
tenon_status launch_guarded(CallbackScope& call, const registry::Kernel& kernel,
                            const tenon_launch& arguments);

}  // namespace tenon::launch
