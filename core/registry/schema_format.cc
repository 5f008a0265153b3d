// SPDX-License-Identifier: Apache-2.0
// core/registry/schema_format.cc: the canonical text of a schema, the same as data, and small
// look-ups.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/base/words.h"
#include "core/json/writer.h"
#include "core/registry/schema.h"
#include "core/tensor/layout.h"

namespace tenon::registry {
namespace {

using tensor::Category;

std::string format_float(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::array<char, 40> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  std::string text(buffer.data(), end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string format_string(std::string_view value) {
  std::string text = "\"";
  for (const char c : value) {
    if (c == '\n' || c == '\t') {
      text += c == '\n' ? "\\n" : "\\t";
      continue;
    }
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

struct DefaultText {
  const Attr& attr;

  std::string operator()(std::monostate) const { return "none"; }
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return format_float(value); }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(const std::string& value) const { return format_string(value); }
  std::string operator()(tenon_dtype value) const { return tensor::dtype_text(value); }
  std::string operator()(const std::vector<int64_t>& ints) const {
    const bool all_equal = std::ranges::all_of(ints, [&](int64_t i) { return i == ints.front(); });
    if (attr.fixed_count > 0 && all_equal) return std::to_string(ints.front());
    return tensor::dims_text(ints);
  }
};

std::string format_default(const Attr& attr) { return std::visit(DefaultText{attr}, *attr.def); }

std::string format_kind(const Schema& schema, const Attr& attr) {
  if (attr.binds_variable >= 0) {
    return schema.variables[static_cast<size_t>(attr.binds_variable)].name;
  }
  if (attr.fixed_count >= 0) return "int[" + std::to_string(attr.fixed_count) + ']';
  return std::string(name_of(attr.kind));
}

void append_attr(std::string& text, const Schema& schema, const Attr& attr) {
  text.append(attr.name).append(": ").append(format_kind(schema, attr));
  if (attr.optional) text += '?';
  if (attr.def) text.append("=").append(format_default(attr));
}

std::string_view format_dtype(const Schema& schema, const TypeTerm& type) {
  if (type.variable < 0) return tensor::name_of(type.fixed);
  return schema.variables[static_cast<size_t>(type.variable)].name;
}

std::string format_dim(const Dim& dim) {
  if (dim.kind == Dim::Integer) return std::to_string(dim.value);
  return dim.kind == Dim::Ellipsis ? "..." + dim.text : dim.text;
}

void append_dims(std::string& text, const Operand& operand) {
  if (operand.has_dims) text += format_dims(operand.dims);
}

void append_input(std::string& text, const Schema& schema, const Param& input) {
  text.append(input.name).append(input.mutated ? "!: " : ": ");
  text += format_dtype(schema, input.type);
  append_dims(text, input);
  if (input.list) text += '*';
  if (input.optional) text += '?';
}

void append_output(std::string& text, const Schema& schema, const Output& output) {
  if (output.aux) text += "aux ";
  if (!output.name.empty()) text.append(output.name).append(": ");
  text += format_dtype(schema, output.type);
  append_dims(text, output);
}

// Removes from `missing` what `category` holds; false, and nothing removed, unless the category
// lies within `allowed` and holds something still missing.
bool take_category(Category category, const std::vector<tenon_dtype>& allowed,
                   std::vector<tenon_dtype>& missing) {
  for (const tenon_dtype dtype : tensor::all_dtypes()) {
    if (!tensor::in_category(dtype, category)) continue;
    if (std::find(allowed.begin(), allowed.end(), dtype) == allowed.end()) return false;
  }
  const size_t removed =
      std::erase_if(missing, [&](tenon_dtype d) { return tensor::in_category(d, category); });
  return removed != 0;
}

// The widest categories that fit, then single dtypes.
std::string format_allowed(const std::vector<tenon_dtype>& allowed) {
  std::vector<tenon_dtype> missing = allowed;
  std::string text;
  const auto append = [&](std::string_view word) {
    if (!text.empty()) text += '|';
    text += word;
  };
  for (const Category category :
       {Category::Any, Category::Number, Category::Int, Category::Float}) {
    if (take_category(category, allowed, missing)) append(tensor::name_of(category));
  }
  for (const tenon_dtype dtype : missing) append(tensor::name_of(dtype));
  return text;
}

std::string format_where(const Schema& schema) {
  std::string text;
  for (const TypeVariable& variable : schema.variables) {
    if (!variable.promote && variable.allowed.size() == tensor::all_dtypes().size()) continue;
    text += text.empty() ? " where " : "; ";
    text += variable.name + ": " + format_allowed(variable.allowed);
    if (variable.promote) text += " promote";
  }
  return text;
}

void write_operand(json::Writer& out, const Schema& schema, const Operand& operand) {
  out.member("name", operand.name);
  out.member("dtype", format_dtype(schema, operand.type));
  if (operand.has_dims) return out.list("dims", operand.dims, format_dim);
  out.member("dims", nullptr);
}

struct DefaultWriter {
  json::Writer& out;

  void operator()(std::monostate) const { out.value(nullptr); }
  // Numbers that JSON does not have are texts: "inf", "nan".
  void operator()(double value) const {
    std::isfinite(value) ? out.value(value) : out.value(format_float(value));
  }
  void operator()(tenon_dtype value) const { out.value(tensor::name_of(value)); }
  template <class Other>
  void operator()(const Other& value) const {
    out.value(value);
  }
};

void write_attr(json::Writer& out, const Schema& schema, const Attr& attr) {
  out.member("name", attr.name);
  out.member("kind", name_of(attr.kind));
  out.member("type", format_kind(schema, attr));  // "int[2]", a type variable, or the kind
  out.member("count", std::max(attr.fixed_count, 0));
  out.member("optional", attr.optional);
  out.member("required", attr.required());
  out.name("default");
  attr.def ? std::visit(DefaultWriter{out}, *attr.def) : out.value(nullptr);
  out.member("default_text", attr.def ? format_default(attr) : std::string());
}

void write_variable(json::Writer& out, const TypeVariable& variable) {
  out.member("name", variable.name);
  out.list("dtypes", variable.allowed, [](tenon_dtype dtype) { return tensor::name_of(dtype); });
  out.member("promote", variable.promote);
}

}  // namespace

int32_t Schema::min_inputs() const {
  const auto first_optional =
      std::find_if(inputs.begin(), inputs.end(), [](const Param& p) { return p.optional; });
  return static_cast<int32_t>(first_optional - inputs.begin());
}

int32_t Schema::plain_outputs() const {
  const auto first_aux =
      std::find_if(outputs.begin(), outputs.end(), [](const Output& o) { return o.aux; });
  return static_cast<int32_t>(first_aux - outputs.begin());
}

int32_t Schema::find_attr(std::string_view attr_name) const {
  const auto found = std::ranges::find(attrs, attr_name, &Attr::name);
  return found == attrs.end() ? -1 : static_cast<int32_t>(found - attrs.begin());
}

std::string Schema::output_name(size_t index) const {
  const bool named = index < outputs.size() && !outputs[index].name.empty();
  return named ? outputs[index].name : "output " + std::to_string(index);
}

std::string Schema::operand_name(size_t input, size_t item) const {
  const Param& param = inputs[input];
  return param.list ? param.name + "[" + std::to_string(item) + "]" : param.name;
}

std::string format_dims(const std::vector<Dim>& dims) {
  return '[' + base::joined(dims, ",", format_dim) + ']';
}

std::string_view name_of(AttrKind kind) noexcept {
  static constexpr std::string_view names[] = {"int",    "float", "bool", "str",
                                               "number", "dtype", "int[]"};
  return names[static_cast<size_t>(kind)];
}

std::string format_schema(const Schema& schema) {
  std::string text;
  text.reserve(128);
  text.append(schema.name).append("(");
  bool first = true;
  const auto separate = [&] {
    if (!first) text += ", ";
    first = false;
  };
  for (const Param& input : schema.inputs) {
    separate();
    append_input(text, schema, input);
  }
  if (!schema.attrs.empty()) {
    separate();
    text += '*';
  }
  for (const Attr& attr : schema.attrs) {
    separate();
    append_attr(text, schema, attr);
  }
  text += ") -> ";
  const bool bare = schema.outputs.size() == 1;
  if (!bare) text += '(';
  first = true;
  for (const Output& output : schema.outputs) {
    separate();
    append_output(text, schema, output);
  }
  if (!bare) text += ')';
  return text.append(format_where(schema));
}

void write_schema(json::Writer& out, const Schema& schema) {
  out.objects("inputs", schema.inputs, [&](const Param& input) {
    write_operand(out, schema, input);
    out.member("mutated", input.mutated);
    out.member("list", input.list);
    out.member("optional", input.optional);
  });
  out.objects("attributes", schema.attrs, [&](const Attr& attr) { write_attr(out, schema, attr); });
  out.objects("outputs", schema.outputs, [&](const Output& output) {
    write_operand(out, schema, output);
    out.member("aux", output.aux);
  });
  out.objects("variables", schema.variables,
              [&](const TypeVariable& variable) { write_variable(out, variable); });
}

}  // namespace tenon::registry
