// SPDX-License-Identifier: Apache-2.0
// core/registry/schema.h: what an op takes and gives, read from its schema text (grammar schema/1).
//
// The text is the one source of an op's signature for every language; docs/schema.md is the written
// grammar. Parsing is the only way to make a Schema, and a parsed Schema holds these invariants:
// - slots are inputs then outputs, at most 64 together; at most 64 attributes; names are unique
//   among inputs, attributes and named outputs;
// - optional inputs are trailing; aux outputs are trailing;
// - type variables are numbered by first appearance (inputs, attributes, outputs); each one an
//   output uses is bound by an input or attribute that every call has;
// - a variable that promotes is used by an input and by no input marked '!';
// - defaults are of their attribute's kind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/tensor/dtype.h"

namespace tenon::json {
class Writer;
}

namespace tenon::registry {

inline constexpr size_t max_schema_bytes = 4096;
inline constexpr size_t max_schema_slots = 64;
inline constexpr size_t max_schema_attrs = 64;

enum class AttrKind : uint8_t { Int, Float, Bool, String, Number, Dtype, IntList };

// One entry between the brackets of an operand.
// Letter      a name; equal names are equal extents in one call ("N", "H2")
// Integer     exactly `value`
// Ellipsis    a run of any length; `text` is its name or empty; equal names are equal runs
// Expression  documentation for the reader ("C/g"); the core checks nothing
struct Dim {
  enum Kind : uint8_t { Letter, Integer, Ellipsis, Expression };
  Kind kind = Letter;
  std::string text;   // empty for Integer
  int64_t value = 0;  // Integer only

  bool operator==(const Dim&) const = default;
};

struct TypeTerm {
  int32_t variable = -1;                 // index into Schema::variables, or -1
  tenon_dtype fixed = TENON_DTYPE_NONE;  // set when variable is -1
};

// An input or an output.
struct Operand {
  std::string name;  // may be empty if it is an output
  TypeTerm type;
  bool has_dims = false;  // without brackets nothing is said about the shape
  std::vector<Dim> dims;
  std::string shape_text;  // "[N,...]"; empty without brackets
};

struct Param : Operand {
  bool mutated = false;   // '!': read and written
  bool list = false;      // '*': zero or more tensors, each of them as type and dims say
  bool optional = false;  // '?': may be absent
};

// Of the attribute's kind; of a number the kind it was written as, of int[N] always N integers, and
// nothing for "=none".
using Default = std::variant<std::monostate, int64_t, double, bool, std::string, tenon_dtype,
                             std::vector<int64_t>>;

struct Attr {
  std::string name;
  AttrKind kind = AttrKind::Int;
  int32_t fixed_count = -1;  // N of int[N]; -1 for any length
  bool optional = false;     // none is a legal value, and the default if no other is given
  int32_t binds_variable = -1;
  std::optional<Default> def;  // without one, it is required unless it is optional

  bool required() const { return !def && !optional; }
};

struct Output : Operand {
  bool aux = false;  // kept only when a backward wants it
};

struct TypeVariable {
  std::string name;
  bool promote = false;              // inputs of this variable are cast to their common dtype
  std::vector<tenon_dtype> allowed;  // in canonical order, never empty
};

struct Schema {
  std::string text;  // canonical: what format_schema gives
  std::string name;
  std::vector<Param> inputs;
  std::vector<Attr> attrs;
  std::vector<Output> outputs;
  std::vector<TypeVariable> variables;

  // Inputs every call must give: those before the first optional one. A list counts as one.
  int32_t min_inputs() const;
  // Outputs before the first aux one.
  int32_t plain_outputs() const;
  // Position, or -1 if no such name exists.
  int32_t find_attr(std::string_view attr_name) const;
  // For people: "out", or "output 1" if it has no name or is not of this schema.
  std::string output_name(size_t index) const;
  // For people: "x", or of a list "params[2]".
  std::string operand_name(size_t input, size_t item) const;
};

// "int", "float", "bool", "str", "number", "dtype", "int[]"
std::string_view name_of(AttrKind kind) noexcept;

// "[N,2,...]"
std::string format_dims(const std::vector<Dim>& dims);

// Reads a schema text. Throws tenon::Error{TENON_E_SCHEMA}: the message names the column (1-based,
// in bytes), what was expected and what was found, and shows the text with a caret under the place.
// Any bytes may be given; work is linear in the text's length except for name comparisons.
Schema parse_schema(std::string_view text);

// The canonical text: what it is parsed to says the same, and formatting is a fixed point.
std::string format_schema(const Schema& schema);

// The members "inputs", "attributes", "outputs" and "variables" of an object: all that the text
// says, so that nobody else has to read it.
void write_schema(json::Writer& out, const Schema& schema);

}  // namespace tenon::registry
