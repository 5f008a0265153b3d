// SPDX-License-Identifier: Apache-2.0
// sdk/verify/report/matrix.h: which cells of the report's matrix an op must fill: the forms it can
// be run in, the layouts its operands can have.
#pragma once

#include <string>

#include "case/subject.h"
#include "process/results.h"

namespace tenon::verify {

// In a child: {"op", "backend", "topic": "", "entry": "", "operands": n, "samples": [texts],
// "forms": {name: reason}, "layouts": {name: reason}}. A reason is empty if there must be cases,
// else it says why there can be none. The level has no say in it.
Json facts_of(Subject& subject, const Entry& op, const std::string& backend);

// The lowest level at which a form is run at all.
int level_of(Form form);

// In the parent: cells that should have cases and have none become failures.
void look_for_empty_cells(PluginResult& result, int level);

}  // namespace tenon::verify
