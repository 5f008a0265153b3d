// SPDX-License-Identifier: Apache-2.0
// core/registry/kinds.cc: the list of kinds, each with its own rules if it has any.
#include "core/registry/kinds.h"

#include <cstddef>

namespace tenon::registry {
namespace {

template <class Desc>
constexpr auto check_of() -> decltype(Kind::check) {
  if constexpr (requires(const Desc& desc, const What& what, const SchemaOf& of) {
                  check(desc, what, of);
                }) {
    return [](const tenon_entry_desc& desc, const What& what, const SchemaOf& of) {
      check(reinterpret_cast<const Desc&>(desc), what, of);
    };
  } else {
    return nullptr;
  }
}

template <class Desc>
constexpr auto write_of() -> decltype(Kind::write) {
  if constexpr (requires(json::Writer & out, const Desc& desc) { write(out, desc); }) {
    return [](json::Writer& out, const tenon_entry_desc& desc) {
      write(out, reinterpret_cast<const Desc&>(desc));
    };
  } else {
    return nullptr;
  }
}

template <class Desc>
constexpr uint32_t least_bytes_of() {
  if constexpr (requires(const Desc* desc) { least_bytes(desc); }) {
    return least_bytes(static_cast<const Desc*>(nullptr));
  } else {
    return sizeof(Desc);
  }
}

template <class Desc, class Table>
constexpr bool begins_as_entry() {
  return offsetof(Desc, struct_size) == offsetof(tenon_entry_desc, struct_size) &&
         offsetof(Desc, flags) == offsetof(tenon_entry_desc, flags) &&
         offsetof(Desc, name) == offsetof(tenon_entry_desc, name) &&
         offsetof(Desc, doc) == offsetof(tenon_entry_desc, doc) &&
         sizeof(Table) == sizeof(tenon_entries_table) &&
         offsetof(Table, descs) == offsetof(tenon_entries_table, descs);
}

#define TENON_CHECK_KIND(noun, plural)                                          \
  static_assert(begins_as_entry<tenon_##noun##_desc, tenon_##plural##_table>(), \
                "tenon_" #noun "_desc does not begin as tenon_entry_desc");
TENON_KINDS(TENON_CHECK_KIND)
#undef TENON_CHECK_KIND

#define TENON_KIND(noun, plural)          \
  {#noun,                                 \
   #plural,                               \
   "tenon." #plural "/1",                 \
   sizeof(tenon_##noun##_desc),           \
   least_bytes_of<tenon_##noun##_desc>(), \
   check_of<tenon_##noun##_desc>(),       \
   write_of<tenon_##noun##_desc>()},
constexpr Kind kKinds[] = {TENON_KINDS(TENON_KIND)};
#undef TENON_KIND

}  // namespace

const Kind& kind_at(uint32_t kind) noexcept { return kKinds[kind]; }

}  // namespace tenon::registry
