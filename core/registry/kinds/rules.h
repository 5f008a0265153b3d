// SPDX-License-Identifier: Apache-2.0
// core/registry/kinds/rules.h: what some kinds of entries check and tell beyond what all have in
// common. A kind without a line here has a name and a documentation, and no flags.
#pragma once

#include <tenon/kinds.h>

#include <cstddef>
#include <functional>
#include <string_view>

#include "core/json/writer.h"

namespace tenon::registry {

class What;
struct Schema;

// What the check of an entry may ask.
struct Checking {
  const What& what;  // "schedule acme.cosine"
  // The newest schema of an op, of those registered and of the plugin's own; NULL: not known.
  std::function<const Schema*(std::string_view)> schema_of;
};

// How long a descriptor was before members were appended to it: those that are missing read as
// zero. A kind without a line here has had all its members from the first.
constexpr uint32_t least_bytes(const tenon_dataset_desc*) {
  return offsetof(tenon_dataset_desc, lengths);
}

// Throw as checks.h says.
void check(const tenon_optimizer_desc& desc, const Checking& checking);
void check(const tenon_schedule_desc& desc, const Checking& checking);
void check(const tenon_dataset_desc& desc, const Checking& checking);
void check(const tenon_layer_desc& desc, const Checking& checking);
void check(const tenon_format_desc& desc, const Checking& checking);
void check(const tenon_transform_desc& desc, const Checking& checking);
void check(const tenon_tokenizer_desc& desc, const Checking& checking);
void check(const tenon_collective_desc& desc, const Checking& checking);

void write(json::Writer& out, const tenon_optimizer_desc& desc);
void write(json::Writer& out, const tenon_schedule_desc& desc);
void write(json::Writer& out, const tenon_dataset_desc& desc);
void write(json::Writer& out, const tenon_layer_desc& desc);
void write(json::Writer& out, const tenon_format_desc& desc);
void write(json::Writer& out, const tenon_transform_desc& desc);
void write(json::Writer& out, const tenon_tokenizer_desc& desc);
void write(json::Writer& out, const tenon_collective_desc& desc);

}  // namespace tenon::registry
