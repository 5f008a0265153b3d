// SPDX-License-Identifier: Apache-2.0
// core/runtime/file_entries.h: which entry of a kind is for a file, by the ending of its name, in
// capitals or not.
#pragma once

#include <span>
#include <string_view>

#include "core/registry/values.h"
#include "core/runtime/runtime.h"

namespace tenon {

// What files of a name are, for the words about one that nothing here claims. Chooses nothing.
struct KnownFile {
  std::string_view name;    // "vocab.txt", or an ending with its dot; the first that fits counts
  std::string_view what;    // "BERT's vocabularies"
  std::string_view entry;   // reads them; empty: none does
  std::string_view source;  // what brings it: "the plugin ..., which is built where ..."
  std::string_view hint;    // how to ask for it, if naming it does not do, or what to take instead
};

// example  a name, for the hint. Throws Error{TENON_E_NOT_FOUND}, which lists the endings, and says
// what is known of the file and of plugins that might read it. Opens all plugins with entries of
// the kind; of two endings that fit the longer one counts.
const registry::Entry& entry_for_file(Runtime& runtime, uint32_t kind,
                                      std::string_view (*endings_of)(const registry::Entry& entry),
                                      std::string_view path, std::string_view example,
                                      std::span<const KnownFile> known);

template <class Desc>
const registry::Entry& entry_for_file(Runtime& runtime, std::string_view path,
                                      std::string_view example,
                                      std::span<const KnownFile> known = {}) {
  const auto endings = [](const registry::Entry& entry) {
    return registry::text_view(entry.as<Desc>().endings);
  };
  return entry_for_file(runtime, registry::kind_of<Desc>(), endings, path, example, known);
}

}  // namespace tenon
