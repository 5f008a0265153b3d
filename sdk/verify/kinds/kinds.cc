// SPDX-License-Identifier: Apache-2.0
// sdk/verify/kinds/kinds.cc: what is looked at of an entry, by its kind.
#include <algorithm>

#include "kinds/checks.h"
#include "kinds/part_checks.h"

namespace tenon::verify {
namespace {

struct KindChecks {
  std::string_view topic;
  void (*check)(Subject&, Recorder&, const Request&, const Json& entry);
  std::optional<Form> due = std::nullopt;
};

constexpr KindChecks kKindChecks[] = {
    {"optimizers", check_optimizer, Form::Trace},
    {"layers", check_layer, Form::Gradient},
    {"datasets", check_dataset},
    {"schedules", check_schedule},
    {"formats", check_format},
    {"transforms", check_transform},
    {"tokenizers", check_tokenizer},
    {"collectives", check_collective},
};

const KindChecks* checks_of(const std::string& topic) {
  const auto* found = std::find_if(std::begin(kKindChecks), std::end(kKindChecks),
                                   [&](const KindChecks& each) { return each.topic == topic; });
  return found == std::end(kKindChecks) ? nullptr : found;
}

// What an entry of any kind must have.
class AnyChecks : PartChecks {
 public:
  AnyChecks(Subject& subject, Recorder& recorder, const Json& entry)
      : PartChecks(subject, recorder, entry) {}

  void check_declared(const Json& entry) {
    each_case(0, Form::Declared, "", [&]() -> std::optional<Finding> {
      if (!entry.at("doc").get<std::string>().empty()) return std::nullopt;
      return Finding{&causes::kNoDocumentation, name_ + " has no documentation"};
    });
  }
};

}  // namespace

void check_entry(Subject& subject, Recorder& recorder, const Request& request,
                 const std::string& topic, const std::string& name) {
  const Json& entry = subject.part(topic, name);
  if (const KindChecks* checks = checks_of(topic)) {
    checks->check(subject, recorder, request, entry);
  } else {
    AnyChecks(subject, recorder, entry).check_declared(entry);
  }
}

std::optional<Form> form_due(const std::string& topic) {
  const KindChecks* checks = checks_of(topic);
  return checks == nullptr ? std::nullopt : checks->due;
}

}  // namespace tenon::verify
