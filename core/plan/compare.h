// SPDX-License-Identifier: Apache-2.0
// core/plan/compare.h: TENON_CHECK=plan: each run of a plan is made twice, with memory of its own
// for each temporary and with launches that nothing needs, then as plans run, and both must leave
// the same bits.
#pragma once

#include <functional>

#include "core/plan/plan.h"

namespace tenon::plan {

// Makes one launch of the plan; `position` counts from 1.
using RunLaunch = std::function<void(Launch& launch, uint64_t position)>;

// Throws Error{TENON_E_CHECK}.
[[gnu::cold]] void run_compared(Context& context, Plan& plan, const RunLaunch& run);

}  // namespace tenon::plan
