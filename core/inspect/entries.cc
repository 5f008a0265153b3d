// SPDX-License-Identifier: Apache-2.0
// core/inspect/entries.cc: what a descriptor says, read through members that several kinds have by
// the same names; so a kind that is made of these needs no line here. Nothing is copied but
// numbers: the texts are the plugin's or the registry's own.
#include "core/inspect/entries.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "core/base/nearest.h"
#include "core/base/words.h"
#include "core/optim/hypers.h"
#include "core/runtime/context.h"
#include "core/tensor/dtype.h"

namespace tenon::inspect {

using plugin::PluginHost;
using registry::text_view;

namespace {

constexpr uint32_t kOps = PluginHost::kOps;
constexpr uint32_t kKinds = kOps + 1;  // the kind that all kinds are of

tenon_string as_string(std::string_view text) { return {text.data(), text.size()}; }

// ---- options ------------------------------------------------------------------------------------

tenon_entry_option option_of(std::string_view name, std::string_view doc, uint32_t tag) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  tenon_entry_option option{};
  option.name = as_string(name);
  option.doc = as_string(doc);
  option.tag = tag;
  option.minimum = -kInfinity;
  option.maximum = kInfinity;
  return option;
}

template <class Option>
void add_option(Described& to, const Option& given) {
  tenon_entry_option option = option_of(text_view(given.name), text_view(given.doc), given.tag);
  if (given.required != 0) option.flags |= TENON_OPTION_REQUIRED;
  if constexpr (requires { given.initial; }) option.initial = given.initial;
  to.options.push_back(option);
}

void add_hyper(Described& to, const tenon_hyper_desc& hyper) {
  tenon_entry_option option = option_of(text_view(hyper.name), text_view(hyper.doc), hyper.tag);
  if ((hyper.flags & TENON_HYPER_DYNAMIC) != 0) option.flags |= TENON_OPTION_DYNAMIC;
  if ((hyper.flags & TENON_HYPER_REQUIRED) != 0) {
    option.flags |= TENON_OPTION_REQUIRED;
  } else {
    option.initial = optim::initial_value(hyper);
  }
  option.minimum = hyper.minimum;
  option.maximum = hyper.maximum;
  to.options.push_back(option);
}

uint32_t tag_of(registry::AttrKind kind) {
  switch (kind) {
    case registry::AttrKind::Int:
      return TENON_VALUE_I64;
    case registry::AttrKind::Bool:
      return TENON_VALUE_BOOL;
    case registry::AttrKind::String:
      return TENON_VALUE_STRING;
    case registry::AttrKind::Dtype:
      return TENON_VALUE_DTYPE;
    case registry::AttrKind::IntList:
      return TENON_VALUE_INT_LIST;
    case registry::AttrKind::Float:
    case registry::AttrKind::Number:
      break;
  }
  return TENON_VALUE_F64;
}

void add_attribute(Described& to, const registry::Attr& attr) {
  tenon_entry_option option = option_of(attr.name, {}, tag_of(attr.kind));
  if (attr.required()) option.flags |= TENON_OPTION_REQUIRED;
  if (attr.optional) option.flags |= TENON_OPTION_NULLABLE;
  if (attr.kind == registry::AttrKind::Number) option.flags |= TENON_OPTION_NUMBER;
  option.count = static_cast<uint32_t>(std::max(attr.fixed_count, 0));
  option.initial = registry::default_value(attr);
  to.options.push_back(option);
}

// ---- parts --------------------------------------------------------------------------------------

tenon_entry_part& add_part(Described& to, uint32_t role, std::string_view name) {
  tenon_entry_part part{};
  part.role = role;
  part.name = as_string(name);
  return to.parts.emplace_back(part);
}

void set_dtypes(tenon_entry_part& part, const tenon_dtype& dtype) {
  part.type = as_string(tensor::name_of(dtype));
  part.dtypes = &dtype;
  part.n_dtypes = 1;
}

// Of an optimizer or a schedule; that of a schedule is one number.
template <class State>
void add_state(Described& to, const State& state) {
  static constexpr tenon_dtype kNumber = TENON_DTYPE_F64;
  tenon_entry_part& part = add_part(to, TENON_PART_STATE, text_view(state.name));
  part.doc = as_string(text_view(state.doc));
  part.initial = state.initial;
  part.policy = TENON_STATE_SCALAR;
  if constexpr (requires { state.shape; }) {
    part.policy = state.shape;
    if (state.dtype != TENON_DTYPE_NONE) {
      set_dtypes(part, state.dtype);
    } else {
      part.type = as_string("like parameter");
    }
  } else {
    set_dtypes(part, kNumber);
  }
  part.shape = as_string(registry::name_of_state_shape(part.policy));
}

template <class Sample>
void add_sample(Described& to, const Sample& sample) {
  tenon_entry_part& part = add_part(to, TENON_PART_SAMPLE, text_view(sample.text));
  part.doc = as_string(text_view(sample.fragment));
  part.status = sample.expect;
}

// An input or an output.
template <class Operand>
tenon_entry_part& add_operand(Described& to, const registry::Schema& schema, uint32_t role,
                              const Operand& operand) {
  tenon_entry_part& part = add_part(to, role, operand.name);
  part.shape = as_string(operand.shape_text);
  if (operand.type.variable < 0) {
    set_dtypes(part, operand.type.fixed);
    return part;
  }
  const auto& variable = schema.variables[static_cast<size_t>(operand.type.variable)];
  part.type = as_string(variable.name);
  part.dtypes = variable.allowed.data();
  part.n_dtypes = static_cast<uint32_t>(variable.allowed.size());
  return part;
}

void add_operands(Described& to, const registry::Schema& schema) {
  for (const registry::Param& input : schema.inputs) {
    add_operand(to, schema, TENON_PART_INPUT, input).flags =
        (input.list ? TENON_PART_LIST : 0) | (input.optional ? TENON_PART_OPTIONAL : 0) |
        (input.mutated ? TENON_PART_MUTATED : 0);
  }
  for (const registry::Output& output : schema.outputs) {
    add_operand(to, schema, TENON_PART_OUTPUT, output).flags = output.aux ? TENON_PART_AUX : 0;
  }
  for (const registry::TypeVariable& variable : schema.variables) {
    tenon_entry_part& part = add_part(to, TENON_PART_VARIABLE, variable.name);
    part.flags = variable.promote ? TENON_PART_PROMOTES : 0;
    part.dtypes = variable.allowed.data();
    part.n_dtypes = static_cast<uint32_t>(variable.allowed.size());
  }
}

// ---- a descriptor of any kind -------------------------------------------------------------------

template <class Desc>
void describe_as(Described& to, const tenon_entry_desc& entry) {
  const auto& desc = reinterpret_cast<const Desc&>(entry);
  const auto each = [](const auto* list, uint32_t count, const auto& add) {
    for (uint32_t i = 0; i < count; ++i) add(list[i]);
  };
  if constexpr (requires { desc.options; }) {
    each(desc.options, desc.n_options, [&](const auto& option) { add_option(to, option); });
  }
  if constexpr (requires { desc.hypers; }) {
    each(desc.hypers, desc.n_hypers, [&](const auto& hyper) { add_hyper(to, hyper); });
  }
  if constexpr (requires { desc.states; }) {
    each(desc.states, desc.n_states, [&](const auto& state) { add_state(to, state); });
  }
  if constexpr (requires { desc.step_op; }) {
    add_part(to, TENON_PART_STEP_OP, text_view(desc.step_op));
    if (!text_view(desc.rows_op).empty()) {
      add_part(to, TENON_PART_ROWS_OP, text_view(desc.rows_op));
    }
  }
  if constexpr (requires { desc.endings; }) {
    for (const std::string_view ending : base::words_of(text_view(desc.endings))) {
      add_part(to, TENON_PART_ENDING, ending);
    }
  }
  if constexpr (requires { desc.samples; }) {
    each(desc.samples, desc.n_samples, [&](const auto& sample) { add_sample(to, sample); });
  }
  if constexpr (requires { desc.max_inputs; }) {
    to.info.min_inputs = desc.min_inputs;
    to.info.max_inputs = desc.max_inputs;
    to.info.n_outputs = desc.n_outputs;
  }
}

#define TENON_DESCRIBE_KIND(noun, plural) describe_as<tenon_##noun##_desc>,
constexpr void (*kDescribe[])(Described&,
                              const tenon_entry_desc&) = {TENON_KINDS(TENON_DESCRIBE_KIND)};
#undef TENON_DESCRIBE_KIND

Described described(const registry::Entry& entry) {
  const auto& desc = entry.as<tenon_entry_desc>();
  Described to;
  to.info.flags = desc.flags;
  to.info.doc = as_string(text_view(desc.doc));
  to.info.name = as_string(entry.name);
  to.info.plugin = as_string(entry.plugin->id);
  kDescribe[entry.kind](to, desc);
  return to;
}

Described described(const registry::Op& op) {
  Described to;
  to.info.flags = op.desc.flags;
  to.info.name = as_string(op.name);
  to.info.doc = as_string(op.doc);
  to.info.plugin = as_string(op.plugin->id);
  to.info.schema = as_string(op.schema_text);
  to.info.revision = op.desc.revision;
  to.info.min_inputs = static_cast<uint32_t>(op.schema.min_inputs());
  to.info.max_inputs = static_cast<uint32_t>(op.schema.inputs.size());
  to.info.n_outputs = static_cast<uint32_t>(op.schema.outputs.size());
  for (const registry::Attr& attr : op.schema.attrs) add_attribute(to, attr);
  add_operands(to, op.schema);
  return to;
}

// ---- look-ups -----------------------------------------------------------------------------------

std::string_view noun_of(uint32_t kind) {
  return kind == kKinds ? "kind" : PluginHost::noun_of(kind);
}

bool is_plural(std::string_view plural, uint32_t kind) {
  if (kind < kOps) return plural == registry::kind_at(kind).plural;
  return plural == (kind == kOps ? "ops" : "kinds");
}

// kKinds or below.
uint32_t require_kind(std::string_view kind) {
  std::string known;
  base::Nearest nearest(kind);
  for (const uint32_t special : {kKinds, kOps}) {
    if (noun_of(special) == kind || is_plural(kind, special)) return special;
  }
  nearest.show(noun_of(kOps));
  known = noun_of(kOps);
  for (uint32_t each = 0; each < registry::kKindEnd; ++each) {
    if (noun_of(each) == kind || is_plural(kind, each)) return each;
    nearest.show(noun_of(each));
    known.append(", ").append(noun_of(each));
  }
  fail(TENON_E_NOT_FOUND, "there is no kind \"" + std::string(kind) + "\"; kinds are " + known,
       "kind", known, std::string(kind),
       nearest.name().empty() ? std::string()
                              : "did you mean \"" + std::string(nearest.name()) + "\"?");
}

uint32_t require_kind_of(const PluginHost& plugins, std::string_view name) {
  const std::vector<uint32_t> kinds = plugins.kinds_of(name.substr(0, name.find('@')));
  if (kinds.empty()) plugins.missing_everywhere(name);
  if (kinds.size() == 1) return kinds.front();
  const std::string nouns = base::joined(kinds, ", ", noun_of);
  fail(TENON_E_ARGUMENT, "several kinds have the name \"" + std::string(name) + "\": " + nouns,
       "kind", "one of: " + nouns, "no kind", "say which of them is meant");
}

}  // namespace

std::vector<std::string_view> names_of_kind(Context& context, std::string_view given) {
  const uint32_t kind = require_kind(given);
  std::vector<std::string_view> names;
  if (kind == kKinds) {
    names.push_back(noun_of(kOps));
    for (uint32_t each = 0; each < registry::kKindEnd; ++each) names.push_back(noun_of(each));
    std::sort(names.begin(), names.end());
    return names;
  }
  Runtime& runtime = *context.runtime;
  if (kind == kOps) {
    runtime.plugins.open_all();
    for (const registry::Op* op : runtime.registry.ops()) names.push_back(op->name);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  }
  runtime.plugins.open_entries(kind);
  for (const registry::Entry* entry : runtime.registry.entries(kind)) names.push_back(entry->name);
  return names;
}

Described describe(Context& context, std::string_view given, std::string_view name) {
  PluginHost& plugins = context.runtime->plugins;
  const uint32_t kind = given.empty() ? require_kind_of(plugins, name) : require_kind(given);
  if (kind == kKinds) {
    fail(TENON_E_NOT_FOUND, "a kind has nothing to tell of itself but its names", "kind",
         "a kind of entries", std::string(given), "tenon_kind_get_names lists the kinds");
  }
  Described to = kind == kOps ? described(require_revision(context, name, "name"))
                              : described(plugins.require_entry(kind, name));
  to.info.kind = as_string(noun_of(kind));
  to.info.n_options = static_cast<uint32_t>(to.options.size());
  to.info.n_parts = static_cast<uint32_t>(to.parts.size());
  return to;
}

const registry::Op& require_revision(Context& context, std::string_view name, const char* operand) {
  const size_t at = std::min(name.find('@'), name.size());
  uint32_t revision = 0;
  if (at < name.size()) {
    const std::string_view digits = name.substr(at + 1);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), revision);
    if (read.ec != std::errc() || read.ptr != digits.data() + digits.size()) {
      fail(TENON_E_ARGUMENT, "a revision is a number; found \"" + std::string(digits) + "\"",
           operand, "vendor.op@2", std::string(name));
    }
  }
  return context.runtime->plugins.require_op(name.substr(0, at), revision);
}

}  // namespace tenon::inspect
