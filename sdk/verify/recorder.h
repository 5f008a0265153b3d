// SPDX-License-Identifier: Apache-2.0
// sdk/verify/recorder.h: what happened to each case, in the process that runs them.
//
// The process may die at any time, so the case that is running stands in memory the parent sees,
// and finished counts and failures are sent in small lots.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "case.h"
#include "causes.h"
#include "request.h"

namespace tenon::verify {

// Where a process begins again after one before it died.
struct Resume {
  uint64_t skip_before = 0;  // cases with a smaller number were run
};

class Recorder {
 public:
  // `board` is memory shared with the parent, or NULL where there is none.
  Recorder(const Request& request, Resume resume, struct Board* board);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Is anything of this op and sample wanted? Spares the work of preparing cases nobody asked for.
  bool wants(const std::string& op, uint32_t sample) const;

  // Starts a case; from here on a crash, a hang and output are its own. False: not to be run (not
  // the one asked for, or already run). Cases must come in the same order in every process.
  bool begin(const Case& each);
  // Ends it; exactly one of the two follows a begin that returned true.
  void pass();
  void fail(const Cause& cause, const std::string& words);

  // What the plugin has, or the op means, that no case can look at, and why. No failure.
  void uncovered(const std::string& op, const std::string& what, const std::string& why);

  uint64_t failures() const { return failures_; }

 private:
  void flush();

  const Request& request_;
  Resume resume_;
  Board* board_;
  uint64_t number_ = 0;
  uint64_t failures_ = 0;
  std::optional<Case> running_;
  std::map<std::string, uint64_t>
      passed_;  // since the last flush, by "op|form|dtype|backend|layouts"
  std::vector<Json> failed_;
};

}  // namespace tenon::verify
