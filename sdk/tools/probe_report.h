// SPDX-License-Identifier: Apache-2.0
// sdk/tools/probe_report.h: how a probed plugin's process tells what it is doing. Each line is a
// JSON object with one of these members:
//
//   "phase"    what comes next, "running its init"
//   "problem"  what a plugin must not do, and did
//   "note"     what may be of interest
//   "refused"  why the plugin was not opened
//   "counts"   what it registers, and how many samples ran
//   "growth"   what was held after the cycles of opening and releasing it, less what was before
//   "end"      everything was done
#pragma once

#include <set>
#include <string>

#include "process_state.h"
#include "program.h"

namespace tenon::tools {

// The child's side. Between two phases it looks at what the plugin did to the process.
class ProbeReport {
 public:
  // Ends the phase before and starts one.
  void phase(const std::string& name);
  void problem(const std::string& text);
  void send(const char* member, const Json& value);

 private:
  void look_back();
  void look_at_output(int descriptor, const char* name, int64_t& seen);

  std::string phase_ = "starting";
  ProcessState state_ = process_state();
  std::set<std::string> told_;
  int64_t out_bytes_ = 0;
  int64_t err_bytes_ = 0;
};

}  // namespace tenon::tools
