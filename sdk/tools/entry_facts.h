// SPDX-License-Identifier: Apache-2.0
// sdk/tools/entry_facts.h: what tenon/ext/draft/entries.h says of an entry of any kind, in words.
#pragma once

#include <tenon/ext/draft/entries.h>

#include <string>
#include <vector>

#include "session.h"

namespace tenon::tools {

struct EntryOption {
  std::string name, doc;
  std::string type;     // "float", "int[2]"
  std::string initial;  // "0.001"; "required", "none"
  std::string range;    // "0 to 1", "at least 0"; empty: any
  bool required = false;
  bool dynamic = false;
};

struct EntryPart {
  uint32_t role = 0;  // TENON_PART_*
  uint32_t flags = 0;
  std::string name, doc, type, shape;
  std::vector<std::string> dtypes;
  tenon_status status = TENON_OK;
  double initial = 0;
};

struct EntryFacts {
  std::string kind, name, doc, plugin, schema;
  uint32_t flags = 0;
  uint32_t revision = 0;
  uint32_t min_inputs = 0, max_inputs = 0, n_outputs = 0;
  std::vector<EntryOption> options;
  std::vector<EntryPart> parts;

  std::vector<EntryPart> of_role(uint32_t role) const;
  // A layer that is a container.
  bool takes_children() const;
};

// Sorted. Throws Failure.
std::vector<std::string> names_of_kind(const Session& session, const std::string& kind);
// An empty kind is whichever has the name. Throws Failure.
EntryFacts facts_of_entry(const Session& session, const std::string& kind, const std::string& name);
// Adds the samples of an op or an optimizer, which are asked for apart.
void add_samples(const Session& session, EntryFacts& facts);
// The kinds that have the name.
std::vector<std::string> kinds_with(const Session& session, const std::string& name);

// The shortest text that is this number.
std::string number_text(double number);
// "an optimizer", "a layer"
std::string with_article(const std::string& noun);

// How a program makes one of it, or calls it: a line of C and one of Python; the latter is empty
// for a kind that Python does not know.
std::string call_in_c(const EntryFacts& entry);
std::string call_in_python(const EntryFacts& entry);

}  // namespace tenon::tools
