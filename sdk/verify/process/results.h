// SPDX-License-Identifier: Apache-2.0
// sdk/verify/process/results.h: what became of a plugin: gathered by the parent, printed by the
// report.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "process/order.h"
#include "process/recorder.h"

namespace tenon::verify {

struct FailureNote {
  std::string op, cause;
  std::string case_text;  // empty: outside any case
  std::string words;
};

// Failures: the first kToldFailures of each op and cause, and how many there were.
class Failures {
 public:
  void add(const FailureNote& note);
  // One of which only this much is known.
  void count(const std::string& op, const std::string& cause) { ++counts_[{op, cause}]; }

  const std::vector<FailureNote>& told() const { return told_; }
  const std::map<std::pair<std::string, std::string>, uint64_t>& counts() const { return counts_; }
  uint64_t total() const;

 private:
  std::vector<FailureNote> told_;
  std::map<std::pair<std::string, std::string>, uint64_t> counts_;
};

struct GroupResult {
  Group group;
  Json facts;  // of matrix.h; null for optimizers
  Tally tally;
  double seconds = 0;
  bool cut = false;  // so many of its processes died that the rest was not run
};

struct PluginResult {
  std::string id;
  std::string argument;  // names it in a command that repeats a case
  Options options;       // for its processes
  Options given;         // as on the command line
  std::vector<GroupResult> groups;
  Failures failures;
  std::set<std::tuple<std::string, std::string, std::string>> uncovered;  // op, what, why
  std::set<std::tuple<std::string, std::string>> unwitnessed;  // op, words: --strict fails there
  double seconds = 0;
  bool lacks_device = false;  // what it claims of a device cannot be judged on this machine

  Tally total() const;
  uint64_t skipped() const;  // groups cut short
  bool passed() const { return failures.total() == 0; }
};

}  // namespace tenon::verify
