// SPDX-License-Identifier: Apache-2.0
// sdk/tools/list.cc: `tenon list`: the plugins found, without opening any.
#include "command.h"
#include "kinds.h"
#include "session.h"

namespace tenon::tools {
namespace {

std::string contents_of(const Json& plugin) {
  std::vector<std::string> parts;
  const auto add = [&](const char* member, const char* noun) {
    if (const size_t count = plugin.at(member).size()) parts.push_back(count_text(count, noun));
  };
  add("ops", "op");
  size_t kernels = 0;
  for (const Json& entry : plugin.at("kernels")) {
    kernels += entry.at("ops").is_array() ? entry.at("ops").size() : 1;
  }
  if (kernels > 0) parts.push_back("kernels of " + count_text(kernels, "op"));
  add("vjps", "backward rule");
  for (const EntryKind& kind : kEntryKinds) add(kind.topic, kind.noun);
  for (const std::string& device : names_of(plugin.at("devices"))) {
    parts.push_back("device " + device);
  }
  return joined(parts);
}

std::string listed_text(const Json& plugin) {
  const std::string version = plugin.at("version");
  std::string text = plugin.at("id").get<std::string>() + (version.empty() ? "" : " " + version);
  text += "  " + plugin.at("state").get<std::string>();
  const std::string reason = plugin.at("reason");
  if (!reason.empty()) text += ": " + reason;
  text += "\n  " + plugin.at("folder").get<std::string>() + "\n";
  const std::string contents = contents_of(plugin);
  if (!contents.empty()) text += "  " + contents + "\n";
  return text;
}

}  // namespace

int list(const Options& options, bool as_json) {
  const Session session(options);
  const Json plugins = session.query("plugins");
  const Json paths = session.query("paths");
  if (as_json) {
    print_json(Json{{"plugins", plugins}, {"paths", paths}});
    return kGood;
  }
  for (const Json& plugin : plugins) print(listed_text(plugin));
  if (!plugins.empty()) return kGood;
  print("no plugin was found; the folders searched:\n");
  for (const Json& path : paths) {
    const std::string problem = path.at("problem");
    print("  " + path.at("folder").get<std::string>() +
          (problem.empty() ? "" : " (" + problem + ")") + "\n");
    for (const std::string library : path.at("unlisted")) {
      print("    no plugin.json beside " + library + "\n");
    }
  }
  return kGood;
}

}  // namespace tenon::tools
