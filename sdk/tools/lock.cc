// SPDX-License-Identifier: Apache-2.0
// sdk/tools/lock.cc: `tenon plugin lock` and `tenon plugin check`. A lock file says which
// libraries may be opened, by their bytes:
//
//   {"lock": 1, "plugins": [{"id": "acme.fast", "version": "1.0", "library": "acme.fast.so",
//                            "sha256": "64 hexadecimal digits"}]}
//
// sorted by id. No plugin is opened for it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>

#include "command.h"
#include "session.h"
#include "sha256.h"

namespace tenon::tools {
namespace {

namespace fs = std::filesystem;

constexpr int kFormat = 1;
constexpr const char* kDefaultFile = "tenon-plugins.lock";

struct Found {
  Json entries = Json::array();  // of the lock file
  Json left_out = Json::array();
};

Json entry_of(const Json& plugin) {
  const std::string library = plugin.at("library");
  return {{"id", plugin.at("id")},
          {"version", plugin.at("version")},
          {"library", fs::path(library).filename()},
          {"sha256", must_sha256_of(library)}};
}

// `wanted`: real paths of plugin folders; empty for all.
Found find_plugins(const Options& options, const std::set<std::string>& wanted) {
  const Session session(options);
  Found found;
  std::map<std::string, Json> by_id;
  for (const Json& plugin : session.query("plugins")) {
    const std::string folder = plugin.at("folder");
    if (!wanted.empty() && !wanted.contains(fs::weakly_canonical(folder))) continue;
    if (plugin.at("state") == "refused") {
      found.left_out.push_back({{"id", plugin.at("id")},
                                {"folder", folder},
                                {"reason", plugin.at("reason")},
                                {"for_another_processor", is_for_another_processor(plugin)}});
    } else {
      by_id[plugin.at("id")] = entry_of(plugin);
    }
  }
  for (auto& [id, entry] : by_id) found.entries.push_back(std::move(entry));
  return found;
}

// Given folders are plugin folders or hold some; of the former their neighbours are not meant.
Found find_in(const Options& options, const std::vector<std::string>& folders) {
  Options only;
  only.only_paths = true;
  only.exclude = options.exclude;
  Found all;
  for (const std::string& folder : folders) {
    if (!fs::is_directory(folder)) throw Failure{folder + ": is not a folder", kUsage};
    const fs::path real = fs::canonical(folder);
    const bool is_plugin = fs::exists(real / "plugin.json");
    only.plugin_paths = {is_plugin ? real.parent_path().string() : real.string()};
    std::set<std::string> wanted;
    if (is_plugin) wanted.insert(real.string());
    Found some = find_plugins(only, wanted);
    for (Json& entry : some.entries) {
      for (const Json& other : all.entries) {
        if (other.at("id") == entry.at("id") && other != entry) {
          throw Failure{"two plugins have the id " + entry.at("id").get<std::string>() +
                        ": lock the folders one after the other into files of their own"};
        }
      }
      if (std::find(all.entries.begin(), all.entries.end(), entry) == all.entries.end()) {
        all.entries.push_back(std::move(entry));
      }
    }
    for (Json& entry : some.left_out) all.left_out.push_back(std::move(entry));
  }
  std::sort(all.entries.begin(), all.entries.end(),
            [](const Json& a, const Json& b) { return a.at("id") < b.at("id"); });
  return all;
}

void report_left_out(const Found& found) {
  for (const Json& plugin : found.left_out) {
    std::cerr << "tenon: left out " << plugin.at("id").get<std::string>() << " in "
              << plugin.at("folder").get<std::string>() << ": "
              << plugin.at("reason").get<std::string>() << '\n';
  }
}

// Entries by id. Throws Failure for a file that is not a lock file.
std::map<std::string, Json> read_lock(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw Failure{file + ": cannot be read; write it with `tenon plugin lock`"};
  const Json root = Json::parse(stream, nullptr, false);
  if (!root.is_object()) throw Failure{file + ": is not a lock file: it holds no JSON object"};
  const Json format = root.value("lock", Json());
  if (format != kFormat) {
    throw Failure{file + ": is not a lock file of format " + std::to_string(kFormat) +
                  ": field \"lock\" is " + format.dump(-1, ' ', true)};
  }
  std::map<std::string, Json> entries;
  for (const Json& entry : root.value("plugins", Json::array())) {
    for (const char* field : {"id", "version", "library", "sha256"}) {
      if (!entry.is_object() || !entry.value(field, Json()).is_string()) {
        throw Failure{file + ": an entry of \"plugins\" has no text in \"" + field + "\""};
      }
    }
    entries[entry.at("id")] = entry;
  }
  return entries;
}

std::string change_text(const Json& change) {
  const auto text = [](const Json& entry) {
    return entry.at("version").get<std::string>() + " " +
           entry.at("sha256").get<std::string>().substr(0, 12);
  };
  return text(change.at("locked")) + " is now " + text(change.at("found"));
}

}  // namespace

int plugin_lock(const Options& options, const std::vector<std::string>& folders,
                const std::string& output, bool force, bool as_json) {
  const std::string file = absolute_path(output);
  if (!force && fs::exists(fs::symlink_status(file))) {
    throw Failure{file + ": is there already; --force writes over it"};
  }
  Options search = options;
  search.allowlist.clear();  // what the old one leaves out may be what is to be locked
  const Found found = folders.empty() ? find_plugins(search, {}) : find_in(search, folders);
  report_left_out(found);
  if (found.entries.empty()) throw Failure{"no plugin was found to lock; nothing was written"};
  write_file(file, Json{{"lock", kFormat}, {"plugins", found.entries}}.dump(2) + "\n");
  if (as_json) {
    print_json(Json{{"file", file}, {"plugins", found.entries}, {"left_out", found.left_out}});
  } else {
    for (const Json& entry : found.entries) {
      print(entry.at("sha256").get<std::string>() + "  " + entry.at("id").get<std::string>() + " " +
            entry.at("version").get<std::string>() + "\n");
    }
    print(count_text(found.entries.size(), "plugin") + " locked in " + file + "\n");
  }
  return std::all_of(
             found.left_out.begin(), found.left_out.end(),
             [](const Json& plugin) { return plugin.at("for_another_processor").get<bool>(); })
             ? kGood
             : kFindings;
}

int plugin_check(const Options& options, bool as_json) {
  const std::string file =
      absolute_path(options.allowlist.empty() ? kDefaultFile : options.allowlist);
  std::map<std::string, Json> locked = read_lock(file);
  Options search = options;
  search.allowlist.clear();
  const Found found = find_plugins(search, {});
  Json unknown = Json::array();
  Json changed = Json::array();
  size_t same = 0;
  for (const Json& entry : found.entries) {
    const auto before = locked.find(entry.at("id"));
    if (before == locked.end()) {
      unknown.push_back(entry);
      continue;
    }
    if (before->second.at("sha256") == entry.at("sha256")) {
      ++same;
    } else {
      changed.push_back({{"id", entry.at("id")}, {"locked", before->second}, {"found", entry}});
    }
    locked.erase(before);
  }
  Json missing = Json::array();
  for (const auto& [id, entry] : locked) missing.push_back(entry);
  const bool good = unknown.empty() && changed.empty() && missing.empty();
  if (as_json) {
    print_json(Json{{"file", file},
                    {"same", same},
                    {"new", unknown},
                    {"changed", changed},
                    {"missing", missing},
                    {"left_out", found.left_out}});
    return good ? kGood : kFindings;
  }
  print(file + ": " + std::to_string(same) + " as locked, " + std::to_string(unknown.size()) +
        " new, " + std::to_string(changed.size()) + " changed, " + std::to_string(missing.size()) +
        " missing\n");
  const auto id_of = [](const Json& entry) { return entry.at("id").get<std::string>(); };
  for (const Json& entry : unknown) print("  new      " + id_of(entry) + "\n");
  for (const Json& entry : changed) {
    print("  changed  " + id_of(entry) + ": " + change_text(entry) + "\n");
  }
  for (const Json& entry : missing) print("  missing  " + id_of(entry) + "\n");
  if (!good) print("  -> where this was intended: tenon plugin lock --force -o " + file + "\n");
  return good ? kGood : kFindings;
}

}  // namespace tenon::tools
