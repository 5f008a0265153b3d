// SPDX-License-Identifier: Apache-2.0
// sdk/tools/entry_facts.cc: see entry_facts.h.
#include "entry_facts.h"

#include <tenon/ext/draft/layers.h>

#include <charconv>
#include <limits>

#include "kinds.h"
#include "signature.h"

namespace tenon::tools {
namespace {

std::string borrowed_text(const tenon_string& string) { return {string.data, string.length}; }

std::string type_of(const tenon_entry_option& option) {
  if ((option.flags & TENON_OPTION_NUMBER) != 0) return "number";
  switch (option.tag) {
    case TENON_VALUE_I64:
      return "int";
    case TENON_VALUE_F64:
      return "float";
    case TENON_VALUE_BOOL:
      return "bool";
    case TENON_VALUE_STRING:
      return "str";
    case TENON_VALUE_INT_LIST:
      return option.count == 0 ? "int[]" : "int[" + std::to_string(option.count) + "]";
    case TENON_VALUE_FLOAT_LIST:
      return "float[]";
    case TENON_VALUE_DTYPE:
      return "dtype";
    default:
      return "type " + std::to_string(option.tag);  // a later Tenon's
  }
}

template <class Number>
std::string list_text(const Number* numbers, uint32_t count) {
  std::string text;
  for (uint32_t i = 0; i < count; ++i) {
    text += (i == 0 ? "" : ",") + number_text(static_cast<double>(numbers[i]));
  }
  return "[" + text + "]";
}

std::string value_text(const tenon_value& value) {
  switch (value.tag) {
    case TENON_VALUE_NONE:
      return "none";
    case TENON_VALUE_I64:
      return std::to_string(value.as.i64);
    case TENON_VALUE_F64:
      return number_text(value.as.f64);
    case TENON_VALUE_BOOL:
      return value.as.i64 != 0 ? "true" : "false";
    case TENON_VALUE_STRING:
      return '"' + std::string(value.as.string, value.count) + '"';
    case TENON_VALUE_INT_LIST:
      return list_text(value.as.ints, value.count);
    case TENON_VALUE_FLOAT_LIST:
      return list_text(value.as.floats, value.count);
    case TENON_VALUE_DTYPE:
      return dtype_name(static_cast<tenon_dtype>(value.as.dtype));
    default:
      return "?";
  }
}

std::string range_of(double minimum, double maximum) {
  constexpr double kAny = std::numeric_limits<double>::max();
  if (maximum >= kAny) return minimum <= -kAny ? "" : "at least " + number_text(minimum);
  if (minimum <= -kAny) return "at most " + number_text(maximum);
  return number_text(minimum) + " to " + number_text(maximum);
}

EntryOption option_of(const tenon_entry_option& given) {
  EntryOption option;
  option.name = borrowed_text(given.name);
  option.doc = borrowed_text(given.doc);
  option.type = type_of(given);
  option.required = (given.flags & TENON_OPTION_REQUIRED) != 0;
  option.dynamic = (given.flags & TENON_OPTION_DYNAMIC) != 0;
  option.initial = option.required ? "required" : value_text(given.initial);
  if (given.tag != TENON_VALUE_BOOL) option.range = range_of(given.minimum, given.maximum);
  return option;
}

EntryPart part_of(const tenon_entry_part& given) {
  EntryPart part;
  part.role = given.role;
  part.flags = given.flags;
  part.name = borrowed_text(given.name);
  part.doc = borrowed_text(given.doc);
  part.type = borrowed_text(given.type);
  part.shape = borrowed_text(given.shape);
  for (uint32_t i = 0; i < given.n_dtypes; ++i) part.dtypes.push_back(dtype_name(given.dtypes[i]));
  part.status = given.status;
  part.initial = given.initial;
  return part;
}

// What a line of code says of a kind; {plural} is "optimizers", {name} is "tenon.adam", {short}
// what follows "tenon.", {inputs} the operands and {options} the options that must be given.
struct CallForm {
  const char* kind;
  const char* c;
  const char* python;
};
constexpr CallForm kCallForms[] = {
    {"op",
     "tenon_op_find(context, \"{name}\", TENON_NUL, 0, &op), then "
     "tenon_op_call(context, op, inputs, {n_inputs}, attrs, {n_options}, outputs, {n_outputs})",
     "tenon.op.{name}({inputs}{options})"},
    {"optimizer",
     "tenon_optimizer_create(context, \"{name}\", TENON_NUL, params, n_params, names, values, "
     "n_values, &optimizer)",
     "tenon.optim.{short}(params{options})"},
    {"schedule",
     "tenon_schedule_create(context, \"{name}\", TENON_NUL, base_value, names, values, n_values, "
     "&schedule)",
     "tenon.{plural}.{short}(base_value{options})"},
    {"dataset", nullptr, "tenon.data.{short}({options})"},
    {"layer",
     "tenon_layer_create(context, \"{name}\", TENON_NUL, device, names, values, n_values, &layer)",
     "tenon.nn.{short}({inputs}{options})"},
    {"format", "tenon_archive_load(context, path, TENON_NUL, \"{name}\", TENON_NUL, 0, &archive)",
     "tenon.load(path, format=\"{name}\")"},
    {"transform", nullptr, "tenon.data.transform(\"{name}\"{options})"},
    {"tokenizer",
     "tenon_tokenizer_create(context, \"{name}\", TENON_NUL, file, file_length, names, values, "
     "n_values, &tokenizer)",
     "tenon.data.tokenizer(\"{name}\"{options})"},
    {"collective",
     "tenon_group_create(context, \"{name}\", TENON_NUL, names, values, n_values, timeout, &group)",
     "tenon.processes.join(\"{name}\"{options})"},
};
// Of a kind that is made as most are.
constexpr const char* kCreate =
    "tenon_{kind}_create(context, \"{name}\", TENON_NUL, names, values, n_values, &{kind})";

const CallForm* form_of(const std::string& kind) {
  for (const CallForm& form : kCallForms) {
    if (kind == form.kind) return &form;
  }
  return nullptr;
}

// The operands that must be given, by name, and the options.
std::string inputs_text(const EntryFacts& entry) {
  std::string text = entry.takes_children() ? "*children" : "";
  for (const EntryPart& input : entry.of_role(TENON_PART_INPUT)) {
    if ((input.flags & TENON_PART_OPTIONAL) != 0) continue;
    text += (text.empty() ? "" : ", ") + input.name;
  }
  return text;
}

std::string options_text(const EntryFacts& entry) {
  std::string text;
  for (const EntryOption& option : entry.options) {
    if (option.required) text += (text.empty() ? "" : ", ") + option.name + "=...";
  }
  return text;
}

std::string plural_of(const std::string& kind) {
  for (const EntryKind& each : kEntryKinds) {
    if (kind == each.noun) return each.topic;
  }
  return kind + "s";
}

void put(std::string& text, const std::string& what, const std::string& by) {
  for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

std::string code_of(std::string text, const EntryFacts& entry) {
  const bool ours = entry.name.starts_with("tenon.");
  put(text, "{kind}", entry.kind);
  put(text, "{plural}", plural_of(entry.kind));
  put(text, "{name}", entry.name);
  put(text, "{short}", ours ? entry.name.substr(6) : entry.name);
  put(text, "{n_inputs}", std::to_string(entry.max_inputs));
  put(text, "{n_options}", std::to_string(entry.options.size()));
  put(text, "{n_outputs}", std::to_string(entry.n_outputs));
  put(text, "{inputs}", inputs_text(entry));
  const size_t at = text.find("{options}");
  if (at == text.npos) return text;
  const std::string options = options_text(entry);
  const bool alone = at == 0 || text[at - 1] == '(' || options.empty();
  put(text, "{options}", (alone ? "" : ", ") + options);
  return text;
}

}  // namespace

std::vector<EntryPart> EntryFacts::of_role(uint32_t role) const {
  std::vector<EntryPart> some;
  for (const EntryPart& part : parts) {
    if (part.role == role) some.push_back(part);
  }
  return some;
}

bool EntryFacts::takes_children() const {
  return kind == "layer" && (flags & TENON_LAYER_CONTAINER) != 0;
}

std::vector<std::string> names_of_kind(const Session& session, const std::string& kind) {
  uint32_t count = 0;
  session.check(
      tenon_kind_get_names(session.context(), kind.data(), kind.size(), 0, nullptr, &count));
  std::vector<tenon_string> given(count);
  session.check(tenon_kind_get_names(session.context(), kind.data(), kind.size(), count,
                                     given.data(), &count));
  std::vector<std::string> names;
  for (const tenon_string& name : given) names.push_back(borrowed_text(name));
  return names;
}

// Other plugins may add to the samples of these.
void add_samples(const Session& session, EntryFacts& facts) {
  const bool op = facts.kind == "op";
  if (!op && facts.kind != "optimizer") return;
  for (const Json& said : session.query(op ? "samples" : "optimizer_samples")) {
    if (said.at(facts.kind) != facts.name) continue;
    if (op && said.at("revision") != facts.revision) continue;
    EntryPart& sample = facts.parts.emplace_back();
    sample.role = TENON_PART_SAMPLE;
    sample.name = said.at("text");
    sample.doc = said.at("fragment");
    sample.status = said.at("expect");
  }
}

EntryFacts facts_of_entry(const Session& session, const std::string& kind,
                          const std::string& name) {
  tenon_context* const cx = session.context();
  tenon_entry_info info{};
  info.struct_size = sizeof info;
  session.check(
      tenon_entry_get_info(cx, kind.data(), kind.size(), name.data(), name.size(), &info));
  EntryFacts facts;
  facts.kind = borrowed_text(info.kind);
  facts.name = borrowed_text(info.name);
  facts.doc = borrowed_text(info.doc);
  facts.plugin = borrowed_text(info.plugin);
  facts.schema = borrowed_text(info.schema);
  facts.flags = info.flags;
  facts.revision = info.revision;
  facts.min_inputs = info.min_inputs;
  facts.max_inputs = info.max_inputs;
  facts.n_outputs = info.n_outputs;
  for (uint32_t i = 0; i < info.n_options; ++i) {
    tenon_entry_option option{};
    option.struct_size = sizeof option;
    session.check(
        tenon_entry_get_option(cx, kind.data(), kind.size(), name.data(), name.size(), i, &option));
    facts.options.push_back(option_of(option));
  }
  for (uint32_t i = 0; i < info.n_parts; ++i) {
    tenon_entry_part part{};
    part.struct_size = sizeof part;
    session.check(
        tenon_entry_get_part(cx, kind.data(), kind.size(), name.data(), name.size(), i, &part));
    facts.parts.push_back(part_of(part));
  }
  return facts;
}

std::vector<std::string> kinds_with(const Session& session, const std::string& name) {
  std::vector<std::string> kinds;
  for (const std::string& kind : names_of_kind(session, "kind")) {
    tenon_entry_info info{};
    info.struct_size = sizeof info;
    if (tenon_entry_get_info(session.context(), kind.data(), kind.size(), name.data(), name.size(),
                             &info) == TENON_OK) {
      kinds.push_back(kind);
    }
  }
  return kinds;
}

std::string number_text(double number) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

std::string with_article(const std::string& noun) {
  const bool vowel = std::string("aeiou").find(noun.substr(0, 1)) != std::string::npos;
  return (vowel ? "an " : "a ") + noun;
}

std::string call_in_c(const EntryFacts& entry) {
  const CallForm* form = form_of(entry.kind);
  return code_of(form != nullptr && form->c != nullptr ? form->c : kCreate, entry);
}

std::string call_in_python(const EntryFacts& entry) {
  const CallForm* form = form_of(entry.kind);
  return form == nullptr ? std::string() : code_of(form->python, entry);
}

}  // namespace tenon::tools
