// SPDX-License-Identifier: Apache-2.0
// tests/cuda/faults_support.h: work that calls every function of the driver and of cuBLASLt, for
// tests that let one of the calls fail.
#pragma once

#include <string>
#include <vector>

#include "tenon/types.h"

namespace tenon::tests {

struct Attempt {
  tenon_status status = TENON_OK;
  std::string words;
  bool found_device = true;    // else it failed before there was one
  std::vector<double> values;  // all results, if nothing failed
};

// What a program does; `again` is the same work once more in the same runtime, after a failure.
struct Attempts {
  Attempt first;
  Attempt again;
};

struct Scenario {
  const char* name;
  Attempts (*run)();
};

// A training step, and one that is captured and replayed; a runtime that finds no device; the
// backend's own table, for what Tenon never asks of it.
extern const std::vector<Scenario> kScenarios;

}  // namespace tenon::tests
