// SPDX-License-Identifier: Apache-2.0
// sdk/tools/probe.cc: `tenon doctor --probe`: gives each plugin a process of its own and says how
// that went. Nothing is opened in this process.
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "child_process.h"
#include "session.h"

namespace tenon::tools {
namespace {

struct Outcome {
  std::string verdict = "ok";  // "refused", "crashed", "exited", "hung", "misbehaves"
  std::string reason;          // of those but the last
  std::vector<std::string> problems, notes;
  Json counts, growth;
};

// ---- which plugins come along -------------------------------------------------------------------

bool lists(const Json& names, const std::string& name) {
  const std::vector<std::string> all = names_of(names);
  return std::find(all.begin(), all.end(), name) != all.end();
}

bool has_kernel(const Json& plugin, const std::string& op) {
  for (const Json& entry : plugin.at("kernels")) {
    if (entry.at("ops").is_string() || lists(entry.at("ops"), "*") || lists(entry.at("ops"), op)) {
      return true;
    }
  }
  return false;
}

bool holds_role(const Json& plugin) {
  for (const Json& op : plugin.at("ops")) {
    if (!op.value("role", "").empty()) return true;
  }
  return false;
}

// The plugins a probed one is opened with: those that define the ops it extends, offer its devices,
// run its ops, and hold the roles of the core. Few, so that what happens is its own doing.
class Company {
 public:
  explicit Company(const Json& plugins) : plugins_(plugins) {}

  std::vector<std::string> excluded_for(const Json& plugin) {
    members_.assign(1, &plugin);
    for (size_t i = 0; i < members_.size(); ++i) need_for(*members_[i]);
    std::vector<std::string> excluded;
    for (const Json& other : plugins_) {
      if (!is_member(other)) excluded.push_back(other.at("id"));
    }
    return excluded;
  }

 private:
  bool is_member(const Json& plugin) const {
    return std::any_of(members_.begin(), members_.end(),
                       [&](const Json* member) { return member->at("id") == plugin.at("id"); });
  }

  // Adds the plugin that offers most of `names`, until no other offers one of the rest.
  template <class Offers>
  void need(std::set<std::string> names, const Offers& offers) {
    const auto erase_offered = [&](const Json& plugin) {
      std::erase_if(names, [&](const std::string& name) { return offers(plugin, name); });
    };
    for (const Json* member : members_) erase_offered(*member);
    while (!names.empty()) {
      const Json* best = nullptr;
      ptrdiff_t most = 0;
      for (const Json& plugin : plugins_) {
        if (plugin.at("state") == "refused") continue;
        const ptrdiff_t count =
            std::count_if(names.begin(), names.end(),
                          [&](const std::string& name) { return offers(plugin, name); });
        if (count > most) best = &plugin;
        most = std::max(most, count);
      }
      if (best == nullptr) return;
      members_.push_back(best);
      erase_offered(*best);
    }
  }

  void need_for(const Json& plugin) {
    std::set<std::string> extended;
    std::set<std::string> devices;
    for (const std::string& op : names_of(plugin.at("vjps"))) extended.insert(op);
    for (const Json& entry : plugin.at("kernels")) {
      devices.insert(entry.at("device").get<std::string>());
      if (!entry.at("ops").is_array()) continue;
      for (const std::string& op : names_of(entry.at("ops"))) extended.insert(op);
    }
    const Json requirements = plugin.value("requires", Json::object());
    for (const std::string& op : names_of(requirements.value("ops", Json::array()))) {
      extended.insert(op);
    }
    std::set<std::string> own;
    for (const std::string& op : names_of(plugin.at("ops"))) own.insert(op);
    need(extended,
         [](const Json& other, const std::string& name) { return lists(other.at("ops"), name); });
    need(devices, [](const Json& other, const std::string& name) {
      return lists(other.at("devices"), name);
    });
    need(own, has_kernel);
    if (own.empty() && extended.empty() && plugin.at("optimizers").empty()) return;
    need({"roles"}, [](const Json& other, const std::string&) { return holds_role(other); });
  }

  const Json& plugins_;
  std::vector<const Json*> members_;
};

// ---- one plugin ---------------------------------------------------------------------------------

std::vector<std::string> arguments_for(const Options& options, const Json& plugin,
                                       const std::vector<std::string>& excluded) {
  Options near = options;
  const std::filesystem::path folder(plugin.at("folder").get<std::string>());
  near.plugin_paths.insert(near.plugin_paths.begin(), folder.parent_path());
  near.exclude.insert(near.exclude.end(), excluded.begin(), excluded.end());
  std::vector<std::string> arguments = arguments_of(near);
  arguments.emplace_back("probe-child");
  arguments.push_back(plugin.at("id"));
  arguments.push_back(plugin.at("library"));
  return arguments;
}

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%g s", seconds);
  return text;
}

void note_output(Outcome& outcome, const char* stream, const std::string& text) {
  const std::string start = std::string("printed to ") + stream;
  for (const std::string& problem : outcome.problems) {
    if (problem.find(start) == 0) return;
  }
  if (!text.empty()) {
    outcome.problems.push_back(start + ": \"" + one_line(text.substr(0, text.find('\n'))) + "\"");
  }
}

// How the process ended, where that says more than its own report.
void judge(Outcome& outcome, const ChildEnd& end, const std::string& phase, bool finished,
           double seconds) {
  if (end.stopped) {
    outcome.verdict = "hung";
    outcome.reason =
        "hung while " + phase + ": no progress for " + seconds_text(seconds) + "; killed";
  } else if (WIFSIGNALED(end.status)) {
    outcome.verdict = "crashed";
    outcome.reason = "crashed with " + end_text(end.status) + " while " + phase;
    if (WTERMSIG(end.status) == SIGXFSZ) {
      outcome.reason +=
          " (it wrote more than " + std::to_string(kChildFileBytes >> 20) + " MiB to one file)";
    }
  } else if (!finished || WEXITSTATUS(end.status) != 0) {
    outcome.verdict = "exited";
    outcome.reason = "ended the process with " + end_text(end.status) + " while " + phase;
  } else if (outcome.verdict == "ok" && !outcome.problems.empty()) {
    outcome.verdict = "misbehaves";
  }
}

Outcome probe_one(const Options& options, const Json& plugin,
                  const std::vector<std::string>& excluded, double seconds) {
  Outcome outcome;
  std::string phase = "starting";
  bool finished = false;
  const auto take = [&](const std::string& line) {
    const Json said = Json::parse(line, nullptr, false);
    if (!said.is_object()) return;
    phase = said.value("phase", phase);
    finished = finished || said.contains("end");
    if (said.contains("problem")) outcome.problems.push_back(said.at("problem"));
    if (said.contains("note")) outcome.notes.push_back(said.at("note"));
    if (said.contains("counts")) outcome.counts = said.at("counts");
    if (said.contains("growth")) outcome.growth = said.at("growth");
    if (said.contains("refused")) {
      outcome.verdict = "refused";
      outcome.reason = "refused: " + said.at("refused").get<std::string>();
    }
  };
  const ChildEnd end = run_child(arguments_for(options, plugin, excluded), seconds, take);
  note_output(outcome, "stdout", end.out);
  note_output(outcome, "stderr", end.err);
  judge(outcome, end, phase, finished, seconds);
  return outcome;
}

// ---- all of them --------------------------------------------------------------------------------

std::string counts_text(const Json& counts) {
  std::vector<std::string> parts;
  const std::pair<const char*, const char*> nouns[] = {{"ops", "op"},
                                                       {"kernels", "kernel"},
                                                       {"vjps", "backward rule"},
                                                       {"optimizers", "optimizer"},
                                                       {"datasets", "dataset"},
                                                       {"devices", "device kind"}};
  for (const auto& [member, noun] : nouns) {
    const size_t count = counts.value(member, size_t{0});
    if (count > 0) parts.push_back(count_text(count, noun));
  }
  parts.push_back(count_text(counts.value("sample_calls", size_t{0}), "sample call"));
  return joined(parts);
}

std::string advice_for(const std::string& verdict) {
  if (verdict == "refused") return "`tenon doctor` says what to do";
  if (verdict == "misbehaves") {
    return "report it to the plugin's author; docs/plugin-authors.md says what plugins may not do";
  }
  return "remove the plugin, or exclude it by name, and report it to its author";
}

void print_outcome(const std::string& id, const Outcome& outcome) {
  print("  " + id + ": " + outcome.verdict +
        (outcome.counts.is_object() ? " (" + counts_text(outcome.counts) + ")" : "") + "\n");
  if (!outcome.reason.empty()) print("    " + outcome.reason + "\n");
  for (const std::string& problem : outcome.problems) print("    " + problem + "\n");
  for (const std::string& note : outcome.notes) print("    note: " + note + "\n");
  if (outcome.verdict != "ok") print("    -> " + advice_for(outcome.verdict) + "\n");
}

Json json_of(const Json& plugin, const Outcome& outcome) {
  return {{"id", plugin.at("id")},
          {"folder", plugin.at("folder")},
          {"verdict", outcome.verdict},
          {"reason", outcome.reason},
          {"problems", outcome.problems},
          {"notes", outcome.notes},
          {"registers", outcome.counts},
          {"growth", outcome.growth},
          {"advice", outcome.verdict == "ok" ? "" : advice_for(outcome.verdict)}};
}

bool is_excluded(const Json& plugin) {
  return plugin.at("reason").get<std::string>().find("excluded by name") != std::string::npos;
}

std::vector<Json> chosen(const Json& plugins, const std::vector<std::string>& ids) {
  std::vector<Json> some;
  for (const Json& plugin : plugins) {
    const std::string id = plugin.at("id");
    const bool named = std::find(ids.begin(), ids.end(), id) != ids.end();
    if (named || (ids.empty() && !is_excluded(plugin))) some.push_back(plugin);
  }
  for (const std::string& id : ids) {
    const bool known = std::any_of(some.begin(), some.end(),
                                   [&](const Json& plugin) { return plugin.at("id") == id; });
    if (!known) throw Failure{"no plugin " + id + " was found; `tenon list` shows those there are"};
  }
  return some;
}

}  // namespace

int probe(const Options& options, const std::vector<std::string>& ids, double seconds,
          bool as_json) {
  Json plugins;
  {
    const Session session(options);
    plugins = session.query("plugins");
  }
  Company company(plugins);
  Json results = Json::array();
  size_t good = 0;
  for (const Json& plugin : chosen(plugins, ids)) {
    Outcome outcome;
    if (plugin.at("state") == "refused") {
      outcome.verdict = "refused";
      outcome.reason = "refused: " + plugin.at("reason").get<std::string>();
    } else {
      outcome = probe_one(options, plugin, company.excluded_for(plugin), seconds);
    }
    good += outcome.verdict == "ok" ? 1 : 0;
    results.push_back(json_of(plugin, outcome));
    if (!as_json) print_outcome(plugin.at("id"), outcome);
  }
  const size_t bad = results.size() - good;
  if (as_json) {
    print_json(Json{{"summary", {{"plugins", results.size()}, {"ok", good}, {"problems", bad}}},
                    {"plugins", results}});
  } else {
    print(count_text(results.size(), "plugin") + " probed, " + std::to_string(good) + " ok, " +
          std::to_string(bad) + " not\n");
  }
  return bad == 0 && !results.empty() ? kGood : kFindings;
}

}  // namespace tenon::tools
