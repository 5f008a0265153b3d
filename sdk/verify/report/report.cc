// SPDX-License-Identifier: Apache-2.0
// sdk/verify/report/report.cc: see report.h.
#include "report/report.h"

#include <algorithm>
#include <cstdio>

#include "child_process.h"
#include "report/table.h"

namespace tenon::verify {
namespace {

// Groups of one op, optimizer or layer, over all backends.
struct OpTotal {
  std::string name;
  Tally tally;
};

std::vector<OpTotal> by_op(const PluginResult& result) {
  std::vector<OpTotal> all;
  for (const GroupResult& group : result.groups) {
    if (all.empty() || all.back().name != group.group.name()) {
      all.push_back({group.group.name(), {}});
    }
    all.back().tally.add(group.tally);
  }
  return all;
}

std::string version() {
  uint32_t major = 0;
  uint32_t minor = 0;
  uint32_t patch = 0;
  tenon_version_get(&major, &minor, &patch, nullptr);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

std::string_view meaning_of(const std::string& cause) {
  const auto found = std::find_if(kCauses.begin(), kCauses.end(),
                                  [&](const Cause& each) { return each.name == cause; });
  return found == kCauses.end() ? std::string_view() : found->meaning;
}

std::string quoted(const std::string& text) {
  const bool plain = !text.empty() && text.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyz"
                                          "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_-./,:=@+%") == std::string::npos;
  if (plain) return text;
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", seconds);
  return text;
}

// ---- JSON ---------------------------------------------------------------------------------------

// Parts of a case for those who sort failures by them.
void add_parts(Json& json, const PluginResult& result, const std::string& text) {
  std::optional<Case> parsed;
  try {
    if (!text.empty()) parsed = parse_case(text);
  } catch (const Failure&) {
    // A process that died may have left anything.
  }
  const Case each = parsed.value_or(Case());
  std::string layouts;
  for (const Layout layout : each.layouts) {
    layouts += (layouts.empty() ? "" : ",") + std::string(name_of(layout));
  }
  json["case"] = text;
  json["dtype"] = !parsed ? "" : each.to.empty() ? "as written" : each.from + ">" + each.to;
  json["layout"] = layouts;
  json["form"] = parsed ? std::string(name_of(each.form)) : "";
  json["backend"] = each.backend;
  json["sample"] = "";
  for (const GroupResult& group : result.groups) {
    if (!parsed || group.group.op != each.op || !group.facts.is_object()) continue;
    const Json samples = group.facts.value("samples", Json::array());
    if (each.sample < samples.size()) json["sample"] = samples.at(each.sample);
    break;
  }
}

Json json_of(const PluginResult& result, const Request& request, const FailureNote& note) {
  Json json = {{"op", note.op}, {"cause", note.cause}, {"meaning", meaning_of(note.cause)}};
  add_parts(json, result, note.case_text);
  json["words"] = note.words;
  json["repro"] = repro_of(result, request, note);
  return json;
}

Json counts_of(const Failures& failures) {
  Json list = Json::array();
  for (const auto& [key, count] : failures.counts()) {
    list.push_back({{"op", key.first}, {"cause", key.second}, {"count", count}});
  }
  return list;
}

Json matrix_of(const PluginResult& result) {
  Json rows = Json::array();
  for (const GroupResult& group : result.groups) {
    Json row = json_of(group.group);
    row.update({{"seconds", group.seconds}, {"cut", group.cut}});
    row.update(json_of(group.tally));
    if (group.facts.is_object() && group.facts.contains("forms")) {
      row["operands"] = group.facts.at("operands");
      row["impossible"] = impossible_cells(group.facts);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// The op with the fewest cases; null if there is none.
Json minimum_of(const std::vector<PluginResult>& results) {
  Json least;
  for (const PluginResult& result : results) {
    for (const OpTotal& op : by_op(result)) {
      if (least.is_object() && least.at("cases") <= op.tally.cases) continue;
      least = {{"op", op.name}, {"cases", op.tally.cases}, {"plugin", result.id}};
    }
  }
  return least;
}

Json uncovered_of(const PluginResult& result) {
  Json list = Json::array();
  for (const auto& [op, what, why] : result.uncovered) {
    list.push_back({{"op", op}, {"what", what}, {"why", why}});
  }
  return list;
}

Json warnings_of(const PluginResult& result, const Request& request) {
  Json list = Json::array();
  if (request.strict) return list;
  for (const auto& [op, words] : result.unwitnessed) {
    list.push_back({{"op", op}, {"cause", causes::kNoWitness.name}, {"words", words}});
  }
  return list;
}

Json json_of(const PluginResult& result, const Request& request) {
  const Tally total = result.total();
  Json failures = Json::array();
  for (const FailureNote& note : result.failures.told()) {
    failures.push_back(json_of(result, request, note));
  }
  return {{"id", result.id},
          {"seconds", result.seconds},
          {"cases", total.cases},
          {"distinct", total.distinct},
          {"passed", total.passed},
          {"failed", result.failures.total()},
          {"skipped", result.skipped()},
          {"uncovered", uncovered_of(result)},
          {"warnings", warnings_of(result, request)},
          {"failures", failures},
          {"counts", counts_of(result.failures)},
          {"matrix", matrix_of(result)}};
}

// ---- text ---------------------------------------------------------------------------------------

std::string failures_text(const PluginResult& result, const Request& request) {
  constexpr size_t shown = 3;  // of each op and cause; the JSON has more
  std::string text;
  for (const auto& [key, count] : result.failures.counts()) {
    text += "  " + (key.first.empty() ? result.id : key.first) + ": " + key.second + ", " +
            std::string(meaning_of(key.second)) +
            (count > 1 ? " (" + std::to_string(count) + " times)" : "") + "\n";
    size_t told = 0;
    for (const FailureNote& note : result.failures.told()) {
      if (note.op != key.first || note.cause != key.second || told == shown) continue;
      ++told;
      if (!note.case_text.empty()) text += "    " + note.case_text + "\n";
      text += "      " + note.words + "\n      " + repro_of(result, request, note) + "\n";
    }
  }
  return text;
}

std::string uncovered_text(const PluginResult& result) {
  std::string text;
  for (const auto& [op, what, why] : result.uncovered) {
    // Told as a warning or a failure.
    if (result.unwitnessed.contains({op, what + ": " + why})) continue;
    text += "  uncovered: " + (op.empty() ? "" : op + ": ") + what + ": " + why + "\n";
  }
  return text;
}

std::string warnings_text(const PluginResult& result, const Request& request) {
  std::string text;
  for (const Json& warning : warnings_of(result, request)) {
    text += "  warning: " + warning.at("op").get<std::string>() + ": no-witness, " +
            std::string(causes::kNoWitness.meaning) + "\n    " +
            warning.at("words").get<std::string>() + "\n";
  }
  if (text.empty()) return text;
  return text + "  `tenon golden new NAME` writes a golden file to fill in; --strict fails here\n";
}

std::string text_of(const PluginResult& result, const Request& request) {
  const Tally total = result.total();
  const char* const good = total.cases == 0 ? "not judged" : "passed";
  std::string text = result.id + ": " + (result.passed() ? good : "FAILED") + ", " +
                     tools::count_text(total.cases, "case") + ", " +
                     std::to_string(result.failures.total()) + " failed, " +
                     seconds_text(result.seconds) + "\n";
  text += table_text(result, request.matrix);
  const std::string failures = failures_text(result, request);
  if (!failures.empty()) text += "failures\n" + failures;
  return text + warnings_text(result, request) + uncovered_text(result) + "\n";
}

}  // namespace

std::string repro_of(const PluginResult& result, const Request& request, const FailureNote& note) {
  std::vector<std::string> words{"tenon"};
  for (const std::string& word : tools::arguments_of(result.given)) words.push_back(word);
  words.emplace_back("verify");
  words.push_back(result.argument);
  const auto add = [&](const char* option, const std::string& value) {
    words.emplace_back(option);
    words.push_back(value);
  };
  if (!note.case_text.empty()) {
    add("--case", note.case_text);
  } else if (!note.op.empty()) {
    add("--ops", note.op);
  }
  for (const std::string& folder : request.goldens) add("--goldens", tools::absolute_path(folder));
  add("--seed", std::to_string(request.seed));
  add("--level", std::to_string(request.level));
  if (request.strict && note.cause == causes::kNoWitness.name) words.emplace_back("--strict");
  if (request.seconds > 0) {
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%g", request.seconds);
    add("--timeout", seconds);
  }
  std::string command;
  for (const std::string& word : words) command += (command.empty() ? "" : " ") + quoted(word);
  return command;
}

Json json_report(const std::vector<PluginResult>& results, const Request& request, double seconds) {
  Json plugins = Json::array();
  Tally total;
  uint64_t failed = 0;
  uint64_t skipped = 0;
  size_t uncovered = 0;
  size_t warnings = 0;
  for (const PluginResult& result : results) {
    plugins.push_back(json_of(result, request));
    total.add(result.total());
    failed += result.failures.total();
    skipped += result.skipped();
    uncovered += result.uncovered.size();
    warnings += request.strict ? 0 : result.unwitnessed.size();
  }
  return {{"tenon", version()},
          {"level", request.level},
          {"seed", request.seed},
          {"seconds", seconds},
          {"plugins", plugins},
          {"cases", total.cases},
          {"distinct", total.distinct},
          {"passed", total.passed},
          {"failed", failed},
          {"skipped", skipped},
          {"uncovered", uncovered},
          {"warnings", warnings},
          {"minimum", minimum_of(results)}};
}

std::string text_report(const std::vector<PluginResult>& results, const Request& request,
                        double seconds) {
  std::string text;
  Tally total;
  uint64_t failed = 0;
  uint64_t skipped = 0;
  for (const PluginResult& result : results) {
    text += text_of(result, request);
    total.add(result.total());
    failed += result.failures.total();
    skipped += result.skipped();
  }
  text += tools::count_text(total.cases, "case") + " (" + std::to_string(total.distinct) +
          " distinct) of " + tools::count_text(results.size(), "plugin") + " at level " +
          std::to_string(request.level) + ": " + std::to_string(total.passed) + " passed, " +
          std::to_string(failed) + " failed, " + std::to_string(skipped) + " skipped; " +
          seconds_text(seconds) + "\n";
  const Json least = minimum_of(results);
  if (least.is_object()) {
    text += "fewest cases of an op: " + std::to_string(least.at("cases").get<uint64_t>()) + ", " +
            least.at("op").get<std::string>() + " of " + least.at("plugin").get<std::string>() +
            "\n";
  }
  return text;
}

int report(const std::vector<PluginResult>& results, const Request& request, double seconds) {
  const Json json = json_report(results, request, seconds);
  if (!request.json_file.empty()) {
    tools::write_file(request.json_file,
                      json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  }
  if (request.json) {
    tools::print_json(json);
  } else {
    tools::print(text_report(results, request, seconds));
  }
  return json.at("failed") == 0 && json.at("skipped") == 0 ? tools::kGood : tools::kFindings;
}

int list_causes(bool as_json) {
  Json list = Json::array();
  for (const Cause& cause : kCauses) {
    list.push_back({{"name", cause.name}, {"meaning", cause.meaning}});
    if (!as_json) tools::print(std::string(cause.name) + "  " + std::string(cause.meaning) + "\n");
  }
  if (as_json) tools::print_json(list);
  return tools::kGood;
}

}  // namespace tenon::verify
