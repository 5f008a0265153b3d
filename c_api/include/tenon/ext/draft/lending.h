// SPDX-License-Identifier: Apache-2.0
// tenon/ext/draft/lending.h: draft: rules that are written with the program's own functions.
//
// A binding of a language offers its users ops that they write in that language. What they write
// calls tenon.h, as everything there does, and not a tenon_call: here a rule is lent its context.
//
// A draft: outside the ABI's promise until it is moved to plugin.h (values and ids will not
// change).
#ifndef TENON_EXT_DRAFT_LENDING_H
#define TENON_EXT_DRAFT_LENDING_H

#include <tenon/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

// What the context is lent to. Its status is that of the call of `lend`.
typedef tenon_status (*tenon_lent_fn)(tenon_context* context, void* user);

// What a host of this draft answers to get_interface(host, TENON_HOST_LENDING, ...); an older one
// answers NULL.
#define TENON_HOST_LENDING "tenon.host.lending/1"
typedef struct tenon_host_lending {
  uint32_t struct_size;
  uint32_t flags;  // 0
  // Calls use(context, user) with the context that the rule runs in. `use` may call the functions
  // of tenon.h with it, in its thread, as a tenon_function_fn may: captures, deactivation, and the
  // release of context and runtime are TENON_E_STATE, and gradient modes, checks and scopes that
  // it leaves open are ended for it. What it computes is recorded, captured and traced as what the
  // rule computes through its tenon_call; tensors it makes are its own, to release.
  // state    [vjp, compose]
  // errors   what `use` returned, with the words of the call that failed inside, if one did
  tenon_status (*lend)(tenon_call* call, tenon_lent_fn use, void* user);
} tenon_host_lending;

#ifdef __cplusplus
}
#endif

#endif  // TENON_EXT_DRAFT_LENDING_H
