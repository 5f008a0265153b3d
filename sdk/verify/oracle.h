// SPDX-License-Identifier: Apache-2.0
// sdk/verify/oracle.h: where right results come from, other than from the kernel that is judged.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "request.h"
#include "sample_call.h"
#include "training.h"

namespace tenon::verify {

// A run of an optimizer as a golden file states it: what there is after each step.
struct GoldenRun {
  std::string inputs;  // checksum of parameters and gradients
  std::vector<State> trace;
  std::map<std::string, Tolerance> tolerances;  // by the dtype's name
};

// Golden files: values computed by other programs (tests/goldens/README.md). Folders are searched
// in order: the request's, the plugin's own `goldens`, the installed ones.
class Goldens {
 public:
  Goldens(const Request& request, const std::string& plugin_folder);

  // The results stated for a call whose contents were drawn with sdk::kDrawSeed; nothing where the
  // file has none. Throws Failure: a file that cannot be read, or whose operands are other ones.
  std::optional<std::vector<Array>> find(const SampleCall& call);
  // The run stated for a sample of an optimizer; nothing where there is none. Throws Failure: a
  // file that cannot be read, or that states another number of steps.
  std::optional<GoldenRun> find_run(const std::string& optimizer, const RunSample& sample);

 private:
  const std::optional<Json>& file(const std::string& name);

  std::vector<std::string> folders_;
  std::map<std::string, std::optional<Json>> files_;
};

}  // namespace tenon::verify
