// SPDX-License-Identifier: Apache-2.0
// sdk/tools/signature.cc: see signature.h.
#include "signature.h"

#include <algorithm>
#include <string_view>

namespace tenon::tools {
namespace {

constexpr std::string_view kWhere = " where ";
constexpr std::string_view kArrow = ") -> ";

std::string trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(' ');
  if (first == text.npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

// Where `mark` stands outside of brackets and texts in quotes, or the end. The mark may be a
// closing bracket: that of the bracket before `begin`.
size_t find_outside(std::string_view text, char mark, size_t begin = 0) {
  int depth = 0;
  for (size_t at = begin; at < text.size(); ++at) {
    const char c = text[at];
    if (depth == 0 && c == mark) return at;
    if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\';
    } else if (c == '(' || c == '[') {
      ++depth;
    } else if (c == ')' || c == ']') {
      --depth;
    }
  }
  return text.size();
}

std::vector<std::string> items_of(std::string_view text, char separator) {
  std::vector<std::string> items;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = find_outside(text, separator, begin);
    items.push_back(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return items;
}

// "x!: T[...]*?", "aux top: T[N]", "T[...]"
Operand operand_of(std::string text) {
  Operand operand;
  if (text.starts_with("aux ")) {
    operand.aux = true;
    text = trimmed(text.substr(4));
  }
  const size_t colon = find_outside(text, ':');
  if (colon < text.size()) {
    operand.name = text.substr(0, colon);
    operand.mutated = operand.name.ends_with('!');
    if (operand.mutated) operand.name.pop_back();
    text = trimmed(text.substr(colon + 1));
  }
  operand.optional = text.ends_with('?');
  if (operand.optional) text.pop_back();
  operand.list = text.ends_with('*');
  if (operand.list) text.pop_back();
  const size_t bracket = std::min(text.find('['), text.size());
  operand.dtype = text.substr(0, bracket);
  operand.dims = text.substr(bracket);
  return operand;
}

// "axes: int[]?=[0]"
Attribute attribute_of(const std::string& text) {
  Attribute attribute;
  const size_t colon = text.find(':');
  attribute.name = text.substr(0, colon);
  const size_t equal = find_outside(text, '=', colon);
  attribute.kind = trimmed(std::string_view(text).substr(colon + 1, equal - colon - 1));
  if (equal < text.size()) attribute.initial = text.substr(equal + 1);
  attribute.optional = attribute.kind.ends_with('?');
  if (attribute.optional) attribute.kind.pop_back();
  return attribute;
}

bool in_set(const std::string& dtype, const std::string& set) {
  const bool is_int = dtype != "bool" && !is_float_dtype(dtype);
  if (set == "any") return true;
  if (set == "uint") return dtype == "u8";
  if (set == "int") return is_int;
  if (set == "float") return is_float_dtype(dtype);
  if (set == "number") return dtype != "bool";
  return dtype == set;
}

// "T: i32|i64 promote"
TypeVariable variable_of(const std::string& clause) {
  TypeVariable variable;
  const size_t colon = clause.find(':');
  variable.name = clause.substr(0, colon);
  std::string sets = trimmed(std::string_view(clause).substr(colon + 1));
  if (sets.ends_with("promote")) {
    variable.promote = true;
    sets = trimmed(std::string_view(sets).substr(0, sets.size() - 7));
  }
  const std::vector<std::string> each = items_of(sets, '|');
  for (const std::string& dtype : all_dtypes()) {
    const auto allows = [&](const std::string& set) { return in_set(dtype, trimmed(set)); };
    if (std::any_of(each.begin(), each.end(), allows)) variable.dtypes.push_back(dtype);
  }
  return variable;
}

// Every word that is a type and no dtype, in the order in which kernels number them.
void add_variables(Signature& signature, const std::vector<TypeVariable>& stated) {
  const auto add = [&](const std::string& type) {
    const bool capital = !type.empty() && type[0] >= 'A' && type[0] <= 'Z';
    if (!capital || signature.variable(type) != nullptr) return;
    TypeVariable variable{type, all_dtypes(), false};
    for (const TypeVariable& each : stated) {
      if (each.name == type) variable = each;
    }
    signature.variables.push_back(std::move(variable));
  };
  for (const Operand& input : signature.inputs) add(input.dtype);
  for (const Attribute& attribute : signature.attributes) add(attribute.kind);
  for (const Operand& output : signature.outputs) add(output.dtype);
}

}  // namespace

const std::vector<std::string>& all_dtypes() {
  static const std::vector<std::string> all = {"bool", "u8",  "i8",   "i16", "i32",
                                               "i64",  "f16", "bf16", "f32", "f64"};
  return all;
}

bool is_float_dtype(const std::string& dtype) {
  return dtype == "f16" || dtype == "bf16" || dtype == "f32" || dtype == "f64";
}

const TypeVariable* Signature::variable(const std::string& name) const {
  const auto found = std::find_if(variables.begin(), variables.end(),
                                  [&](const TypeVariable& each) { return each.name == name; });
  return found == variables.end() ? nullptr : &*found;
}

std::vector<std::string> Signature::dtypes_of(const std::string& type) const {
  const TypeVariable* of = variable(type);
  return of == nullptr ? std::vector<std::string>{type} : of->dtypes;
}

Signature signature_of(const std::string& schema) {
  Signature signature;
  const std::string_view text(schema);
  const size_t open = text.find('(');
  const size_t close = find_outside(text, ')', open + 1);
  bool named = false;  // behind the "*"
  for (const std::string& item : items_of(text.substr(open + 1, close - open - 1), ',')) {
    if (item == "*") {
      named = true;
    } else if (named) {
      signature.attributes.push_back(attribute_of(item));
    } else {
      signature.inputs.push_back(operand_of(item));
    }
  }
  const size_t begin = close + kArrow.size();
  const size_t where = std::min(text.find(kWhere, close), text.size());
  std::string_view outputs = text.substr(begin, where - begin);
  if (outputs.starts_with('(')) outputs = outputs.substr(1, outputs.size() - 2);
  for (const std::string& item : items_of(outputs, ',')) {
    signature.outputs.push_back(operand_of(item));
  }
  std::vector<TypeVariable> stated;
  if (where < text.size()) {
    for (const std::string& clause : items_of(text.substr(where + kWhere.size()), ';')) {
      stated.push_back(variable_of(clause));
    }
  }
  add_variables(signature, stated);
  return signature;
}

}  // namespace tenon::tools
