// SPDX-License-Identifier: Apache-2.0
// sdk/tools/manifest.cc: `tenon manifest`: writes plugin.json beside a plugin's library, once Tenon
// has registered what is in it.
#include <algorithm>
#include <filesystem>
#include <iostream>

#include "command.h"
#include "library_look.h"
#include "sha256.h"

namespace tenon::tools {

namespace fs = std::filesystem;

// Builds of plugins run beside each other, so that no plugin comes along but those of folders that
// were named: others may just be written.
int manifest(const Options& options, const ManifestRequest& request, bool as_json) {
  const std::string& library = request.library;
  Options named = options;
  named.only_paths = true;
  Json content = stated_by_library(named, library, request.seconds);
  const std::string id = content.at("id");
  if (!request.id.empty() && request.id != id) {
    throw Failure{library + ": its id is \"" + id + "\", not \"" + request.id + "\""};
  }
  Json& needs = content["requires"];
  needs["cpu_features"] = request.needs.cpu_features;
  needs["libraries"] = request.needs.libraries;
  if (!request.needs.packages.empty()) needs["packages"] = request.needs.packages;
  for (const std::string& op : request.needs.ops) {
    if (std::ranges::count(needs["ops"], Json(op)) == 0) needs["ops"].push_back(op);
  }
  const Hash hash = sha256_of(library);
  if (!hash.problem.empty()) {
    std::cerr << "tenon: " << id << ": plugin.json gets no sha256: " << hash.problem << '\n';
    content.erase("sha256");
  } else {
    content["sha256"] = hash.digits;
  }
  if (request.output == "-") {
    print_json(content);
    return kGood;
  }
  const fs::path beside = fs::path(library).parent_path() / "plugin.json";
  const std::string file = absolute_path(request.output.empty() ? beside.string() : request.output);
  write_file(file, content.dump(2) + "\n");
  if (as_json) print_json(Json{{"file", file}, {"manifest", content}});
  return kGood;
}

}  // namespace tenon::tools
