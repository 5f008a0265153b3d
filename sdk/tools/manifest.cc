// SPDX-License-Identifier: Apache-2.0
// sdk/tools/manifest.cc: `tenon manifest`: writes plugin.json beside a plugin's library.
#include <algorithm>
#include <filesystem>
#include <iostream>

#include "plugin_library.h"
#include "sha256.h"

namespace tenon::tools {

namespace fs = std::filesystem;

int manifest(const std::string& library, const std::string& output, const std::string& id,
             const Needs& needs, bool as_json) {
  PluginFacts facts = read_library(library);
  if (!id.empty() && facts.id != id) {
    throw Failure{library + ": its id is \"" + facts.id + "\", not \"" + id + "\""};
  }
  facts.needed_cpu_features = needs.cpu_features;
  facts.needed_libraries = needs.libraries;
  for (const std::string& op : needs.ops) {
    if (std::ranges::count(facts.required_ops, op) == 0) facts.required_ops.push_back(op);
  }
  const Hash hash = sha256_of(library);
  if (!hash.problem.empty()) {
    std::cerr << "tenon: " << facts.id << ": plugin.json gets no sha256: " << hash.problem << '\n';
  }
  const Json content = manifest_of(facts, fs::path(library).filename(), hash.digits);
  if (output == "-") {
    print_json(content);
    return kGood;
  }
  const fs::path beside = fs::path(library).parent_path() / "plugin.json";
  const std::string file = absolute_path(output.empty() ? beside.string() : output);
  write_file(file, content.dump(2) + "\n");
  if (as_json) print_json(Json{{"file", file}, {"manifest", content}});
  return kGood;
}

}  // namespace tenon::tools
