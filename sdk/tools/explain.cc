// SPDX-License-Identifier: Apache-2.0
// sdk/tools/explain.cc: `tenon explain`: what an entry of any kind is, takes and holds.
#include "explain.h"

#include <tenon/ext/draft/layers.h>

#include <algorithm>
#include <memory>
#include <tenon/sdk/plugin/sample_value.hpp>

#include "command.h"
#include "signature.h"

namespace tenon::tools {
namespace {

// A text of several lines, each after `margin`.
std::string indented(const std::string& text, const std::string& margin) {
  std::string out;
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) out += margin + text.substr(at, end - at);
    out += '\n';
    at = end + 1;
  }
  return out;
}

void print_option(const EntryOption& option) {
  std::string line = "  " + option.name + ": " + option.type;
  line += option.required ? ", required" : " = " + option.initial;
  if (!option.range.empty()) line += ", " + option.range;
  if (option.dynamic) line += ", may change between runs of a plan";
  print(line + "\n" + indented(option.doc, "      "));
}

std::string operand_of(const EntryPart& part) {
  std::string line = part.name + (part.name.empty() ? "" : ": ") + part.type + part.shape;
  if ((part.flags & TENON_PART_LIST) != 0) line += ", a list";
  if ((part.flags & TENON_PART_OPTIONAL) != 0) line += ", may be absent";
  if ((part.flags & TENON_PART_MUTATED) != 0) line += ", read and written";
  if ((part.flags & TENON_PART_AUX) != 0) line += ", for the backward rule alone";
  return line;
}

std::string sample_line(const EntryPart& sample) {
  std::string text = sample.name.empty() ? "without inputs" : one_line(sample.name);
  if (sample.status == TENON_OK) return text;
  return text + ": refused, " + tenon_status_get_name(sample.status) + ": " + one_line(sample.doc);
}

// A part as it is printed below the title of its role.
std::string line_of(const EntryPart& part) {
  switch (part.role) {
    case TENON_PART_INPUT:
    case TENON_PART_OUTPUT:
      return operand_of(part);
    case TENON_PART_VARIABLE:
      return part.name + ": " + joined(part.dtypes) +
             ((part.flags & TENON_PART_PROMOTES) != 0 ? "; different ones are promoted" : "");
    case TENON_PART_STATE:
      return part.name + ": shape " + part.shape + ", dtype " + part.type + ", starts at " +
             number_text(part.initial);
    case TENON_PART_SAMPLE:
      return sample_line(part);
    default:
      return part.name;
  }
}

// What stands above the parts of each role. Roles that came later are left out.
struct PartTitle {
  uint32_t role;
  const char* title;
};
constexpr PartTitle kTitles[] = {{TENON_PART_INPUT, "inputs"},
                                 {TENON_PART_OUTPUT, "outputs"},
                                 {TENON_PART_VARIABLE, "dtypes"},
                                 {TENON_PART_STATE, "states"},
                                 {TENON_PART_STEP_OP, "the op of a step"},
                                 {TENON_PART_ROWS_OP, "the op of a step by rows"},
                                 {TENON_PART_ENDING, "endings of files"},
                                 {TENON_PART_SAMPLE, "samples"}};

constexpr size_t kSamples = 20;  // more are counted

void print_parts(const EntryFacts& entry) {
  size_t samples = 0;
  for (const PartTitle& role : kTitles) {
    const std::vector<EntryPart> parts = entry.of_role(role.role);
    if (parts.empty()) continue;
    print("\n" + std::string(role.title) + "\n");
    for (const EntryPart& part : parts) {
      if (part.role == TENON_PART_SAMPLE && ++samples > kSamples) continue;
      print("  " + line_of(part) + "\n");
      if (part.role == TENON_PART_STATE) print(indented(part.doc, "      "));
    }
  }
  if (samples > kSamples) print("  and " + std::to_string(samples - kSamples) + " more\n");
}

void print_layer(const LayerParts& parts, const std::string& sample) {
  print("\ntensors of \"" + one_line(sample) + "\"" + (parts.tensors.empty() ? ": none\n" : "\n"));
  for (const LayerTensor& tensor : parts.tensors) {
    print("  " + tensor.name + ": " + text_of_tensor(tensor) + "\n");
  }
  if (!parts.children.empty()) print("layers in it\n");
  for (const auto& [name, entry] : parts.children) print("  " + name + ": " + entry + "\n");
}

void print_entry(const Session& session, const EntryFacts& entry, const Json& said) {
  print(entry.name + ": " + with_article(entry.kind) +
        (entry.revision == 0 ? "" : ", revision " + std::to_string(entry.revision)) + ", of " +
        entry.plugin + "\n");
  if (!entry.schema.empty()) print("  " + entry.schema + "\n");
  if (!entry.doc.empty()) print("\n" + entry.doc + (entry.doc.ends_with('\n') ? "" : "\n"));
  if (entry.kind == "layer") {
    const std::string most = std::to_string(entry.max_inputs);
    print("\n" +
          (entry.min_inputs == entry.max_inputs
               ? most
               : std::to_string(entry.min_inputs) + " to " + most) +
          " inputs, " + count_text(entry.n_outputs, "output") +
          ((entry.flags & TENON_LAYER_CONTAINER) != 0 ? "; takes children\n" : "\n"));
  }
  if (!entry.options.empty()) print("\noptions\n");
  for (const EntryOption& option : entry.options) print_option(option);
  print_parts(entry);
  if (entry.kind == "layer" && !first_sample(entry).empty()) {
    print_layer(parts_of_layer(session, entry.name, first_sample(entry)), first_sample(entry));
  }
  if (entry.kind == "op") {
    print("\n");
    print_how_it_runs(said);
  }
  print("\nin C\n  " + call_in_c(entry) + "\n");
  const std::string python = call_in_python(entry);
  if (!python.empty()) print("in Python\n  " + python + "\n");
}

// Adds the members "tensors" and "children".
void add_layer(Json& to, const LayerParts& parts) {
  to["tensors"] = to["children"] = Json::array();
  for (const LayerTensor& tensor : parts.tensors) {
    to["tensors"].push_back({{"name", tensor.name},
                             {"dtype", tensor.dtype},
                             {"shape", tensor.shape},
                             {"buffer", tensor.buffer}});
  }
  for (const auto& [name, entry] : parts.children) {
    to["children"].push_back({{"name", name}, {"entry", entry}});
  }
}

Json json_of(const std::vector<EntryPart>& samples) {
  Json list = Json::array();
  for (const EntryPart& sample : samples) {
    list.push_back({{"text", sample.name}, {"expect", sample.status}, {"fragment", sample.doc}});
  }
  return list;
}

// What the query says of the entry, with its kind, and how it is called; an op has one for each
// revision.
std::vector<Json> said_of(const Session& session, const std::string& kind,
                          const std::string& name) {
  std::string topic = "ops";
  for (const Json& each : session.query("kinds")) {
    if (each.at("noun") == kind) topic = each.at("topic");
  }
  std::vector<Json> all;
  for (const Json& entry : session.query(topic)) {
    if (entry.at("name") != name) continue;
    Json said = {{"kind", kind}};
    said.update(entry);
    all.push_back(said);
  }
  return all;
}

int print_entries(const Session& session, const std::vector<std::string>& kinds,
                  const std::string& name, bool as_json) {
  Json list = Json::array();
  for (const std::string& kind : kinds) {
    for (Json& said : said_of(session, kind, name)) {
      const std::string revision =
          kind == "op" ? "@" + std::to_string(said.at("revision").get<uint32_t>()) : "";
      EntryFacts entry = facts_of_entry(session, kind, name + revision);
      add_samples(session, entry);
      if (!as_json) {
        if (!list.empty()) print("\n");
        print_entry(session, entry, said);
      }
      if (!said.contains("samples")) said["samples"] = json_of(entry.of_role(TENON_PART_SAMPLE));
      said["in_c"] = call_in_c(entry);
      said["in_python"] = call_in_python(entry);
      if (kind == "layer" && !first_sample(entry).empty()) {
        add_layer(said, parts_of_layer(session, name, first_sample(entry)));
      }
      list.push_back(said);
    }
  }
  if (as_json) print_json(list);
  return kGood;
}

// The one kind that can take a sample.
std::string kind_for_sample(const std::vector<std::string>& kinds, const std::string& name) {
  std::vector<std::string> able;
  for (const std::string& kind : kinds) {
    if (kind == "op" || kind == "layer") able.push_back(kind);
  }
  if (able.size() == 1) return able.front();
  throw Failure{able.empty() ? name + " is " + with_article(kinds.front()) +
                                   "; a sample is for ops and layers"
                             : name + " is an op and a layer: say --kind op or --kind layer",
                kUsage};
}

int explain_sample(const Session& session, const std::string& kind, const std::string& name,
                   const std::string& sample, bool as_json) {
  if (kind == "op") return explain_call(session, name, sample, as_json);
  const LayerParts parts = parts_of_layer(session, name, sample);
  if (as_json) {
    Json answer = {{"layer", name}, {"sample", sample}};
    add_layer(answer, parts);
    print_json(answer);
  } else {
    print(name);
    print_layer(parts, sample);
  }
  return kGood;
}

}  // namespace

std::string first_sample(const EntryFacts& entry) {
  for (const EntryPart& sample : entry.of_role(TENON_PART_SAMPLE)) {
    if (sample.status == TENON_OK) return sample.name;
  }
  return {};
}

std::string text_of_tensor(const LayerTensor& tensor) {
  return tensor.dtype + Json(tensor.shape).dump() + (tensor.buffer ? ", buffer" : ", parameter");
}

LayerParts parts_of_layer(const Session& session, const std::string& layer,
                          const std::string& sample) {
  sdk::Sample parsed;
  try {
    parsed = sdk::parse_sample(sample);
  } catch (const std::runtime_error& error) {
    throw Failure{error.what(), kUsage};
  }
  std::vector<tenon_string> names;
  std::vector<tenon_value> values;
  for (const auto& [name, value] : parsed.attrs) {
    names.push_back({name.data(), name.size()});
    values.push_back(sdk::sample_attribute(value));
  }
  tenon_layer* made = nullptr;
  session.check(tenon_layer_create(session.context(), layer.data(), layer.size(), nullptr,
                                   names.data(), values.data(), static_cast<uint32_t>(names.size()),
                                   &made));
  const std::unique_ptr<tenon_layer, decltype(&tenon_layer_release)> owned(made,
                                                                           tenon_layer_release);
  LayerParts parts;
  tenon_context* const cx = session.context();
  const char* name = nullptr;
  uint32_t flags = 0;
  tenon_tensor* tensor = nullptr;
  for (uint32_t i = 0; tenon_layer_get_tensor(cx, made, i, &name, &flags, &tensor) == TENON_OK;
       ++i) {
    tenon_view view{};
    session.check(tenon_tensor_get_view(cx, tensor, &view));
    parts.tensors.push_back({name,
                             dtype_name(view.dtype),
                             {view.shape, view.shape + view.rank},
                             (flags & TENON_LAYER_BUFFER) != 0});
  }
  tenon_string entry{};
  for (uint32_t i = 0; tenon_layer_get_child(cx, made, i, &name, &entry) == TENON_OK; ++i) {
    parts.children.emplace_back(name, std::string(entry.data, entry.length));
  }
  return parts;
}

int explain(const Options& options, const ExplainRequest& request, bool as_json) {
  const std::string folder = request.pages.empty() ? "" : absolute_path(request.pages);
  const Session session(options);
  if (!folder.empty()) {
    const size_t pages = write_kind_pages(session, folder);
    as_json ? print_json(Json{{"folder", folder}, {"pages", pages}})
            : print(count_text(pages, "page") + " in " + folder + "\n");
    return kGood;
  }
  std::vector<std::string> kinds;
  if (request.kind.empty()) kinds = kinds_with(session, request.name);
  // For the words why there is none; a name that none has is answered with the nearest of all.
  if (kinds.empty()) kinds = {facts_of_entry(session, request.kind, request.name).kind};
  if (request.sample.empty()) return print_entries(session, kinds, request.name, as_json);
  return explain_sample(session, kind_for_sample(kinds, request.name), request.name, request.sample,
                        as_json);
}

}  // namespace tenon::tools
