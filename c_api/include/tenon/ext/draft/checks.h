// SPDX-License-Identifier: Apache-2.0
// tenon/ext/draft/checks.h: draft: check modes for a part of a program. The conventions are those
// of tenon/tenon.h.
//
// A draft: outside the ABI's promise until it is moved to tenon.h (names will not change).
#ifndef TENON_EXT_DRAFT_CHECKS_H
#define TENON_EXT_DRAFT_CHECKS_H

#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

// The first NaN or infinity that a launch writes, in forward, backward, an optimizer's step or the
// run of a plan, is TENON_E_CHECK: its record names the op, the operand and the scope, and says
// whether an input held one already.
#define TENON_CHECK_FINITE 1u

// Turns check modes on for what this context runs, until `end`; those of the runtime
// (tenon_runtime_options.check, TENON_CHECK) stay on. They nest.
// checks   TENON_CHECK_*
// threads  [one thread per context]          state  [any]
// errors   TENON_E_ARGUMENT (unknown bits)
// since    draft 1
TENON_EXPORT tenon_status tenon_check_begin(tenon_context* context, uint32_t checks);

// Restores the modes from before the last `begin`.
// errors   end without begin: TENON_E_STATE
// since    draft 1
TENON_EXPORT tenon_status tenon_check_end(tenon_context* context);

#ifdef __cplusplus
}
#endif

#endif  // TENON_EXT_DRAFT_CHECKS_H
