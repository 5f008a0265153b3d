// SPDX-License-Identifier: Apache-2.0
// core/runtime/file_entries.h: which entry of a kind is for a file, by the ending of its name.
#pragma once

#include <string_view>

#include "core/registry/values.h"
#include "core/runtime/runtime.h"

namespace tenon {

// example  a name, for the hint. Throws Error{TENON_E_NOT_FOUND}, which lists the endings. Opens
// all plugins with entries of the kind; of two endings that fit the longer one counts.
const registry::Entry& entry_for_file(Runtime& runtime, uint32_t kind,
                                      std::string_view (*endings_of)(const registry::Entry& entry),
                                      std::string_view path, std::string_view example);

template <class Desc>
const registry::Entry& entry_for_file(Runtime& runtime, std::string_view path,
                                      std::string_view example) {
  const auto endings = [](const registry::Entry& entry) {
    return registry::text_view(entry.as<Desc>().endings);
  };
  return entry_for_file(runtime, registry::kind_of<Desc>(), endings, path, example);
}

}  // namespace tenon
