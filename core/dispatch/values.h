// SPDX-License-Identifier: Apache-2.0
// core/dispatch/values.h: deep copies of attribute values, and words for them.
#pragma once

#include <tenon/types.h>

#include <span>
#include <string>
#include <vector>

#include "core/registry/schema.h"

namespace tenon::dispatch {

// Owns copies of values that are not tensors. Moving keeps the copies' addresses.
class ValueStore {
 public:
  ValueStore() = default;
  explicit ValueStore(std::span<const tenon_value> values);
  std::span<const tenon_value> values() const { return values_; }

 private:
  std::vector<tenon_value> values_;
  std::vector<std::vector<int64_t>> ints_;
  std::vector<std::string> strings_;
};

// "int", "float", "tensor", ... of a value.
std::string tag_name(uint32_t tag);
// "3", "[1,2]", "f32"
std::string value_text(const tenon_value& value);
// The default as a value; pointers lead into `attr`.
tenon_value default_value(const registry::Attr& attr);

}  // namespace tenon::dispatch
