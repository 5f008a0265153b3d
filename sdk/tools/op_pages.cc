// SPDX-License-Identifier: Apache-2.0
// sdk/tools/op_pages.cc: `tenon ops --pages`: a page of Markdown for each op. Nothing in it depends
// on the machine beyond which plugins were found: pages are checked in and compared.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>

#include "markdown.h"
#include "op_facts.h"

namespace tenon::tools {
namespace {

constexpr size_t kExamples = 4;
constexpr size_t kRefused = 6;

// What samples and tolerances there are, by op.
struct Entries {
  std::map<std::string, std::vector<Json>> samples, tolerances;
};

Entries entries_of(const Session& session) {
  Entries entries;
  for (const Json& sample : session.query("samples")) {
    entries.samples[sample.at("op")].push_back(sample);
  }
  for (const Json& tolerance : session.query("tolerances")) {
    entries.tolerances[tolerance.at("op")].push_back(tolerance);
  }
  return entries;
}

std::string words(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& each : list) text += (text.empty() ? "" : " ") + each;
  return text;
}

std::string operand_notes(const Operand& operand) {
  std::vector<std::string> notes;
  if (operand.list) notes.emplace_back("a list of zero or more");
  if (operand.optional) notes.emplace_back("may be absent");
  if (operand.mutated) notes.emplace_back("read and written");
  if (operand.aux) notes.emplace_back("only where a backward wants it");
  return joined(notes);
}

std::string operands_text(const Signature& signature) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const std::vector<Operand>& operands, const std::string& what) {
    for (const Operand& operand : operands) {
      rows.push_back({what, markdown_code(operand.name), markdown_code(operand.dtype),
                      markdown_code(operand.dims), operand_notes(operand)});
    }
  };
  add(signature.inputs, "input");
  add(signature.outputs, "output");
  std::string text;
  if (!rows.empty()) {
    text += "## Operands\n\n" + markdown_table({"", "name", "dtype", "shape", ""}, rows);
  }
  if (signature.attributes.empty()) return text;
  rows.clear();
  for (const Attribute& attribute : signature.attributes) {
    const std::string absent = attribute.optional ? "none" : "required";
    rows.push_back({markdown_code(attribute.name),
                    markdown_code(attribute.kind) + (attribute.optional ? " or none" : ""),
                    attribute.initial.empty() ? absent : markdown_code(attribute.initial)});
  }
  return text + "## Attributes\n\n" + markdown_table({"name", "kind", "default"}, rows);
}

std::string dtypes_text(const OpFacts& op) {
  if (op.signature.variables.empty()) return {};
  std::string text = "## Dtypes\n\n";
  for (const TypeVariable& variable : op.signature.variables) {
    text += "- " + markdown_code(variable.name) + ": " + words(variable.dtypes) +
            (variable.promote ? "; operands of different ones are promoted" : "") + "\n";
  }
  std::vector<std::string> none;
  for (const auto& [dtype, runs] : op.dtypes) {
    if (!runs) none.push_back(dtype);
  }
  if (!none.empty()) {
    text += "- nothing runs " + markdown_code(op.signature.variables.front().name) + " = " +
            words(none) + " yet\n";
  }
  return text + "\n";
}

std::string gradient_text(const OpFacts& op) {
  std::string text = "## Gradient\n\n";
  if (op.gradient == "composed") {
    text += "Through the composition, any number of times.";
  } else if (op.gradient == "rule") {
    text += "Backward rule of " + markdown_code(op.rule) +
            (op.second == "none" ? "; it has no gradient itself." : ", differentiable itself.");
  } else {
    text += op.lacks_gradient() ? "None." : "None: " + op.gradient.substr(6) + ".";
  }
  return text + "\n\n";
}

std::string kernels_text(const OpFacts& op) {
  std::string text = "## Kernels\n\n";
  std::vector<std::vector<std::string>> rows;
  for (const Json& kernel : op.kernels) {
    std::vector<std::string> dtypes;
    for (const std::string& each : names_of(kernel.at("dtypes"))) {
      std::string shown = each;
      std::replace(shown.begin(), shown.end(), ' ', ':');
      dtypes.push_back(shown);
    }
    rows.push_back({kernel.at("plugin"), kernel.at("device"), words(dtypes),
                    kernel.at("canonical").get<bool>() ? "yes" : "no",
                    kernel.at("capture_safe").get<bool>() ? "yes" : "no"});
  }
  std::sort(rows.begin(), rows.end());
  if (!rows.empty()) {
    text += markdown_table({"plugin", "device", "dtypes", "canonical", "capture-safe"}, rows);
  }
  static const std::map<std::string, std::string> other = {
      {"view", "A view: where strides can say the result, no kernel runs."},
      {"moved", "None needed: Tenon itself moves the data."},
      {"composed", "Without a kernel its composition of other ops runs."},
      {"-", rows.empty() ? "None among the plugins these pages were written with." : ""}};
  const std::string& line = other.at(op.otherwise);
  return text + line + (line.empty() ? "" : "\n\n");
}

// "f32[2] | axis=1" as "sum(f32[2], axis=1)"
std::string call_text(const OpFacts& op, const std::string& sample) {
  const auto trimmed = [](const std::string& text) {
    const size_t first = text.find_first_not_of(' ');
    return first == text.npos ? std::string()
                              : text.substr(first, text.find_last_not_of(' ') - first + 1);
  };
  const size_t bar = std::min(sample.find('|'), sample.size());
  const std::string inputs = trimmed(sample.substr(0, bar));
  const std::string attrs = bar < sample.size() ? trimmed(sample.substr(bar + 1)) : "";
  return op.name + "(" + inputs + (inputs.empty() || attrs.empty() ? "" : ", ") + attrs + ")";
}

std::string examples_text(const OpFacts& op, const std::vector<Json>& samples) {
  std::string good;
  std::vector<std::vector<std::string>> refused;
  size_t count = 0;
  for (const Json& sample : samples) {
    const std::string call = markdown_code(call_text(op, sample.at("text")));
    const tenon_status expect = sample.at("expect");
    if (expect == TENON_OK && count < kExamples) {
      good += "- " + call + "\n";
      ++count;
    } else if (expect != TENON_OK && refused.size() < kRefused) {
      refused.push_back(
          {call, markdown_code(tenon_status_get_name(expect)), sample.at("fragment")});
    }
  }
  std::string text;
  if (!good.empty()) {
    text += "## Examples\n\nCalls of its tests, in the grammar of samples (docs/schema.md):\n\n" +
            good + "\n";
  }
  if (!refused.empty()) {
    text += "Refused:\n\n" + markdown_table({"call", "status", "the message holds"}, refused);
  }
  return text;
}

std::string number_text(const Json& number) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", number.get<double>());
  return number.get<double>() == 0 ? "" : text;
}

// The op's own: what another plugin states is for its kernels.
std::string tolerances_text(const OpFacts& op, std::vector<Json> tolerances) {
  std::erase_if(tolerances,
                [&](const Json& tolerance) { return tolerance.at("plugin") != op.plugin; });
  std::string text = "## Tolerances\n\n";
  if (tolerances.empty()) return text + "None: exact, the same bits everywhere.\n";
  std::vector<std::vector<std::string>> rows;
  std::set<std::string> reasons;
  for (const std::string& dtype : all_dtypes()) {
    for (const Json& tolerance : tolerances) {
      if (tolerance.at("dtype") != dtype) continue;
      reasons.insert(tolerance.at("reason").get<std::string>());
      rows.push_back({dtype, number_text(tolerance.at("ulp")),
                      number_text(tolerance.at("relative")), tolerance.at("reason")});
    }
  }
  std::vector<std::string> head = {"dtype", "ULP", "relative to the largest", "why"};
  if (reasons.size() == 1) {
    head.pop_back();
    for (auto& each : rows) each.pop_back();
  }
  text += markdown_table(head, rows);
  return reasons.size() == 1 ? text + *reasons.begin() + "\n" : text;
}

const std::vector<Json>& find_or_none(const std::map<std::string, std::vector<Json>>& entries,
                                      const OpFacts& op) {
  static const std::vector<Json> none;
  const auto found = entries.find(op.name);
  return found == entries.end() ? none : found->second;
}

std::string page_of(const OpFacts& op, const Entries& entries) {
  std::string doc = op.doc;
  while (!doc.empty() && doc.back() == '\n') doc.pop_back();
  std::string text = "# " + op.name + "\n\n" +
                     "<!-- Written by `tenon ops --pages`: change the op, not this file. -->\n\n" +
                     "Revision " + std::to_string(op.revision) + ", of " +
                     markdown_code(op.plugin) + ". [All ops](README.md)\n\n    " + op.schema +
                     "\n\n" + doc + (doc.empty() ? "" : "\n\n") + operands_text(op.signature) +
                     dtypes_text(op) + gradient_text(op) + kernels_text(op) +
                     examples_text(op, find_or_none(entries.samples, op)) +
                     tolerances_text(op, find_or_none(entries.tolerances, op));
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

std::string index_of(const std::vector<OpFacts>& ops) {
  std::string text =
      "# Ops\n\n<!-- Written by `tenon ops --pages`: change the ops, not this file. -->\n\n" +
      count_text(ops.size(), "op") +
      ", a page each, from what the plugins state in the registry. " +
      "The columns are those of\n`tenon ops` ([tools.md](../tools.md)).\n\nKernels of: " +
      joined(plugins_with_kernels(ops)) + ".\n";
  std::map<std::string, std::vector<std::vector<std::string>>> by_plugin;
  for (const OpFacts& op : ops) {
    const std::string gradient = op.gradient.substr(0, op.gradient.find(':'));
    by_plugin[op.plugin].push_back(
        {"[" + op.name + "](" + op.name + ".md)", markdown_summary(op.doc), gradient});
  }
  for (const auto& [plugin, rows] : by_plugin) {
    text += "\n## " + plugin + "\n\n" + markdown_table({"op", "what", "gradient"}, rows);
    text.pop_back();
  }
  return text;
}

}  // namespace

void write_pages(const Session& session, const std::vector<OpFacts>& ops,
                 const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Failure{folder + ": cannot be made: " + error.message()};
  const Entries entries = entries_of(session);
  // A page is of the newest revision; ops are sorted by it.
  std::map<std::string, const OpFacts*> newest;
  for (const OpFacts& op : ops) newest[op.name] = &op;
  std::vector<OpFacts> listed;
  for (const auto& [name, op] : newest) {
    const std::filesystem::path file = std::filesystem::path(folder) / (name + ".md");
    write_file(file.string(), page_of(*op, entries));
    listed.push_back(*op);
  }
  write_file(folder + "/README.md", index_of(listed));
}

}  // namespace tenon::tools
