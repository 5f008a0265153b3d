// SPDX-License-Identifier: Apache-2.0
// core/registry/kinds.h: the list in tenon/kinds.h as data: what is the same for entries of every
// kind is written once, over this. What one kind checks or tells beyond that stands in kinds/.
#pragma once

#include <tenon/kinds.h>

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "core/json/writer.h"
#include "core/registry/kinds/rules.h"

namespace tenon::registry {

struct Kind {
  std::string_view noun;       // "optimizer"
  std::string_view plural;     // "optimizers": field of the manifest, topic of a query
  std::string_view interface;  // "tenon.optimizers/1"
  uint32_t desc_bytes;         // of a descriptor as this Tenon knows it
  uint32_t least_bytes;        // of one from before members were appended
  // Throws as checks.h says; the name is right already. NULL: nothing to check but flags of 0.
  void (*check)(const tenon_entry_desc& desc, const Checking& checking);
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
