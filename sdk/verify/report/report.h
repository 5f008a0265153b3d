// SPDX-License-Identifier: Apache-2.0
// sdk/verify/report/report.h: what `tenon verify` prints and writes.
#pragma once

#include <string>
#include <vector>

#include "process/results.h"

namespace tenon::verify {

// For programs; members are only ever added.
Json json_report(const std::vector<PluginResult>& results, const Request& request, double seconds);
// For people.
std::string text_report(const std::vector<PluginResult>& results, const Request& request,
                        double seconds);

// A command that runs one case (or, for an empty text, one op) again, quoted for a shell.
std::string repro_of(const PluginResult& result, const Request& request, const FailureNote& note);

// Prints and writes what is asked for; the exit status.
int report(const std::vector<PluginResult>& results, const Request& request, double seconds);

// `tenon verify --list-causes`.
int list_causes(bool as_json);

}  // namespace tenon::verify
