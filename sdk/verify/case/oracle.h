// SPDX-License-Identifier: Apache-2.0
// sdk/verify/case/oracle.h: where right results come from, other than from the kernel that is
// judged.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "case/request.h"
#include "case/sample_call.h"
#include "case/training.h"

namespace tenon::verify {

// A run of an optimizer as a golden file states it: what there is after each step.
struct GoldenRun {
  std::string inputs;  // checksum of parameters and gradients
  std::vector<State> trace;
  std::map<std::string, Tolerance> tolerances;  // by the dtype's name
};

// Golden files: values computed by other programs (docs/goldens.md). Folders are searched
// in order: the request's, the plugin's own `goldens`, the installed ones.
class Goldens {
 public:
  Goldens(const Request& request, const std::string& plugin_folder);

  // The results stated for a call whose contents were drawn with sdk::kDrawSeed; nothing if the
  // file has none. Throws Failure: a file that cannot be read, or whose operands are other ones.
  std::optional<std::vector<Array>> find(const SampleCall& call);
  // The run stated for a sample of an optimizer; nothing if there is none. Throws Failure: a
  // file that cannot be read, or that states another number of steps.
  std::optional<GoldenRun> find_run(const std::string& optimizer, const RunSample& sample);
  // What the file `kind`/`name`.json states: the cases of a layer, a dataset or a schedule; empty
  // if there is none. `folder` becomes the file's own. Throws Failure.
  Json cases_of(const std::string& kind, const std::string& name, std::string& folder);
  // And its tolerances, by the dtype's name. Throws Failure.
  std::map<std::string, Tolerance> tolerances_of(const std::string& kind, const std::string& name);
  // Whether any file that was asked lacks the results of a case: it was begun and not filled in.
  bool met_skeleton() const { return met_skeleton_; }

 private:
  struct File {
    std::optional<Json> content;
    std::string folder;
  };
  const File& file(const std::string& name);

  std::vector<std::string> folders_;
  std::map<std::string, File> files_;
  bool met_skeleton_ = false;
};

// A tensor as golden files state it: dtype, shape, values. Throws Failure and Json::exception.
Array stated_array(const Json& stated);

}  // namespace tenon::verify
