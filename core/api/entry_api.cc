// SPDX-License-Identifier: Apache-2.0
// core/api/entry_api.cc: public functions that say what there is: kinds, entries, ops.
#include "core/api/guard.h"
#include "core/inspect/entries.h"

using namespace tenon;
using namespace tenon::api;

namespace {

inspect::Described described(Context& cx, const char* kind, uint64_t kind_length, const char* name,
                             uint64_t name_length) {
  const std::string_view noun = require_text(kind, kind_length, "kind");
  const std::string_view given = require_name(name, name_length);
  return inspect::describe(cx, noun, given);
}

template <class Item>
Item require_item(const std::vector<Item>& items, uint32_t index, const tenon_entry_info& info,
                  const char* what) {
  if (index < items.size()) return items[index];
  const std::string name(info.name.data, info.name.length);
  throw Error{.status = TENON_E_NOT_FOUND,
              .message = name + " has " + std::to_string(items.size()) + " " + what +
                         "; there is no number " + std::to_string(index),
              .op = name,
              .operand = "index",
              .expected = "less than " + std::to_string(items.size()),
              .found = std::to_string(index)};
}

}  // namespace

[[gnu::cold]] tenon_status tenon_kind_get_names(tenon_context* context, const char* kind,
                                                uint64_t kind_length, uint32_t capacity,
                                                tenon_string* out_names, uint32_t* out_count) {
  return guard(context, [&](Context& cx) {
    require_pointer(out_count, "out_count");
    if (capacity != 0) require_pointer(out_names, "out_names");
    const std::string_view given = require_name(kind, kind_length, "kind");
    const auto names = inspect::names_of_kind(cx, given);
    for (size_t i = 0; i < std::min<size_t>(capacity, names.size()); ++i) {
      out_names[i] = {names[i].data(), names[i].size()};
    }
    *out_count = static_cast<uint32_t>(names.size());
  });
}

[[gnu::cold]] tenon_status tenon_entry_get_info(tenon_context* context, const char* kind,
                                                uint64_t kind_length, const char* name,
                                                uint64_t name_length, tenon_entry_info* out_info) {
  return guard(context, [&](Context& cx) {
    fill_sized(out_info, described(cx, kind, kind_length, name, name_length).info);
  });
}

[[gnu::cold]] tenon_status tenon_entry_get_option(tenon_context* context, const char* kind,
                                                  uint64_t kind_length, const char* name,
                                                  uint64_t name_length, uint32_t index,
                                                  tenon_entry_option* out_option) {
  return guard(context, [&](Context& cx) {
    const inspect::Described entry = described(cx, kind, kind_length, name, name_length);
    fill_sized(out_option, require_item(entry.options, index, entry.info, "options"));
  });
}

[[gnu::cold]] tenon_status tenon_entry_get_part(tenon_context* context, const char* kind,
                                                uint64_t kind_length, const char* name,
                                                uint64_t name_length, uint32_t index,
                                                tenon_entry_part* out_part) {
  return guard(context, [&](Context& cx) {
    const inspect::Described entry = described(cx, kind, kind_length, name, name_length);
    fill_sized(out_part, require_item(entry.parts, index, entry.info, "parts"));
  });
}
