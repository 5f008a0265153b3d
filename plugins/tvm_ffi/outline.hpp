// SPDX-License-Identifier: Apache-2.0
// plugins/tvm_ffi/outline.hpp: what a kernel's table needs of a schema's text: names, how many of
// each, and how many type variables. Whether the text is right is for the host to say, which reads
// it whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::tvm_ffi {

struct Input {
  std::string name;
  bool written = false;   // "!"
  bool list = false;      // "*"
  bool optional = false;  // "?"
};

struct Attribute {
  std::string name;
  std::string kind;  // "int", "int[]", "int[2]", or a type variable
};

struct Output {
  std::string name;  // as rules and arguments call it: "out", or "out0", "out1" if it has none
  bool aux = false;
};

struct Outline {
  std::string name;
  std::vector<Input> inputs;
  std::vector<Attribute> attributes;
  std::vector<Output> outputs;
  std::vector<std::string> variables;  // in order of first appearance

  uint32_t slots() const { return static_cast<uint32_t>(inputs.size() + outputs.size()); }
};

// False if the text is not a schema: the host's words say why.
bool read_outline(std::string_view schema, Outline& out);

}  // namespace tenon::tvm_ffi
