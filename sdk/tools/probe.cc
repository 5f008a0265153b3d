// SPDX-License-Identifier: Apache-2.0
// sdk/tools/probe.cc: `tenon doctor --probe`: gives each plugin a process of its own and says how
// that went. Nothing is opened in this process.
#include <algorithm>
#include <filesystem>

#include "child_process.h"
#include "command.h"
#include "company.h"
#include "kinds.h"
#include "session.h"

namespace tenon::tools {
namespace {

struct Outcome {
  std::string verdict = "ok";  // "refused", "unsuited", "crashed", "exited", "hung", "misbehaves"
  std::string reason;          // of those but the last
  std::vector<std::string> problems, notes;
  Json counts, growth;
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

void note_output(Outcome& outcome, const char* stream, const std::string& text) {
  const std::string start = std::string("printed to ") + stream;
  for (const std::string& problem : outcome.problems) {
    if (problem.find(start) == 0) return;
  }
  if (!text.empty()) {
    outcome.problems.push_back(start + ": \"" + one_line(text.substr(0, text.find('\n'))) + "\"");
  }
}

// How the process ended, if that says more than its own report.
void judge(Outcome& outcome, const ChildEnd& end, const std::string& phase, bool finished,
           double seconds) {
  const EndReason reason = reason_of(end, phase, finished, seconds);
  if (!reason.verdict.empty()) {
    outcome.verdict = reason.verdict;
    outcome.reason = reason.words;
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
  const auto add = [&](const char* member, const char* noun) {
    const size_t count = counts.value(member, size_t{0});
    if (count > 0) parts.push_back(count_text(count, noun));
  };
  add("ops", "op");
  add("kernels", "kernel");
  add("vjps", "backward rule");
  for (const EntryKind& kind : kEntryKinds) add(kind.topic, kind.noun);
  add("devices", "device kind");
  parts.push_back(count_text(counts.value("sample_calls", size_t{0}), "sample call"));
  return joined(parts);
}

std::string verdict_advice(const std::string& verdict) {
  if (verdict == "unsuited") return "nothing: the plugin is for another processor";
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
  if (outcome.verdict != "ok") print("    -> " + verdict_advice(outcome.verdict) + "\n");
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
          {"advice", outcome.verdict == "ok" ? "" : verdict_advice(outcome.verdict)}};
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
  size_t unsuited = 0;
  for (const Json& plugin : chosen(plugins, ids)) {
    Outcome outcome;
    if (plugin.at("state") == "refused") {
      outcome.verdict = is_for_another_processor(plugin) ? "unsuited" : "refused";
      outcome.reason = "refused: " + plugin.at("reason").get<std::string>();
    } else {
      outcome = probe_one(options, plugin, company.excluded_for(plugin), seconds);
    }
    good += outcome.verdict == "ok" ? 1 : 0;
    unsuited += outcome.verdict == "unsuited" ? 1 : 0;
    results.push_back(json_of(plugin, outcome));
    if (!as_json) print_outcome(plugin.at("id"), outcome);
  }
  const size_t bad = results.size() - good - unsuited;
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
