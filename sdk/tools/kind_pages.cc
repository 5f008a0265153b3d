// SPDX-License-Identifier: Apache-2.0
// sdk/tools/kind_pages.cc: `tenon explain --pages`: a page of Markdown for each kind of entry.
// Nothing in it depends on the machine beyond which plugins were found: pages are checked in and
// compared. Ops have pages of their own (op_pages.cc).
#include <cctype>
#include <filesystem>

#include "explain.h"
#include "markdown.h"

namespace tenon::tools {
namespace {

constexpr size_t kGoodSamples = 4;
constexpr size_t kRefusedSamples = 4;

// A kind with its entries.
struct KindPage {
  std::string noun, plural;
  std::vector<EntryFacts> entries;
};

std::string titled(std::string text) {
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string options_table(const EntryFacts& entry) {
  std::vector<std::vector<std::string>> rows;
  for (const EntryOption& option : entry.options) {
    const bool code = option.initial != "required" && option.initial != "none";
    std::string note = option.doc;
    if (option.dynamic) note += (note.empty() ? "" : ". ") + std::string("Dynamic");
    rows.push_back({markdown_code(option.name), markdown_code(option.type),
                    code ? markdown_code(option.initial) : option.initial, option.range, note});
  }
  return rows.empty() ? "" : markdown_table({"option", "type", "default", "range", ""}, rows);
}

std::string states_table(const EntryFacts& entry) {
  std::vector<std::vector<std::string>> rows;
  for (const EntryPart& state : entry.of_role(TENON_PART_STATE)) {
    rows.push_back({markdown_code(state.name), state.shape, state.type,
                    markdown_code(number_text(state.initial)), state.doc});
  }
  return rows.empty() ? "" : markdown_table({"state", "shape", "dtype", "starts at", ""}, rows);
}

std::string tensors_table(const Session& session, const EntryFacts& entry) {
  const std::string sample = first_sample(entry);
  if (entry.kind != "layer" || sample.empty()) return {};
  std::vector<std::vector<std::string>> rows;
  for (const LayerTensor& tensor : parts_of_layer(session, entry.name, sample).tensors) {
    rows.push_back({markdown_code(tensor.name), text_of_tensor(tensor)});
  }
  if (rows.empty()) return {};
  return "Its tensors, made as for " + markdown_code(sample) + ":\n\n" +
         markdown_table({"tensor", ""}, rows);
}

// What is said in a line each: inputs of a layer, ops of an optimizer, endings of a format.
std::string lines_of(const EntryFacts& entry) {
  std::string text;
  if (entry.max_inputs != 0) {
    const std::string most = std::to_string(entry.max_inputs);
    text +=
        "- Inputs: " +
        (entry.min_inputs == entry.max_inputs ? most
                                              : std::to_string(entry.min_inputs) + " to " + most) +
        "; outputs: " + std::to_string(entry.n_outputs) + "\n";
  }
  if (entry.takes_children()) text += "- Takes children\n";
  const auto named = [&](uint32_t role, const std::string& title) {
    for (const EntryPart& part : entry.of_role(role)) {
      text += "- " + title + ": " + markdown_code(part.name) + "\n";
    }
  };
  named(TENON_PART_STEP_OP, "Op of a step");
  named(TENON_PART_ROWS_OP, "Op of a step by rows");
  named(TENON_PART_ENDING, "Files named");
  text += "- C: " + markdown_code(call_in_c(entry)) + "\n";
  const std::string python = call_in_python(entry);
  if (!python.empty()) text += "- Python: " + markdown_code(python) + "\n";
  return text + "\n";
}

std::string samples_text(const EntryFacts& entry) {
  std::string good;
  std::vector<std::vector<std::string>> refused;
  size_t count = 0;
  for (const EntryPart& sample : entry.of_role(TENON_PART_SAMPLE)) {
    const std::string call = sample.name.empty() ? "(empty)" : markdown_code(one_line(sample.name));
    if (sample.status == TENON_OK) {
      if (count++ < kGoodSamples) good += "- " + call + "\n";
    } else if (refused.size() < kRefusedSamples) {
      refused.push_back({call, markdown_code(tenon_status_get_name(sample.status)), sample.doc});
    }
  }
  std::string text;
  if (!good.empty()) text += "Samples:\n\n" + good + "\n";
  if (!refused.empty()) {
    text += "Refused:\n\n" + markdown_table({"sample", "status", "the message holds"}, refused);
  }
  return text;
}

std::string section_of(const Session& session, const EntryFacts& entry) {
  std::string doc = entry.doc;
  while (doc.ends_with('\n')) doc.pop_back();
  return "## " + entry.name + "\n\n" + doc + (doc.empty() ? "" : "\n\n") + options_table(entry) +
         states_table(entry) + tensors_table(session, entry) + lines_of(entry) +
         samples_text(entry);
}

constexpr const char* kWritten =
    "<!-- Written by `tenon explain --pages`: change the plugins, not this file. -->\n\n";

std::string page_of(const Session& session, const KindPage& kind) {
  std::string text = "# " + titled(kind.plural) + "\n\n" + kWritten +
                     count_text(kind.entries.size(), kind.noun) + ". [All kinds](README.md)\n\n";
  for (const EntryFacts& entry : kind.entries) text += section_of(session, entry);
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

std::string index_of(const std::vector<KindPage>& kinds) {
  std::string text =
      std::string("# Kinds of entries\n\n") + kWritten +
      "What plugins register beside ops ([their pages](../ops/README.md)), from what they state "
      "in\n"
      "the registry. `tenon explain NAME` ([tools.md](../tools.md)) says the same of one.\n";
  for (const KindPage& kind : kinds) {
    std::vector<std::vector<std::string>> rows;
    for (const EntryFacts& entry : kind.entries) {
      // As anchors are made of headings: no dots.
      std::string anchor = entry.name;
      std::erase(anchor, '.');
      rows.push_back({"[" + entry.name + "](" + kind.plural + ".md#" + anchor + ")", entry.plugin,
                      markdown_summary(entry.doc)});
    }
    text += "\n## [" + titled(kind.plural) + "](" + kind.plural + ".md)\n\n" +
            markdown_table({kind.noun, "plugin", "what"}, rows);
    text.pop_back();
  }
  return text;
}

}  // namespace

size_t write_kind_pages(const Session& session, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Failure{folder + ": cannot be made: " + error.message()};
  std::vector<KindPage> kinds;
  for (const Json& said : session.query("kinds")) {
    KindPage& kind = kinds.emplace_back(KindPage{said.at("noun"), said.at("topic"), {}});
    for (const std::string& name : names_of_kind(session, kind.noun)) {
      kind.entries.push_back(facts_of_entry(session, kind.noun, name));
      add_samples(session, kind.entries.back());
    }
    write_file(folder + "/" + kind.plural + ".md", page_of(session, kind));
  }
  write_file(folder + "/README.md", index_of(kinds));
  return kinds.size() + 1;
}

}  // namespace tenon::tools
