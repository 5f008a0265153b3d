// SPDX-License-Identifier: Apache-2.0
// sdk/common/signature.cc: see signature.h.
#include "signature.h"

#include <algorithm>
#include <tenon/sdk/plugin/sample_value.hpp>

namespace tenon::tools {
namespace {

Operand operand_of(const Json& said) {
  Operand operand;
  operand.name = said.at("name");
  operand.dtype = said.at("dtype");
  if (said.at("dims").is_array()) {
    for (const Json& dim : said.at("dims")) {
      operand.dims += (operand.dims.empty() ? "" : ",") + dim.get<std::string>();
    }
    operand.dims = "[" + operand.dims + "]";
  }
  operand.mutated = said.value("mutated", false);
  operand.list = said.value("list", false);
  operand.optional = said.value("optional", false);
  operand.aux = said.value("aux", false);
  return operand;
}

}  // namespace

const std::vector<std::string>& all_dtypes() {
  static const std::vector<std::string> all = {"bool", "u8",  "i8",   "i16", "i32",
                                               "i64",  "f16", "bf16", "f32", "f64"};
  return all;
}

std::string dtype_name(tenon_dtype dtype) {
  for (const std::string& name : all_dtypes()) {
    if (sdk::sample_dtype(name) == dtype) return name;
  }
  return "dtype " + std::to_string(dtype);
}

bool is_float_dtype(const std::string& dtype) {
  return dtype == "f16" || dtype == "bf16" || dtype == "f32" || dtype == "f64";
}

uint32_t Signature::plain_outputs() const {
  return static_cast<uint32_t>(
      std::ranges::count_if(outputs, [](const Operand& each) { return !each.aux; }));
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

Signature signature_of(const Json& op) {
  Signature signature;
  for (const Json& input : op.at("inputs")) signature.inputs.push_back(operand_of(input));
  for (const Json& output : op.at("outputs")) signature.outputs.push_back(operand_of(output));
  for (const Json& said : op.at("attributes")) {
    signature.attributes.push_back(
        {said.at("name"), said.at("type"), said.at("default_text"), said.at("optional")});
  }
  for (const Json& said : op.at("variables")) {
    signature.variables.push_back({said.at("name"), said.at("dtypes"), said.at("promote")});
  }
  return signature;
}

}  // namespace tenon::tools
