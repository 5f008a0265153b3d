// SPDX-License-Identifier: Apache-2.0
// tenon/ext/draft/entries.h: draft: what there is, as data that no program has to parse: the names
// of each kind, and of each entry its documentation, options and parts. The conventions are those
// of tenon/tenon.h.
//
// One shape for all kinds, those of tenon/kinds.h and ops: an entry has options, which are given
// when it is made or called, and parts, each of which plays a role. A later Tenon may know further
// kinds and roles: a program passes over those that it does not know.
//
// What exists only for an object is asked of the object: the fields of a dataset
// (tenon_dataset_get_field), the tensors of a layer and all that are in it
// (tenon_layer_get_tensor). Which kernel a call would run is asked with tenon_op_explain, and what
// else there is to know with tenon_runtime_query.
//
// memory   Everything that these functions give, strings and lists alike, is borrowed from the
//          runtime: it stays as it is, where it is, until tenon_runtime_release, also when the
//          plugin is deactivated. Strings are not zero-terminated.
// threads  [one thread per context]          state  [any]
//
// A draft: outside the ABI's promise until it is moved to tenon.h (names will not change).
#ifndef TENON_EXT_DRAFT_ENTRIES_H
#define TENON_EXT_DRAFT_ENTRIES_H

#include <tenon/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// The names of a kind, sorted; an op of several revisions stands there once. Opens the plugins that
// list such entries.
// kind       "optimizer" or "optimizers", as tenon/kinds.h has it; "op"; or "kind": the kinds
// out_names  [capacity], filled as far as they go; may be NULL if capacity is 0
// out_count  how many there are, whatever the capacity
// errors     TENON_E_NOT_FOUND (no such kind: lists them, and says which is nearest)
// since      0.1 (draft 2), as all in this header
TENON_EXPORT tenon_status tenon_kind_get_names(tenon_context* context, const char* kind,
                                               uint64_t kind_length, uint32_t capacity,
                                               tenon_string* out_names, uint32_t* out_count);

typedef struct tenon_entry_info {
  uint32_t struct_size;
  uint32_t flags;       // its descriptor's: TENON_OP_*, TENON_LAYER_CONTAINER, ...
  tenon_string kind;    // "optimizer", "op"
  tenon_string name;    // "tenon.adam"
  tenon_string doc;     // Markdown
  tenon_string plugin;  // its id
  tenon_string schema;  // of an op; else empty
  uint32_t revision;    // of an op; else 0
  uint32_t n_options;
  uint32_t n_parts;
  uint32_t min_inputs;  // of a call of an op or a layer, a list counting as one; else 0
  uint32_t max_inputs;
  uint32_t n_outputs;
} tenon_entry_info;

// What an entry is. Opens the plugin that lists it and no other.
// kind     as above; empty: whichever kind has the name
// name     "vendor.name"; of an op also "vendor.op@2", that revision
// errors   TENON_E_NOT_FOUND (no such kind or entry: the hint is the nearest name, of all kinds if
//          `kind` is empty), TENON_E_PLUGIN (refused or deactivated), TENON_E_ARGUMENT (several
//          kinds have the name: names them)
TENON_EXPORT tenon_status tenon_entry_get_info(tenon_context* context, const char* kind,
                                               uint64_t kind_length, const char* name,
                                               uint64_t name_length, tenon_entry_info* out_info);

#define TENON_OPTION_REQUIRED 1u  // must be given
#define TENON_OPTION_NULLABLE 2u  // an attribute for which NONE is a value, too
#define TENON_OPTION_DYNAMIC 4u   // a hyper-parameter that may change between runs of a plan
#define TENON_OPTION_NUMBER 8u    // an I64 or a BOOL is taken as it is, beside `tag`

// An option, hyper-parameter or attribute.
typedef struct tenon_entry_option {
  uint32_t struct_size;
  uint32_t flags;  // TENON_OPTION_*
  tenon_string name;
  tenon_string doc;     // of an attribute empty: the op's documentation tells of it
  uint32_t tag;         // TENON_VALUE_*
  uint32_t count;       // numbers in a list: exactly so many; 0: any number
  tenon_value initial;  // the default; NONE: there is none, or none is the default
  double minimum;       // of a number, and of each number in a list, ends included;
  double maximum;       // -infinity and infinity unless a hyper-parameter says otherwise
} tenon_entry_option;

// Option `index`, in the order of the descriptor or schema; kind and name as above.
// errors   those of tenon_entry_get_info, and TENON_E_NOT_FOUND past the last
TENON_EXPORT tenon_status tenon_entry_get_option(tenon_context* context, const char* kind,
                                                 uint64_t kind_length, const char* name,
                                                 uint64_t name_length, uint32_t index,
                                                 tenon_entry_option* out_option);

// Roles of parts, and which members beside `name` say something.
#define TENON_PART_INPUT 0u     // of an op: type, shape, dtypes
#define TENON_PART_OUTPUT 1u    // of an op: the same; the name may be empty
#define TENON_PART_VARIABLE 2u  // a type variable of an op: dtypes
#define TENON_PART_STATE 3u     // of an optimizer or a schedule: doc, type, shape, policy, initial
#define TENON_PART_STEP_OP 4u   // the op that makes an optimizer's step
#define TENON_PART_ROWS_OP 5u   // the one for gradients that are rows
#define TENON_PART_ENDING 6u    // of names of files, ".npz"
// What the entry is tested with: of a layer and a transform a call in the grammar sample/1
// (docs/schema.md), of others what the kind's header says. `status` must come of it, and `doc`,
// unless that is TENON_OK, is a part of the message. Samples of ops and optimizers are the topics
// "samples" and "optimizer_samples" of tenon_runtime_query: other plugins add to them.
#define TENON_PART_SAMPLE 7u

#define TENON_PART_LIST 1u       // an input of zero or more tensors
#define TENON_PART_OPTIONAL 2u   // an input that may be absent
#define TENON_PART_MUTATED 4u    // an input that is read and written
#define TENON_PART_AUX 8u        // an output for the backward rule alone
#define TENON_PART_PROMOTES 16u  // a variable: inputs are cast to their common dtype

typedef struct tenon_entry_part {
  uint32_t struct_size;
  uint32_t flags;   // TENON_PART_LIST, ...
  uint32_t role;    // TENON_PART_INPUT, ...
  uint32_t policy;  // of a state's shape: TENON_STATE_*
  tenon_string name;
  tenon_string doc;
  tenon_string type;          // a variable's name, or a dtype; of a state also "like parameter"
  tenon_string shape;         // "[N,...]", "scalar", "like parameter"; empty: nothing is said
  const tenon_dtype* dtypes;  // [n_dtypes] which may be; none for a state like its parameter
  uint32_t n_dtypes;
  tenon_status status;  // of a sample
  double initial;       // of a state
} tenon_entry_part;

// Part `index`; kind and name as above.
// errors   those of tenon_entry_get_info, and TENON_E_NOT_FOUND past the last
TENON_EXPORT tenon_status tenon_entry_get_part(tenon_context* context, const char* kind,
                                               uint64_t kind_length, const char* name,
                                               uint64_t name_length, uint32_t index,
                                               tenon_entry_part* out_part);

struct tenon_layer;

// Layer `index` of all that are in a layer (tenon/ext/draft/layers.h), each before those in it.
// Either out may be NULL.
// name     "0.1", what the names of its tensors begin with; zero-terminated, borrowed until
// children
//          are added somewhere below
// entry    "tenon.linear": what it was made as
// errors   TENON_E_NOT_FOUND past the last
TENON_EXPORT tenon_status tenon_layer_get_child(tenon_context* context, struct tenon_layer* layer,
                                                uint32_t index, const char** out_name,
                                                tenon_string* out_entry);

#ifdef __cplusplus
}
#endif

#endif  // TENON_EXT_DRAFT_ENTRIES_H
