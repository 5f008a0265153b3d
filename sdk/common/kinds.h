// SPDX-License-Identifier: Apache-2.0
// sdk/common/kinds.h: the kinds of entries in tenon/kinds.h, in their order.
#pragma once

#include <tenon/kinds.h>

namespace tenon::tools {

struct EntryKind {
  const char* topic;  // of a query, and a manifest's member: "optimizers"
  const char* noun;   // "optimizer"
};

#define TENON_ENTRY_KIND(noun, plural) {#plural, #noun},
inline constexpr EntryKind kEntryKinds[] = {TENON_KINDS(TENON_ENTRY_KIND)};
#undef TENON_ENTRY_KIND

}  // namespace tenon::tools
