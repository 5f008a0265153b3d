// SPDX-License-Identifier: Apache-2.0
// sdk/verify/process/work.h: what the checks of an op are made with.
#pragma once

#include <string>

#include "case/request.h"
#include "case/subject.h"
#include "process/recorder.h"

namespace tenon::verify {

// One op of the subject on one device kind: what a child process works on.
struct Work {
  Subject& subject;
  Recorder& recorder;
  const Request& request;
  const Entry& op;
  const std::string& backend;
  tenon_device device{};
  bool host_memory = false;
  bool own_kernel = false;  // the subject has a kernel here; else it defines the op or its rule
};

}  // namespace tenon::verify
