// SPDX-License-Identifier: Apache-2.0
// sdk/verify/process/run.h: runs the groups of a plugin in processes of their own and gathers what
// they say. A process that dies is followed by one that goes on after the case that ended it.
#pragma once

#include <functional>

#include "process/results.h"

namespace tenon::verify {

// A process of a group may die so often; then the rest of the group is not run.
inline constexpr int kDeaths = 3;

struct RunOptions {
  int jobs = 1;
  double seconds = 30;                                              // without progress
  std::function<void(const PluginResult&, const Group&)> progress;  // one thread at a time
};

// The groups there are, into `result`. False, with a failure noted, if the plugin does not open.
bool list_groups(PluginResult& result, const Request& request, const RunOptions& options);

// Runs `result.groups`.
void run_groups(PluginResult& result, const Request& request, const RunOptions& options);

}  // namespace tenon::verify
