// SPDX-License-Identifier: Apache-2.0
// sdk/tools/probe_samples.h: runs the sample calls that reach a plugin.
#pragma once

#include "probe_report.h"
#include "session.h"

namespace tenon::tools {

// Runs every sample that plugin `id` states, or whose op it has a kernel or a backward rule for, on
// each device it has a kernel on. Announces each in `report`, and tells it what went otherwise than
// the sample says. Returns how many calls were made.
size_t run_samples(const Session& session, const std::string& id, ProbeReport& report);

}  // namespace tenon::tools
