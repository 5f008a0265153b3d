// SPDX-License-Identifier: Apache-2.0
// sdk/verify/kinds/part_checks.h: what checks of entries that are no ops share: whose cases they
// run, that these run on the device of host memory, and what samples say.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <tenon/sdk/plugin/sample_value.hpp>
#include <utility>
#include <vector>

#include "case/finding.h"
#include "case/sample_call.h"
#include "case/subject.h"
#include "process/recorder.h"

namespace tenon::verify {

// The options of a sample, as the functions that create take them. Borrows the sample.
struct NamedValues {
  explicit NamedValues(const sdk::Sample& sample) {
    for (const auto& [name, value] : sample.attrs) {
      names.push_back({name.data(), name.size()});
      values.push_back(sdk::sample_attribute(value));
    }
  }
  uint32_t size() const { return static_cast<uint32_t>(names.size()); }
  std::vector<tenon_string> names;
  std::vector<tenon_value> values;
};

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

  // It and its options are documented, and a sample of it works.
  void check_declared(const Json& part) {
    each_case(0, Form::Declared, "", [&]() -> std::optional<Finding> {
      if (part.at("doc").get<std::string>().empty()) {
        return Finding{&causes::kNoDocumentation, "its `doc` is empty"};
      }
      for (const Json& each : part.at("options")) {
        if (!each.at("doc").get<std::string>().empty()) continue;
        return Finding{&causes::kNoDocumentation,
                       each.at("name").get<std::string>() + " has an empty `doc`"};
      }
      const Json& samples = part.at("samples");
      if (std::any_of(samples.begin(), samples.end(),
                      [](const Json& each) { return each.at("expect") == TENON_OK; })) {
        return std::nullopt;
      }
      return Finding{&causes::kNoSamples, "it has no sample that works"};
    });
  }

  // `status` is what came of a sample that must be refused with `expect` and `fragment`.
  std::optional<Finding> refusal(tenon_status status, tenon_status expect,
                                 const std::string& fragment) const {
    const std::string expected = std::string("expected ") + tenon_status_get_name(expect) +
                                 " with words that contain \"" + fragment + "\", found ";
    if (status == TENON_OK) return Finding{&causes::kNotRefused, expected + "success"};
    const std::string words = failure_of(session_, status);
    if (status == expect && words.find(fragment) != std::string::npos) return std::nullopt;
    return Finding{&causes::kErrorStatus, expected + words};
  }

  const Session& session_;
  Recorder& recorder_;
  std::string name_, backend_;
};

}  // namespace tenon::verify
