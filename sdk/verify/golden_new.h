// SPDX-License-Identifier: Apache-2.0
// sdk/verify/golden_new.h: `tenon golden new`: begins a golden file (docs/goldens.md) with all that
// Tenon may say: which cases there are and what goes into them. The results another program says.
#pragma once

#include <string>
#include <vector>

#include "case/request.h"

namespace tenon::verify {

struct GoldenRequest {
  std::vector<std::string> names;  // of ops, and of entries of kinds that have golden files
  std::string into = "goldens";    // the folder of golden files
  bool force = false;              // write over a file that is there
  bool json = false;
};

// Throws Failure; returns the exit status.
int golden_new(const Options& options, const GoldenRequest& request);

}  // namespace tenon::verify
