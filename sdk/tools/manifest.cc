// SPDX-License-Identifier: Apache-2.0
// sdk/tools/manifest.cc: `tenon manifest`: writes plugin.json beside a plugin's library.
#include <filesystem>
#include <fstream>

#include "plugin_library.h"

namespace tenon::tools {

namespace fs = std::filesystem;

int manifest(const std::string& library, const std::string& output, const std::string& id) {
  const PluginFacts facts = read_library(library);
  if (!id.empty() && facts.id != id) {
    throw Failure{library + ": its id is \"" + facts.id + "\", not \"" + id + "\""};
  }
  const Json content = manifest_of(facts, fs::path(library).filename(), sha256_of(library));
  if (output == "-") {
    print_json(content);
    return kGood;
  }
  const fs::path beside = fs::path(library).parent_path() / "plugin.json";
  const fs::path file = output.empty() ? beside : fs::path(output);
  // A reader never sees half a manifest.
  fs::path part = file;
  part += ".part";
  {
    std::ofstream stream(part);
    stream << content.dump(2) << '\n';
    if (!stream.flush()) throw Failure{part.string() + ": cannot be written"};
  }
  std::error_code error;
  fs::rename(part, file, error);
  if (error) throw Failure{file.string() + ": cannot be written: " + error.message()};
  return kGood;
}

}  // namespace tenon::tools
