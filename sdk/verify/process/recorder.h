// SPDX-License-Identifier: Apache-2.0
// sdk/verify/process/recorder.h: what happened to each case, in the process that runs them.
//
// The process may die at any time, so the case that is running stands in memory the parent sees,
// and finished counts and failures are sent in small lots.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "case/case.h"
#include "case/causes.h"
#include "case/finding.h"
#include "case/request.h"

namespace tenon::verify {

// Where a process begins again after one before it died.
struct Resume {
  uint64_t skip_before = 0;  // cases with a smaller number were run
  std::set<uint64_t> dead;   // cases that ended a process
};

// Failures of one cause that are told in full; the rest are counted.
inline constexpr uint64_t kToldFailures = 20;

// Cases that were run, by what the report's matrix shows.
struct Tally {
  uint64_t cases = 0, passed = 0, failed = 0;
  uint64_t distinct = 0;  // texts of cases, each counted once
  std::map<std::string, uint64_t> forms, layouts, dtypes;

  void count(const Case& each);
  void take_back(const Case& each);  // what count() counted
  void add(const Tally& other);

 private:
  void change_all(const Case& each, uint64_t by);
};
Json json_of(const Tally& tally);
Tally tally_of(const Json& json);

class Recorder {
 public:
  // `board` is memory shared with the parent, or NULL if there is none.
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

  // On a device that need not run everything, a call that fails for lack of a kernel is no case.
  // The kernels that are declared are looked after by check_declared.
  void set_partial(bool partial) { partial_ = partial; }

  // What the plugin has, or the op means, that no case can look at, and why. No failure.
  void uncovered(const std::string& op, const std::string& what, const std::string& why);

  // Results that only the plugin itself vouches for: a warning, and a failure if the request is
  // strict.
  void unwitnessed(const std::string& op, const std::string& what, const std::string& why);

  uint64_t failures() const { return failures_; }
  bool running() const { return running_.has_value(); }
  // What went wrong outside any case.
  void fail_outside(const Case& about, const Cause& cause, const std::string& words);
  // Printing that nobody looked at yet is a failure of `about`.
  void look_at_output(const Case& about, const std::string& when);
  // Tells the parent all that is not told yet.
  void flush();

 private:
  void must_run() const;
  void end();
  void take_back();
  void record(const Case& about, const Cause& cause, const std::string& words);
  // What was printed since the last look.
  std::string printed();

  const Request& request_;
  Resume resume_;
  Board* board_;
  uint64_t number_ = 0;
  uint64_t failures_ = 0;
  bool partial_ = false;
  bool is_new_ = false;  // the running case's text
  int64_t printed_[2] = {0, 0};
  std::chrono::steady_clock::time_point told_;
  std::optional<Case> running_;
  std::set<std::string> texts_;
  std::map<std::pair<std::string, std::string>, uint64_t> causes_;  // by op and cause
  // Since the last flush.
  Tally tally_;
  Json failed_ = Json::array();
  Json uncovered_ = Json::array();
};

// Runs `body` -> std::optional<Finding> as a case. `refused` is the cause if it throws a
// Failure.
template <class Body>
void run_case(Recorder& recorder, const Case& each, const Cause& refused, Body&& body) {
  if (!recorder.begin(each)) return;
  std::optional<Finding> finding;
  try {
    finding = body();
  } catch (const Failure& failure) {
    finding = Finding{&refused, failure.text};
  }
  if (finding) {
    recorder.fail(*finding->cause, finding->words);
  } else {
    recorder.pass();
  }
}

}  // namespace tenon::verify
