// SPDX-License-Identifier: Apache-2.0
// sdk/verify/kinds/part_checks.h: what checks of a dataset, a schedule and a format share: whose
// cases they run, and that these run on the device of host memory.
#pragma once

#include <utility>

#include "case/finding.h"
#include "case/subject.h"
#include "process/recorder.h"

namespace tenon::verify {

class PartChecks {
 protected:
  PartChecks(Subject& subject, Recorder& recorder, const Json& part)
      : session_(subject.session()), recorder_(recorder), name_(part.at("name")) {
    for (const Json& device : session_.query("devices")) {
      if (device.at("host_memory")) backend_ = device.at("kind");
    }
  }

  // `body` -> std::optional<Finding>.
  template <class Body>
  void each_case(uint32_t number, Form form, const std::string& detail, Body&& body) {
    Case each;
    each.op = name_;
    each.sample = number;
    each.form = form;
    each.backend = backend_;
    each.detail = detail;
    run_case(recorder_, each, causes::kRefused, std::forward<Body>(body));
  }

  const Session& session_;
  Recorder& recorder_;
  std::string name_, backend_;
};

}  // namespace tenon::verify
