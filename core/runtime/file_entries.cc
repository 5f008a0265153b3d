// SPDX-License-Identifier: Apache-2.0
// core/runtime/file_entries.cc: which entry of a kind is for a file.
#include "core/runtime/file_entries.h"

#include "core/base/words.h"

namespace tenon {

const registry::Entry& entry_for_file(Runtime& runtime, uint32_t kind,
                                      std::string_view (*endings_of)(const registry::Entry& entry),
                                      std::string_view path, std::string_view example) {
  runtime.plugins.open_entries(kind);
  const registry::Entry* best = nullptr;
  size_t longest = 0;
  std::string known;
  for (const registry::Entry* entry : runtime.registry.entries(kind)) {
    for (const std::string_view ending : base::words_of(endings_of(*entry))) {
      known += (known.empty() ? "" : " ") + std::string(ending);
      if (!path.ends_with(ending) || ending.size() <= longest) continue;
      best = entry;
      longest = ending.size();
    }
  }
  if (best != nullptr) return *best;
  const registry::Kind& what = registry::kind_at(kind);
  fail(TENON_E_NOT_FOUND,
       "no " + std::string(what.noun) + " is for files named as '" + std::string(path) + "'",
       "path", known.empty() ? "a plugin with " + std::string(what.plural) : "one of: " + known,
       std::string(path),
       "name the " + std::string(what.noun) + ", for example " + std::string(example));
}

}  // namespace tenon
