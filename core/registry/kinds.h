// SPDX-License-Identifier: Apache-2.0
// core/registry/kinds.h: the list in tenon/kinds.h as data: what is the same for entries of every
// kind is written once, over this. What one kind checks or tells beyond that stands in kinds/.
#pragma once

#include <tenon/kinds.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <type_traits>

#include "core/json/writer.h"

namespace tenon::registry {

class What;
struct Schema;

// ---- What some kinds check and tell beyond what all have in common. A kind without a line here
// has a name and a documentation, and no flags.

// The newest schema of an op, of those registered and of the plugin's own; NULL: not known.
using SchemaOf = std::function<const Schema*(std::string_view)>;

// How long a descriptor was before members were appended to it: those that are missing read as
// zero. A kind without a line here has had all its members from the first.
constexpr uint32_t least_bytes(const tenon_dataset_desc*) {
  return offsetof(tenon_dataset_desc, lengths);
}
constexpr uint32_t least_bytes(const tenon_format_desc*) {
  return offsetof(tenon_format_desc, foreign);
}
constexpr uint32_t least_bytes(const tenon_collective_desc*) {
  return offsetof(tenon_collective_desc, abort);
}

// Throw as checks.h says. what: "schedule acme.cosine"
void check(const tenon_optimizer_desc& desc, const What& what, const SchemaOf& schema_of);
void check(const tenon_schedule_desc& desc, const What& what, const SchemaOf& schema_of);
void check(const tenon_dataset_desc& desc, const What& what, const SchemaOf& schema_of);
void check(const tenon_layer_desc& desc, const What& what, const SchemaOf& schema_of);
void check(const tenon_format_desc& desc, const What& what, const SchemaOf& schema_of);
void check(const tenon_transform_desc& desc, const What& what, const SchemaOf& schema_of);
void check(const tenon_tokenizer_desc& desc, const What& what, const SchemaOf& schema_of);
void check(const tenon_collective_desc& desc, const What& what, const SchemaOf& schema_of);

void write(json::Writer& out, const tenon_optimizer_desc& desc);
void write(json::Writer& out, const tenon_schedule_desc& desc);
void write(json::Writer& out, const tenon_dataset_desc& desc);
void write(json::Writer& out, const tenon_layer_desc& desc);
void write(json::Writer& out, const tenon_format_desc& desc);
void write(json::Writer& out, const tenon_transform_desc& desc);
void write(json::Writer& out, const tenon_tokenizer_desc& desc);
void write(json::Writer& out, const tenon_collective_desc& desc);

// ---- The list

struct Kind {
  std::string_view noun;       // "optimizer"
  std::string_view plural;     // "optimizers": field of the manifest, topic of a query
  std::string_view interface;  // "tenon.optimizers/1"
  uint32_t desc_bytes;         // of a descriptor as this Tenon knows it
  uint32_t least_bytes;        // of one from before members were appended
  // Throws as checks.h says; the name is right already. NULL: nothing to check but flags of 0.
  void (*check)(const tenon_entry_desc& desc, const What& what, const SchemaOf& schema_of);
  // Writes the members beside name, doc and plugin. NULL: none.
  void (*write)(json::Writer& out, const tenon_entry_desc& desc);
};

#define TENON_COUNT_KIND(noun, plural) +1
inline constexpr uint32_t kKindEnd = 0 TENON_KINDS(TENON_COUNT_KIND);
#undef TENON_COUNT_KIND

const Kind& kind_at(uint32_t kind) noexcept;

// The position of a descriptor's kind in the list.
template <class Desc>
constexpr uint32_t kind_of() {
  uint32_t position = 0;
  uint32_t found = kKindEnd;
#define TENON_FIND_KIND(noun, plural)              \
  if (std::is_same_v<Desc, tenon_##noun##_desc>) { \
    found = position;                              \
  }                                                \
  ++position;
  TENON_KINDS(TENON_FIND_KIND)
#undef TENON_FIND_KIND
  return found;
}

}  // namespace tenon::registry
