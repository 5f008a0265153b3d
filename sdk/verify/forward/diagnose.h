// SPDX-License-Identifier: Apache-2.0
// sdk/verify/forward/diagnose.h: why a case failed: the case is run again in simpler ways, until
// what is left names the cause.
#pragma once

#include <string>

#include "case/causes.h"
#include "forward/trial.h"

namespace tenon::verify {

struct Diagnosis {
  const Cause* cause = nullptr;
  std::string words;
};

// Of a case whose row-major results are right.
Diagnosis diagnose(Trials& trials, const Case& each, const Fault& fault);

// Which elements of a row-major output were not written, if that is what is wrong with row-major
// results: judged by an output that is given, with `expected` as the right results. NULL otherwise.
std::optional<Diagnosis> diagnose_unwritten(Trials& trials, const Outcome& expected);

}  // namespace tenon::verify
