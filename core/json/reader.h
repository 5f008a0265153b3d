// SPDX-License-Identifier: Apache-2.0
// core/json/reader.h: reads JSON text that may be any bytes into a tree whose destructors need no
// memory (those of nlohmann's own tree do, and end the process if there is none).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::json {

enum class Kind : uint8_t { Null, Bool, Unsigned, Number, String, List, Object };

struct Value {
  Kind kind = Kind::Null;
  uint64_t number = 0;  // Unsigned: an integer that fits; Bool: 0 or 1
  std::string text;     // String: what it says; Unsigned, Number, Bool: as JSON text
  std::vector<Value> items;
  std::vector<std::string> names;  // Object: of items, in the text's order

  bool is(Kind which) const { return kind == which; }
  // The member of this name; a Null if there is none, or if this is not an object.
  const Value& member(std::string_view name) const;
};

// The whole of `text`. Throws Error{status} with words that say what is wrong and where: no JSON,
// brackets nested deeper than 16, or a name that stands twice in an object, because readers would
// not agree on which one counts.
Value parse(std::string_view text, int32_t status);

}  // namespace tenon::json
