// SPDX-License-Identifier: Apache-2.0
// sdk/verify/case/finding.h: what a case found wrong.
#pragma once

#include <string>

#include "case/causes.h"

namespace tenon::verify {

struct Finding {
  const Cause* cause = nullptr;
  std::string words;
};

}  // namespace tenon::verify
