// SPDX-License-Identifier: Apache-2.0
// tenon/plugin/call.h: what every callback of a plugin receives: the call, and the operands of a
// launch. The conventions are those of tenon/plugin.h.
#ifndef TENON_PLUGIN_CALL_H
#define TENON_PLUGIN_CALL_H

#include <tenon/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// One callback's window to the host, owned by the host. The host keeps more after these members.
// Every table pointer is set in every state; a function called in a state that its table does not
// allow returns TENON_E_STATE (or does nothing, if it returns no status). Frozen.
typedef struct tenon_call {
  const struct tenon_host* host;
  void* self;                                  // what the plugin's `init` stored
  const struct tenon_host_call* base;          // "tenon.host.call/1"
  const struct tenon_host_dispatch* dispatch;  // "tenon.host.dispatch/1"
  const struct tenon_host_vjp* vjp;            // "tenon.host.vjp/1"
  const struct tenon_host_memory* memory;      // "tenon.host.memory/1"
  const struct tenon_host_threads* threads;    // "tenon.host.threads/1"
  const struct tenon_host_rng* rng;            // "tenon.host.rng/1"
} tenon_call;

// ---- Launch block -------------------------------------------------------------------------------

// One call's operands, self-contained and immutable. Frozen. Slots are the schema's inputs, then
// its outputs. Slot s has the views slot_begin[s] .. slot_begin[s+1]-1: one; none for an absent
// optional input or an unwanted aux output; n for a list. In `infer`, `view`, `random_words`,
// `prepare`, `workspace` and `predicate` every data pointer is NULL except that of views flagged
// TENON_VIEW_HOST_SCALAR; in `infer` and `view` the output slots are empty.
typedef struct tenon_launch {
  const uint32_t* slot_begin;  // [n_slots + 1]
  const tenon_view* views;
  const tenon_value* attrs;  // [n_attrs], defaults filled in; NONE if optional and not given
  void* prepared;            // what `prepare` made, or NULL
  void* user;                // the descriptor's `user`
  uint32_t n_slots;
  uint32_t n_inputs;  // slots that are inputs
  uint32_t n_attrs;
  uint32_t flags;  // 0
} tenon_launch;

#ifdef __cplusplus
}
#endif

#endif  // TENON_PLUGIN_CALL_H
