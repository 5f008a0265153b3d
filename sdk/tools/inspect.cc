// SPDX-License-Identifier: Apache-2.0
// sdk/tools/inspect.cc: `tenon inspect`: says what a file is, and whether it is in order. A
// plugin's library is registered for that, in a process of its own.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "command.h"
#include "idx_header.h"
#include "known_files.h"
#include "library_look.h"
#include "plan_listing.h"
#include "run_file.h"
#include "sha256.h"

namespace tenon::tools {
namespace {

namespace fs = std::filesystem;

std::string first_bytes(const std::string& path, size_t count) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Failure{path + ": cannot be read"};
  std::string bytes(count, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(count));
  bytes.resize(static_cast<size_t>(file.gcount()));
  return bytes;
}

Json read_json(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Failure{path.string() + ": cannot be read"};
  try {
    return Json::parse(file);
  } catch (const Json::exception& error) {
    throw Failure{path.string() + ": is not JSON: " + error.what()};
  }
}

// For comparing: members of objects and entries of lists in one order, as theirs means nothing.
nlohmann::json in_order(const Json& value) {
  nlohmann::json ordered = value;
  if (!ordered.is_array()) return ordered;
  for (nlohmann::json& item : ordered) {
    if (item.contains("ops") && item["ops"].is_array())
      std::sort(item["ops"].begin(), item["ops"].end());
  }
  std::sort(ordered.begin(), ordered.end());
  return ordered;
}

void compare(const Json& manifest, const Json& library, std::vector<std::string>& findings) {
  if (!manifest.is_object()) {
    findings.push_back("plugin.json does not hold an object");
    return;
  }
  for (const auto& [field, expected] : library.items()) {
    const auto given = manifest.find(field);
    const bool absent = given == manifest.end();
    // What a plugin requires may be completed by hand; the hash is optional.
    if (field == "requires" || (absent && (field == "sha256" || field == "manifest"))) continue;
    if (absent && expected.is_array() && expected.empty()) continue;
    if (!absent && in_order(*given) == in_order(expected)) continue;
    findings.push_back("field \"" + field + "\": plugin.json says " +
                       (absent ? "nothing" : given->dump(-1, ' ', true)) + ", the library " +
                       expected.dump(-1, ' ', true));
  }
}

// How libraries are looked at.
struct Look {
  const Options& options;
  double seconds;
};

// plugin.json as it should be.
Json expected_of(const fs::path& library, const Look& look) {
  Json expected = stated_by_library(look.options, library, look.seconds);
  expected["sha256"] = sha256_of(library).digits;
  if (expected["sha256"] == "") expected.erase("sha256");
  return expected;
}

Inspection inspect_library(const fs::path& library, const Look& look) {
  Inspection report;
  const Json expected = expected_of(library, look);
  report.content = {{"kind", "plugin"}, {"library", library.string()}, {"states", expected}};
  const fs::path beside = library.parent_path() / "plugin.json";
  if (!fs::exists(beside)) {
    report.findings.push_back(
        "no plugin.json lies beside the library, so it will not be found; "
        "`tenon manifest " +
        library.string() + "` writes one");
    return report;
  }
  const Json given = read_json(beside);
  report.content["manifest"] = given;
  compare(given, expected, report.findings);
  return report;
}

Inspection inspect_manifest(const fs::path& manifest, const Look& look) {
  const Json given = read_json(manifest);
  const Json name = given.is_object() ? given.value("library", Json()) : Json();
  Inspection report;
  report.content = {{"kind", "plugin"}, {"manifest", given}};
  if (!name.is_string()) {
    report.findings.push_back("field \"library\" of " + manifest.string() + " names no file");
    return report;
  }
  const fs::path library = manifest.parent_path() / name.get<std::string>();
  if (!fs::exists(library)) {
    report.findings.push_back("library " + library.string() + " does not exist");
    return report;
  }
  const Json expected = expected_of(library, look);
  report.content["library"] = library.string();
  report.content["states"] = expected;
  compare(given, expected, report.findings);
  return report;
}

Inspection inspect_idx(const std::string& file) {
  const IdxHeader header = read_idx_header(file);
  Inspection report;
  report.content = {{"kind", "idx"},
                    {"dtype", header.dtype},
                    {"shape", header.shape},
                    {"gzip", header.compressed},
                    {"bytes", header.data_bytes}};
  if (!header.problem.empty()) report.findings.push_back(header.problem);
  return report;
}

Inspection look_at(const std::string& file, const Look& look) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (!fs::exists(status)) throw Failure{file + ": does not exist"};
  if (fs::is_directory(status)) {
    const fs::path manifest = fs::path(file) / "plugin.json";
    if (fs::exists(manifest)) return inspect_manifest(manifest, look);
    return {{{"kind", "unknown"}}, {"a folder without plugin.json; no plugin"}};
  }
  if (!fs::is_regular_file(status)) throw Failure{file + ": is not a regular file"};
  if (fs::path(file).filename() == "plugin.json") return inspect_manifest(file, look);
  const std::string start = first_bytes(file, 4);
  if (start ==
      "\x7f"
      "ELF")
    return inspect_library(fs::absolute(file), look);
  if (is_idx(file)) return inspect_idx(file);
  if (std::optional<Inspection> found = inspect_plan(file)) return *found;
  if (std::optional<Inspection> found = inspect_tensors(look.options, file)) return *found;
  if (std::optional<Inspection> found = inspect_tokenizer(look.options, file)) return *found;
  return {{{"kind", "unknown"}},
          {"neither a plugin (library, plugin.json or folder), nor an idx file, a plan's listing, "
           "nor tensors or a tokenizer that a plugin reads"}};
}

std::string manifest_text(const Json& manifest) {
  std::string text;
  for (const auto& [field, value] : manifest.items()) {
    if (value.is_array() && value.empty()) continue;
    std::string shown;
    if (field == "requires") {
      for (const auto& [what, names] : value.items()) {
        if (names.empty()) continue;
        shown += (shown.empty() ? "" : "; ") + what + ": " + joined(names_of(names));
      }
      if (shown.empty()) continue;
    } else if (field == "abi") {
      shown = std::to_string(value.at("major").get<int>()) + "." +
              std::to_string(value.at("minor").get<int>()) + " draft " +
              std::to_string(value.at("draft").get<int>());
    } else if (field == "kernels") {
      for (const Json& entry : value) {
        shown += shown.empty() ? "" : "; ";
        shown += entry.at("device").get<std::string>();
        shown += ": ";
        shown += entry.at("ops").is_array() ? joined(names_of(entry.at("ops"))) : "all ops";
      }
    } else if (value.is_array()) {
      shown = joined(names_of(value));
    } else {
      shown = value.is_string() ? value.get<std::string>() : value.dump();
    }
    text.append("  ").append(field).append(": ").append(shown).append("\n");
  }
  return text;
}

void print_tensors(const Json& content) {
  print("  format: " + content.at("format").get<std::string>() + "\n");
  for (const Json& tensor : content.at("tensors")) {
    print("  " + one_line(tensor.at("name").get<std::string>()) + ": " + tensor_text(tensor) +
          "\n");
  }
  for (const auto& [key, value] : content.at("metadata").items()) {
    print("  metadata " + one_line(key) + ": " + one_line(value.get<std::string>()) + "\n");
  }
}

// "tenon.add 2, tenon.matmul 1"
std::string numbers_text(const Json& numbers) {
  std::vector<std::string> items;
  for (const auto& [name, number] : numbers.items()) items.push_back(name + " " + number.dump());
  return items.empty() ? "none" : joined(items);
}

void print_plan(const Json& content) {
  print("  launches " + content.at("launches").dump() + ", storages " +
        content.at("storages").dump() + ", inputs " + content.at("inputs").dump() +
        "\n  ops: " + numbers_text(content.at("ops")) +
        "\n  plugins: " + numbers_text(content.at("plugins")) + "\n");
  for (const Json& arena : content.at("arenas")) {
    print("  arena of " + arena.at("device").get<std::string>() + ": " + arena.at("bytes").dump() +
          " bytes\n");
  }
}

void print_text(const std::string& file, const Inspection& report) {
  const std::string kind = report.content.at("kind");
  print(file + ": " + kind + "\n");
  if (report.content.contains("states")) {
    print(manifest_text(report.content.at("states")));
  } else if (kind == "idx") {
    print("  " + report.content.at("dtype").get<std::string>() + report.content.at("shape").dump() +
          (report.content.at("gzip").get<bool>() ? ", gzip-compressed\n" : "\n"));
  } else if (kind == "tokenizer" && report.content.contains("tokens")) {
    print("  " + count_text(report.content.at("tokens").get<size_t>(), "token") + ", " +
          report.content.at("tokenizer").get<std::string>() + "\n");
  } else if (kind == "plan" && report.content.contains("launches")) {
    print_plan(report.content);
  } else if (kind == "checkpoint") {
    print_run(report.content);
  } else if (kind == "tensors" && report.content.contains("tensors")) {
    print_tensors(report.content);
  }
  for (const std::string& finding : report.findings) print("  wrong: " + finding + "\n");
}

}  // namespace

int inspect(const Options& options, const std::string& file, double seconds, bool as_json) {
  Inspection report = look_at(file, {options, seconds});
  if (as_json) {
    report.content["findings"] = report.findings;
    print_json(report.content);
  } else {
    print_text(file, report);
  }
  return report.findings.empty() ? kGood : kFindings;
}

}  // namespace tenon::tools
