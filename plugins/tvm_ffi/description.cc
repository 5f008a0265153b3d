// SPDX-License-Identifier: Apache-2.0
// plugins/tvm_ffi/description.cc: see description.hpp.
#include "description.hpp"

#include <algorithm>

#include "field.hpp"
#include "names.hpp"

namespace tenon::tvm_ffi {
namespace {

template <class List>
std::string listed(const List& list) {
  std::string text;
  for (const auto& each : list) text += (text.empty() ? "" : ", ") + std::string(each.name);
  return text;
}

tenon_dtype read_dtype(const Field& field) {
  const tenon_dtype dtype = dtype_named(field.text());
  if (dtype == TENON_DTYPE_NONE) field.refuse("one of " + listed(kDtypes));
  return dtype;
}

// What a function of tvm-ffi cannot be given.
void check_offered(const Outline& outline, const Field& schema) {
  for (const Input& input : outline.inputs) {
    if (input.list) schema.refuse("tensors", "a list, \"" + input.name + "\", is not offered");
  }
  for (const Output& output : outline.outputs) {
    if (output.aux) schema.refuse("outputs that are always made", "aux outputs are not offered");
  }
  for (const Attribute& attribute : outline.attributes) {
    if (attribute.kind.find('[') == std::string::npos) continue;
    schema.refuse("attributes that are one value",
                  "a list, \"" + attribute.name + "\", is not offered");
  }
}

// Each input and output of the op, and each attribute, is one argument.
std::vector<Argument> read_arguments(const Field& field, const Outline& outline) {
  std::vector<std::pair<std::string, Argument>> all;
  uint32_t slot = 0;
  for (const Input& input : outline.inputs) all.push_back({input.name, {false, slot++}});
  for (uint32_t i = 0; i < outline.attributes.size(); ++i) {
    all.push_back({outline.attributes[i].name, {true, i}});
  }
  for (const Output& output : outline.outputs) all.push_back({output.name, {false, slot++}});

  std::vector<Argument> arguments;
  if (field.is_null()) {
    for (const auto& [name, argument] : all) arguments.push_back(argument);
    return arguments;
  }
  for (const Field& item : field.items()) {
    const std::string name = item.text();
    const auto found = std::ranges::find(all, name, &std::pair<std::string, Argument>::first);
    if (found == all.end()) {
      std::string left;
      for (const auto& each : all) left += (left.empty() ? "" : ", ") + each.first;
      item.refuse(left.empty() ? "the end: every operand and attribute has its place"
                               : "one of " + left);
    }
    arguments.push_back(found->second);
    all.erase(found);
  }
  if (!all.empty()) {
    field.refuse("every operand and attribute once", "\"" + all.front().first + "\" is missing");
  }
  return arguments;
}

// "dtypes": ["f32"] or, with more variables, [["f32", "i64"]].
std::vector<tenon_dtype> read_rows(const Field& field, const Outline& outline) {
  std::vector<tenon_dtype> rows;
  const size_t variables = outline.variables.size();
  if (variables == 0) {
    if (!field.is_null()) field.refuse("none", "the schema has no type variable");
    return rows;
  }
  for (const Field& item : field.items()) {
    if (!item.is_list() && variables == 1) {
      rows.push_back(read_dtype(item));
      continue;
    }
    const std::vector<Field> row = item.items();
    if (row.size() != variables) {
      item.refuse(std::to_string(variables) + " dtypes, one for each type variable");
    }
    for (const Field& dtype : row) rows.push_back(read_dtype(dtype));
  }
  if (rows.empty()) field.refuse("the dtypes that the function takes");
  return rows;
}

std::vector<Sample> read_samples(const Field& field) {
  std::vector<Sample> samples;
  for (const Field& item : field.items()) {
    Sample sample;
    if (item.is_text()) {
      sample.text = item.text();
    } else {
      item.allow({"sample", "refused", "says"});
      sample.text = item["sample"].text();
      const Field refused = item["refused"];
      sample.expect = status_named(refused.text());
      if (sample.expect == TENON_OK) refused.refuse("one of " + listed(kStatuses));
      sample.says = item["says"].text();
      if (sample.says.empty()) item["says"].refuse("words of the message");
    }
    samples.push_back(std::move(sample));
  }
  return samples;
}

std::vector<Tolerance> read_tolerances(const Field& field) {
  std::vector<Tolerance> tolerances;
  if (field.is_null()) return tolerances;
  for (const Field& item : field.items()) {
    item.allow({"dtype", "ulp", "relative", "reason"});
    Tolerance tolerance;
    tolerance.dtype = read_dtype(item["dtype"]);
    if (!item.find("ulp").is_null()) tolerance.ulp = item["ulp"].real_not_negative();
    if (!item.find("relative").is_null()) tolerance.relative = item["relative"].real_not_negative();
    tolerance.reason = item["reason"].text();
    if (tolerance.reason.empty()) item["reason"].refuse("a sentence");
    tolerances.push_back(std::move(tolerance));
  }
  return tolerances;
}

// The places in `all` of what "x" or "x, w" names, which `left` still has.
template <class List>
std::vector<uint32_t> read_targets(const std::string& names, const Field& field,
                                   std::vector<bool>& left, const List& all) {
  std::vector<uint32_t> targets;
  for (size_t begin = 0; begin <= names.size();) {
    const size_t end = std::min(names.find(',', begin), names.size());
    std::string name = names.substr(begin, end - begin);
    std::erase(name, ' ');
    const auto found =
        std::ranges::find_if(all, [&](const auto& each) { return each.name == name; });
    const auto index = static_cast<uint32_t>(found - all.begin());
    if (found == all.end() || !left[index]) {
      field.refuse("a rule for what has none yet", "\"" + name + "\" is not one of " + listed(all));
    }
    left[index] = false;
    targets.push_back(index);
    begin = end + 1;
  }
  return targets;
}

// Each of `all` is a target once. Those whose rule is null are bits of `without`, if that may be.
template <class List>
std::vector<Rule> read_rules(const Field& field, const List& all, Purpose purpose,
                             const Outline& outline, uint64_t* without) {
  std::vector<Rule> rules;
  if (field.is_null()) return rules;
  std::vector<bool> left(all.size(), true);
  for (const auto& [names, rule] : field.members()) {
    std::vector<uint32_t> targets = read_targets(names, rule, left, all);
    if (rule.is_null() && without) {
      for (const uint32_t target : targets) *without |= sdk::bit(target);
      continue;
    }
    rules.push_back(read_rule(rule.text(), std::move(targets), purpose, outline, rule.path()));
  }
  const auto missing = std::ranges::find(left, true);
  if (missing != left.end()) {
    const auto index = static_cast<size_t>(missing - left.begin());
    field.refuse("a rule for each of " + listed(all),
                 "\"" + all[index].name + "\" has none" +
                     (without ? "; null says that it never has a gradient" : ""));
  }
  if (rules.empty()) field.refuse("a rule for one of them", "leave it out if there is none");
  return rules;
}

void read_function(const Field& field, Described& described) {
  field.allow({"op", "schema", "doc", "revision", "function", "arguments", "dtypes", "composition",
               "gradient", "twice", "samples", "tolerances"});
  described.op = field["op"].text();
  described.schema = field["schema"].text();
  described.doc = field["doc"].text();
  if (!field.find("revision").is_null()) {
    described.revision = static_cast<uint32_t>(field["revision"].whole(1, 1 << 20));
  }
  if (!field.find("twice").is_null()) described.twice = field["twice"].flag();
  described.function.name = described.op.substr(described.op.rfind('.') + 1);
  if (!field.find("function").is_null()) described.function.name = field["function"].text();
  described.samples = read_samples(field["samples"]);
  described.tolerances = read_tolerances(field.find("tolerances"));
  Outline& outline = described.outline;
  described.has_outline = read_outline(described.schema, outline);
  if (!described.has_outline) return;
  const Field schema = field["schema"];
  if (outline.slots() > TENON_MAX_SLOTS || outline.attributes.size() > TENON_MAX_SLOTS) {
    described.has_outline = false;  // which the host refuses
    return;
  }
  check_offered(outline, schema);
  described.function.arguments = read_arguments(field.find("arguments"), outline);
  described.rows = read_rows(field.find("dtypes"), outline);
  described.composition = read_rules(field.find("composition"), outline.outputs,
                                     Purpose::Composition, outline, nullptr);
  described.rules = read_rules(field.find("gradient"), outline.inputs, Purpose::Gradient, outline,
                               &described.without_gradient);
}

}  // namespace

Description read_description(const std::string& text) {
  const nlohmann::ordered_json json = read_json(text);
  const Field field(json, "");
  field.allow({"format", "id", "version", "license", "library", "functions"});
  Description description;
  if (field["format"].text() != kFormat) {
    field["format"].refuse("\"" + std::string(kFormat) + "\"");
  }
  description.id = field["id"].text();
  description.version = field["version"].text();
  description.license = field["license"].text();
  description.library = field["library"].text();
  for (const Field& item : field["functions"].items()) {
    read_function(item, description.functions.emplace_back());
  }
  if (description.functions.empty()) field["functions"].refuse("at least one function");
  return description;
}

}  // namespace tenon::tvm_ffi
