// SPDX-License-Identifier: Apache-2.0
// sdk/verify/finding.h: what a case found wrong, and how a case is run.
#pragma once

#include <optional>
#include <string>

#include "case.h"
#include "causes.h"
#include "recorder.h"

namespace tenon::verify {

struct Finding {
  const Cause* cause = nullptr;
  std::string words;
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
