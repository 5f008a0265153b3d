// SPDX-License-Identifier: Apache-2.0
// sdk/verify/parent.cc: `tenon verify`: finds the plugins that are meant, has each judged in
// processes of its own, and reports. No plugin is opened in this process.
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "company.h"
#include "process/run.h"
#include "report/matrix.h"
#include "report/report.h"

namespace tenon::verify {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

[[noreturn]] void wrong_usage(const std::string& text) {
  throw Failure{"verify: " + text, tools::kUsage};
}

// ---- what was asked for -------------------------------------------------------------------------

void check_json_file(const std::string& path) {
  if (path.empty()) return;
  const std::string part = tools::part_beside(path);
  const int file = open(part.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  const int error = errno;
  if (fs::is_directory(path)) wrong_usage("--json: " + path + " is a folder; name a file");
  if (file < 0) wrong_usage("--json: " + path + " cannot be written: " + std::strerror(error));
  close(file);
  unlink(part.c_str());
}

void check_goldens(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    std::error_code error;
    const fs::directory_iterator entries(folder, error);
    if (error) {
      wrong_usage("--goldens: the folder " + folder + " cannot be read: " + error.message());
    }
  }
}

std::optional<Case> case_asked_for(const std::string& text) {
  if (text.empty()) return std::nullopt;
  try {
    return parse_case(text);
  } catch (const Failure& failure) {
    wrong_usage("--case: " + failure.text);
  }
}

bool matches(const std::string& name, const std::string& pattern) {
  if (pattern.empty() || pattern.back() != '*') return name == pattern;
  return name.compare(0, pattern.size() - 1, pattern, 0, pattern.size() - 1) == 0;
}

bool wanted(const Group& group, const Request& request, const std::optional<Case>& only) {
  if (only) {
    const bool same_place = group.op.empty() || group.backend == only->backend;
    return group.name() == only->op && same_place;
  }
  return request.ops.empty() ||
         std::any_of(request.ops.begin(), request.ops.end(),
                     [&](const std::string& pattern) { return matches(group.name(), pattern); });
}

int usable_cpus() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

// Huge operands take a while to fill.
double patience(const Request& request) {
  if (request.seconds > 0) return request.seconds;
  return request.level >= kSoak ? 900 : 60;
}

// ---- which plugins ------------------------------------------------------------------------------

struct NamedPlugin {
  std::string id, folder, argument;  // `folder` is empty for an id
};

NamedPlugin named(const std::string& argument) {
  std::error_code error;
  const fs::path path = fs::weakly_canonical(argument, error);
  const bool is_path = argument.find('/') != std::string::npos || fs::is_directory(path) ||
                       fs::is_regular_file(path);
  if (!is_path) return {argument, "", argument};
  const fs::path folder = fs::is_directory(path) ? path : path.parent_path();
  const fs::path manifest = folder / "plugin.json";
  if (!fs::exists(path)) wrong_usage(argument + ": there is no such file or folder");
  std::ifstream file(manifest);
  const Json json = file ? Json::parse(file, nullptr, false) : Json();
  if (!json.is_object() || !json.contains("id") || !json.at("id").is_string()) {
    wrong_usage(argument + ": " + manifest.string() +
                (file ? " is not a manifest" : " cannot be read") +
                "; `tenon manifest LIBRARY` writes it beside a plugin's library");
  }
  return {json.at("id"), folder.string(), path.string()};
}

const Json* find_plugin(const Json& plugins, const std::string& id) {
  const auto found = std::find_if(plugins.begin(), plugins.end(),
                                  [&](const Json& plugin) { return plugin.at("id") == id; });
  return found == plugins.end() ? nullptr : &*found;
}

// One after the other, as each may bring a folder of its own to be searched first.
class Candidates {
 public:
  explicit Candidates(const Options& options) : options_(options) {}

  PluginResult look_at(const NamedPlugin& wanted) {
    PluginResult result;
    result.id = wanted.id;
    result.argument = wanted.argument;
    result.given = result.options = options_;
    std::vector<std::string>& paths = result.options.plugin_paths;
    if (!wanted.folder.empty()) paths.insert(paths.begin(), fs::path(wanted.folder).parent_path());
    const tools::Session session(result.options);
    const Json plugins = session.query("plugins");
    const Json* plugin = find_plugin(plugins, wanted.id);
    if (plugin == nullptr) {
      wrong_usage("no plugin " + wanted.id + " was found; `tenon list` shows those there are");
    }
    const std::string folder = plugin->at("folder");
    if (!wanted.folder.empty() && !fs::equivalent(folder, wanted.folder)) {
      wrong_usage(wanted.argument + ": another plugin " + wanted.id + " is found first, in " +
                  folder);
    }
    judge(result, *plugin, session.query("hashes"));
    const std::vector<std::string> others = tools::Company(plugins).excluded_for(*plugin);
    result.options.exclude.insert(result.options.exclude.end(), others.begin(), others.end());
    return result;
  }

  std::vector<NamedPlugin> all() const {
    const tools::Session session(options_);
    std::vector<NamedPlugin> list;
    for (const Json& plugin : session.query("plugins")) {
      const std::string id = plugin.at("id");
      const auto& out = options_.exclude;
      if (std::find(out.begin(), out.end(), id) == out.end()) list.push_back({id, "", id});
    }
    return list;
  }

 private:
  // What can be said without opening it.
  static void judge(PluginResult& result, const Json& plugin, const Json& hashes) {
    const auto unusable = [&](const std::string& words) {
      result.failures.add({"", std::string(causes::kUnusable.name), "", words});
    };
    if (plugin.at("state") == "refused") unusable(tools::verdict_text(plugin));
    const Json* hash = find_plugin(hashes, result.id);
    const std::string stated = plugin.value("sha256", "");
    const std::string found = hash == nullptr ? "" : hash->value("sha256", "");
    if (!stated.empty() && !found.empty() && found != stated) {
      unusable("plugin.json states sha256 " + stated + ", the library " +
               plugin.value("library", "") + " has " + found +
               "; `tenon manifest LIBRARY` writes plugin.json anew");
    }
  }

  const Options& options_;
};

// ---- one plugin ---------------------------------------------------------------------------------

class Progress {
 public:
  Progress() : shown_(isatty(STDERR_FILENO) == 1) {}
  ~Progress() {
    if (shown_) std::cerr << "\r\x1b[K" << std::flush;
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const PluginResult& result, const Group& group) {
    if (!shown_ || Clock::now() < next_) return;
    next_ = Clock::now() + std::chrono::milliseconds(200);
    const Tally total = result.total();
    std::cerr << "\r\x1b[K" << result.id << ": " << total.cases << " cases, "
              << result.failures.total() << " failed; " << group.name() << ' ' << group.backend
              << std::flush;
  }

 private:
  bool shown_;
  Clock::time_point next_;
};

// What is a warning else.
void fail_unwitnessed(PluginResult& result) {
  for (const auto& [op, words] : result.unwitnessed) {
    result.failures.add({op, std::string(causes::kNoWitness.name), "", words});
  }
}

void judge(PluginResult& result, const Request& request, const std::optional<Case>& only,
           const RunOptions& options) {
  const Clock::time_point start = Clock::now();
  if (result.passed() && list_groups(result, request, options)) {
    // Nothing to judge is no success, unless this machine has no device to judge it on.
    if (result.groups.empty() && !result.lacks_device) {
      result.failures.add({"", std::string(causes::kNoCases.name), "",
                           "it registers no op, kernel, backward rule or entry of another kind"});
    }
    std::erase_if(result.groups,
                  [&](const GroupResult& group) { return !wanted(group.group, request, only); });
    run_groups(result, request, options);
    if (!only) look_for_empty_cells(result, request.level);
    if (only) result.unwitnessed.clear();
    if (request.strict) fail_unwitnessed(result);
  }
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
}

// Asked for, but nothing was run.
void check_something_ran(const std::vector<PluginResult>& results, const Request& request) {
  if (request.ops.empty() && request.only_case.empty()) return;
  for (const PluginResult& result : results) {
    if (result.total().cases != 0 || result.lacks_device || !result.passed()) return;
  }
  if (request.only_case.empty()) wrong_usage("no op of these plugins has a name that --ops gives");
  wrong_usage("--case: no such case is run for these plugins at level " +
              std::to_string(request.level) + ": " + request.only_case);
}

}  // namespace

int verify(const Options& options, const Request& request) {
  const std::optional<Case> only = case_asked_for(request.only_case);
  check_json_file(request.json_file);
  check_goldens(request.goldens);
  Candidates candidates(options);
  std::vector<NamedPlugin> wanted_plugins;
  for (const std::string& argument : request.plugins) wanted_plugins.push_back(named(argument));
  if (request.plugins.empty()) wanted_plugins = candidates.all();
  if (wanted_plugins.empty()) {
    throw Failure{"verify: no plugin was found; `tenon list` shows the folders searched"};
  }
  std::vector<PluginResult> results;
  for (const NamedPlugin& each : wanted_plugins) results.push_back(candidates.look_at(each));

  const Clock::time_point start = Clock::now();
  {
    Progress progress;
    RunOptions run;
    run.jobs = request.jobs > 0 ? request.jobs : usable_cpus();
    run.seconds = patience(request);
    run.progress = [&](const PluginResult& result, const Group& group) {
      progress.show(result, group);
    };
    Request for_children = request;
    for (std::string& folder : for_children.goldens) folder = tools::absolute_path(folder);
    for (PluginResult& result : results) judge(result, for_children, only, run);
  }
  check_something_ran(results, request);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return report(results, request, seconds);
}

}  // namespace tenon::verify
