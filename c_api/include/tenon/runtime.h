// SPDX-License-Identifier: Apache-2.0
// tenon/runtime.h: the library itself, texts it returns, and the runtime: which plugins there are,
// which of them may be used, and what memory they hold. The conventions are those of tenon/tenon.h.
#ifndef TENON_RUNTIME_H
#define TENON_RUNTIME_H

#include <tenon/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- Library, texts -----------------------------------------------------------------------------

// The library's version and ABI draft; any pointer may be NULL. Never fails.
TENON_EXPORT void tenon_version_get(uint32_t* out_major, uint32_t* out_minor, uint32_t* out_patch,
                                    uint32_t* out_draft);

// The name of a status, "TENON_E_SHAPE"; a static string, never NULL.
TENON_EXPORT const char* tenon_status_get_name(tenon_status status);

// Bytes and length of a text, zero-terminated; borrowed until its release.
TENON_EXPORT tenon_status tenon_text_get(const tenon_text* text, const char** out_data,
                                         uint64_t* out_length);
TENON_EXPORT void tenon_text_release(tenon_text* text);

// ---- Runtime ------------------------------------------------------------------------------------

#define TENON_POLICY_OWNED 0u  // refuse plugins that others than root and the user could change
#define TENON_POLICY_ANY 1u
// Only libraries whose sha256 the lock file `allowlist` states, written by `tenon plugin lock`. The
// bytes that were hashed are the bytes that run: they are copied to sealed memory first.
#define TENON_POLICY_ALLOWLIST 2u

#define TENON_RUNTIME_NO_DEFAULT_PATHS 1u  // only `paths` are searched
#define TENON_RUNTIME_NO_ENVIRONMENT 2u    // TENON_* variables are not read

// All zero is a good default.
typedef struct tenon_runtime_options {
  uint32_t struct_size;
  uint32_t flags;  // TENON_RUNTIME_*
  // Folders that hold plugin folders; searched first, in order. Then come TENON_PLUGIN_PATH, the
  // user's and the system's folder, and the `plugins` folder beside libtenon.
  const tenon_string* paths;
  uint32_t n_paths;
  uint32_t policy;  // TENON_POLICY_*
  int32_t threads;  // compute threads; 0: as many as the process may use
  uint32_t n_exclude;
  const tenon_string* exclude;  // ids of plugins to leave out
  uint64_t memory_limit;        // bytes per device; 0: none
  // Check modes, comma separated, added to TENON_CHECK: layout finite threads launch handles plan.
  tenon_string check;
  tenon_string allowlist;  // TENON_POLICY_ALLOWLIST: path of the lock file
} tenon_runtime_options;

// Creates a runtime: finds plugins by reading their manifests and opens none of them.
// options  may be NULL
// diag     receives the message of a failure; may be NULL
// errors   TENON_E_ARGUMENT, TENON_E_MEMORY; a broken plugin is not an error here, see the report
TENON_EXPORT tenon_status tenon_runtime_create(const tenon_runtime_options* options,
                                               tenon_diag* diag, tenon_runtime** out_runtime);

// Closes the runtime: its contexts must no longer be used, its tensors stay readable through
// contexts no more, and its memory goes when the last object does.
TENON_EXPORT void tenon_runtime_release(tenon_runtime* runtime);

// What the runtime knows, as JSON. Topics:
//   "plugins"     each plugin found: id, folder, state, why it was refused, what it lists
//   "kinds"       each kind of entry that tenon/kinds.h lists: its noun, topic and interface
//   "devices"     each device kind: indices, roles, can it do autograd, why not
//   "ops"         each op: schema and what it says as data, documentation, flags, kernels, backward
//                 rule and what that needs; "ops/vendor.op" is that op alone, in its newest
//                 revision, and "ops/vendor.op@1" in another; of other plugins it tells what those
//                 that are open have
//   "optimizers"  "schedules"  "datasets"  "formats"  "layers"  "transforms"  "tokenizers"
//   "collectives" a topic for each kind of entry
//   "samples"  "tolerances"  "optimizer_samples"  what plugins say to test themselves with
//   "paths"       the folders searched, in order, and what was wrong with each
//   "hashes"      sha256 of each plugin's library as it is now on disk
//   "stats"       live objects, memory per device, launches
//   "environment" threads, check modes, CPU limits
//   "log"         the newest lines plugins have logged
// All but "plugins", "kinds", "paths", "hashes", "stats", "environment" and "log" open every
// permitted plugin.
// errors   TENON_E_NOT_FOUND (lists the topics)
TENON_EXPORT tenon_status tenon_runtime_query(tenon_context* context, const char* topic,
                                              uint64_t topic_length, tenon_text** out_json);

// Prefers kernels of `plugin` for `op` (empty: for all ops) in this runtime, whatever their
// priority and arithmetic; an empty `plugin` removes the pin. The word "composition" in
// place of a plugin prefers an op's composition in other ops, if it has one, to all kernels.
// errors   TENON_E_NOT_FOUND if no such plugin was found, TENON_E_PLUGIN if it cannot be used
TENON_EXPORT tenon_status tenon_runtime_set_pin(tenon_context* context, const char* op,
                                                uint64_t op_length, const char* plugin,
                                                uint64_t plugin_length);

// Takes a plugin out of use in this runtime, for good: nothing of it is found, chosen or called
// again. Waits until the calls that are running in other contexts have returned and devices have
// finished, then drops its prepared kernel objects. What it made lives on: tensors keep their data,
// and memory of its devices is given back to it. Calls that need it fail with TENON_E_PLUGIN; if
// another plugin offers a kernel or rule too, that takes over. The library stays mapped. A second
// time changes nothing.
// errors   TENON_E_NOT_FOUND, TENON_E_CAPTURE (while this context captures), TENON_E_INTERRUPTED
//          (out of use, but calls may still be running inside)
TENON_EXPORT tenon_status tenon_plugin_deactivate(tenon_context* context, const char* id,
                                                  uint64_t id_length);

// Adds a plugin that is part of the program: `query` does what the function of that name does in a
// plugin's library (tenon/plugin.h), so that ops, gradients, kernels and the rest can be defined
// without a file. All of it is registered or, on an error, none of it. Its code must stay where it
// is until the runtime is gone; `deactivate` takes it out of use as any other. No policy applies.
// errors   TENON_E_PLUGIN (the message says what is wrong; also if another plugin has a name of its
//          already), TENON_E_CAPTURE
struct tenon_host;
struct tenon_plugin;
TENON_EXPORT tenon_status tenon_plugin_load(tenon_context* context,
                                            tenon_status (*query)(const struct tenon_host* host,
                                                                  struct tenon_plugin* out,
                                                                  tenon_diag* diag));

// How many compute threads parallel work of this runtime may use from now on, the calling one
// included; 0: as many as the process may use. What is running goes on with those it has. Results
// have the same bits for any number. The topic "environment" says how many there are.
// errors   TENON_E_ARGUMENT (negative, or more than both the process may use and the runtime was
//          created with)
TENON_EXPORT tenon_status tenon_runtime_set_threads(tenon_context* context, int32_t threads);

// Bytes of memory each device of this runtime may hold; 0: no limit.
TENON_EXPORT tenon_status tenon_runtime_set_memory_limit(tenon_context* context, uint64_t bytes);

typedef struct tenon_stats {
  uint32_t struct_size;
  uint32_t flags;
  int64_t tensors;          // live tensor handles of this runtime
  int64_t storages;         // live storages
  int64_t nodes;            // live graph nodes of this context
  int64_t plans;            // live plans
  uint64_t bytes_live;      // all devices
  uint64_t bytes_peak;      // highest bytes_live
  uint64_t bytes_reserved;  // held from backends
  uint64_t allocations;     // storages allocated so far
  uint64_t launches;        // kernels launched so far by this context
} tenon_stats;

// Finishes pending releases of this context's graph, then counts.
TENON_EXPORT tenon_status tenon_runtime_get_stats(tenon_context* context, tenon_stats* out_stats);

#ifdef __cplusplus
}
#endif

#endif  // TENON_RUNTIME_H
