// SPDX-License-Identifier: Apache-2.0
// sdk/verify/matrix.cc: see matrix.h.
#include "matrix.h"

namespace tenon::verify {

Json facts_of(Subject& subject, const Entry& op, const std::string& backend) {
  (void)subject;
  Json samples = Json::array();
  for (const SampleText& sample : op.samples) samples.push_back(sample.text);
  return {{"op", op.name}, {"backend", backend}, {"optimizer", ""}, {"samples", samples}};
}

void look_for_empty_cells(PluginResult& result, int level) {
  (void)level;
  for (const GroupResult& group : result.groups) {
    if (group.cut || group.tally.cases != 0) continue;
    result.failures.add({group.group.name(), std::string(causes::kNoCases.name), "",
                         "no case was run for it" +
                             (group.group.backend.empty() ? "" : " on " + group.group.backend)});
  }
}

}  // namespace tenon::verify
