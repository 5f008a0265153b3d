// SPDX-License-Identifier: Apache-2.0
// sdk/common/signature.h: what an op takes and gives, as the topic "ops" of tenon_runtime_query
// says.
#pragma once

#include <tenon/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "program.h"

namespace tenon::tools {

// An input or an output.
struct Operand {
  std::string name;   // may be empty for an output
  std::string dtype;  // a type variable or a dtype
  std::string dims;   // "[N,...]"; empty: nothing is said about the shape
  bool mutated = false;
  bool list = false;
  bool optional = false;
  bool aux = false;
};

struct Attribute {
  std::string name;
  std::string kind;     // "int", "int[2]", a type variable, ...
  std::string initial;  // as written; empty: there is none
  bool optional = false;
};

struct TypeVariable {
  std::string name;
  std::vector<std::string> dtypes;  // those allowed
  bool promote = false;
};

struct Signature {
  std::vector<Operand> inputs;
  std::vector<Attribute> attributes;
  std::vector<Operand> outputs;
  std::vector<TypeVariable> variables;  // by first appearance, as in the rows of kernels

  // How many outputs there are without those for the backward rule alone.
  uint32_t plain_outputs() const;
  // NULL for a dtype.
  const TypeVariable* variable(const std::string& name) const;
  // What an operand of this type may be.
  std::vector<std::string> dtypes_of(const std::string& type) const;
};

const std::vector<std::string>& all_dtypes();
// "f32"; of one that is not known "dtype" and its number.
std::string dtype_name(tenon_dtype dtype);
bool is_float_dtype(const std::string& dtype);

// Of an entry of that topic.
Signature signature_of(const Json& op);

}  // namespace tenon::tools
