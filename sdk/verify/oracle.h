// SPDX-License-Identifier: Apache-2.0
// sdk/verify/oracle.h: where right results come from, other than from the kernel that is judged.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "request.h"
#include "sample_call.h"

namespace tenon::verify {

// A tensor as a golden file states it: dtype, shape, values. Throws Failure.
Array golden_array(const Json& stated);

// Golden files: values computed by other programs (tests/goldens/README.md). Folders are searched
// in order: the request's, the plugin's own `goldens`, the installed ones.
class Goldens {
 public:
  Goldens(const Request& request, const std::string& plugin_folder);

  // The results stated for a call whose contents were drawn with sdk::kDrawSeed; nothing where the
  // file has none. Throws Failure: a file that cannot be read, or whose operands are other ones.
  std::optional<std::vector<Array>> find(const SampleCall& call);
  // The trace file of an optimizer; nothing where there is none.
  std::optional<Json> find_optimizer(const std::string& optimizer);

 private:
  const std::optional<Json>& file(const std::string& name);

  std::vector<std::string> folders_;
  std::map<std::string, std::optional<Json>> files_;
};

}  // namespace tenon::verify
