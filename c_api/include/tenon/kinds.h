// SPDX-License-Identifier: Apache-2.0
// tenon/kinds.h: the kinds of entries that a plugin registers by name and a program makes by name:
// optimizers, datasets, and what comes.
//
// One list, appended to only. What follows from it, for every kind alike: the interface
// "tenon.<plural>/1" through which a plugin hands its table out; the field "<plural>" of
// plugin.json; the topic "<plural>" of tenon_runtime_query; that a plugin is opened when one of its
// entries is first asked for; that an entry goes when its plugin is deactivated; and the
// registration of the SDKs. A new kind is a line here, a header with its descriptor, and a folder
// with plugins of it.
//
// Ops, kernels and backward rules are not in the list: calls are made of them, entries are not.
#ifndef TENON_KINDS_H
#define TENON_KINDS_H

#include <tenon/ext/draft/collectives.h>
#include <tenon/ext/draft/datasets.h>
#include <tenon/ext/draft/formats.h>
#include <tenon/ext/draft/layers.h>
#include <tenon/ext/draft/schedules.h>
#include <tenon/ext/draft/tokenizers.h>
#include <tenon/ext/draft/transforms.h>
#include <tenon/plugin/optimizers.h>
#include <tenon/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// X(noun, plural) for each kind. Its descriptor is `tenon_<noun>_desc`, which begins as
// tenon_entry_desc does; its table is `tenon_<plural>_table`, with the members of
// tenon_entries_table; its interface is "tenon.<plural>/1".
#define TENON_KINDS(X)     \
  X(optimizer, optimizers) \
  X(schedule, schedules)   \
  X(dataset, datasets)     \
  X(layer, layers)         \
  X(format, formats)       \
  X(transform, transforms) \
  X(tokenizer, tokenizers) \
  X(collective, collectives)

// What the descriptor of every kind begins with. Frozen.
typedef struct tenon_entry_desc {
  uint32_t struct_size;  // of the whole descriptor
  uint32_t flags;
  tenon_string name;  // "vendor.name"
  tenon_string doc;   // Markdown
} tenon_entry_desc;

// What the table of every kind is. Frozen.
typedef struct tenon_entries_table {
  uint32_t struct_size;
  uint32_t count;
  const tenon_entry_desc* const* descs;  // [count]
} tenon_entries_table;

#ifdef __cplusplus
}
#endif

#endif  // TENON_KINDS_H
