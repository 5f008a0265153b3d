// SPDX-License-Identifier: Apache-2.0
// core/history/progress.h: the line on standard error that says how far a run is.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "core/runtime/kind_object.h"

namespace tenon::history {

// "1:02:03", "2:03" or "0:03"; "-" for what is not a time.
std::string duration_text(double seconds);

// The text of a line; seconds: since the run began.
std::string line_text(std::string_view label, int64_t total, int64_t done, std::string_view name,
                      double value, double seconds);

class Progress : public OfRuntime {
 public:
  // always  also if standard error is not a terminal
  Progress(Runtime& runtime, std::string_view label, int64_t total, bool always);
  ~Progress();

  void run(int64_t done, std::string_view name, double value);

 private:
  using Clock = std::chrono::steady_clock;

  std::string label_;
  int64_t total_;  // 0: not known
  bool visible_;
  bool shown_ = false;
  Clock::time_point started_ = Clock::now();
  Clock::time_point last_shown_{};
};

}  // namespace tenon::history
