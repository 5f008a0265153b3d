// SPDX-License-Identifier: Apache-2.0
// tenon/ext/draft/groups.h: optimizers whose parameters come in groups, each with hyper-parameters
// of its own; for programs; draft. The conventions are those of tenon/tenon.h.
//
//   tenon_optimizer_group body = {sizeof body, 0, body_params, body_names, body_values, n, 1};
//   tenon_optimizer_group head = {sizeof head, 0, head_params, NULL, NULL, m, 0};
//   const tenon_optimizer_group* const groups[] = {&body, &head};
//   tenon_optimizer_create_groups(context, "tenon.adamw", TENON_NUL, groups, 2, names, values,
//                                 n_values, &optimizer);
//
// It is an optimizer like any other one: it makes the steps, to the bit, that one optimizer for
// each group would make, in one launch for all parameters whose hyper-parameters, device and dtype
// are equal. Its parameters count from 0 through all groups, for tenon_optimizer_get_state and
// tenon_optimizer_set_state. tenon_optimizer_set sets a hyper-parameter in every group;
// tenon_optimizer_get gives one that is the same in all of them, else it is TENON_E_STATE. What
// tenon_optimizer_create makes has one group, with number 0.
//
// A parameter that does not require a gradient (tenon_tensor_set_requires_grad) is frozen: a step
// leaves it and its state alone, whatever gradient it has, and once it requires a gradient again
// the next step takes it. A captured step takes those that were not frozen when it was captured.
#ifndef TENON_EXT_DRAFT_GROUPS_H
#define TENON_EXT_DRAFT_GROUPS_H

#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

// Parameters that share their hyper-parameters. Borrowed for the call that takes it.
typedef struct tenon_optimizer_group {
  uint32_t struct_size;
  uint32_t flags;               // 0
  tenon_tensor* const* params;  // [n_params] leaves, at least one; frozen ones too
  const tenon_string* names;    // [n_values] hyper-parameters that this group has otherwise
  const tenon_value* values;    // [n_values]
  uint32_t n_params;
  uint32_t n_values;
} tenon_optimizer_group;

// Creates an optimizer over the parameters of all groups.
// groups   [n_groups], at least one
// names, values  [n_values] hyper-parameters of every group that does not give its own, where they
//          differ from the defaults
// memory   holds the parameters; *out_optimizer is the caller's; tenon_optimizer_release
// threads  [one thread per context]          state  [any]
// errors   TENON_E_NOT_FOUND (no such optimizer), TENON_E_ATTRIBUTE (a hyper-parameter that is
//          unknown, of the wrong type or out of range: names the group), TENON_E_GRAD (a parameter
//          that is not a leaf, or of a dtype without gradients), TENON_E_ARGUMENT (no groups, a
//          group without parameters, a parameter twice, unknown flags, a group from a newer
//          header with something set that is not known here)
// since    draft 2
TENON_EXPORT tenon_status tenon_optimizer_create_groups(
    tenon_context* context, const char* name, uint64_t name_length,
    const tenon_optimizer_group* const* groups, uint32_t n_groups, const tenon_string* names,
    const tenon_value* values, uint32_t n_values, tenon_optimizer** out_optimizer);

// A hyper-parameter of one group, by name: tenon_optimizer_set and tenon_optimizer_get for group
// number `group`. A plan follows the dynamic ones of each group between its runs; where a fixed one
// of any group was another when it was captured, it refuses to run and says which.
// threads  [one thread per context]          state  [any; a fixed one: any but capture]
// errors   TENON_E_NOT_FOUND (no such group), TENON_E_ATTRIBUTE, TENON_E_CAPTURE
// since    draft 2
TENON_EXPORT tenon_status tenon_optimizer_set_group(tenon_context* context,
                                                    tenon_optimizer* optimizer, uint32_t group,
                                                    const char* name, uint64_t name_length,
                                                    const tenon_value* value);
TENON_EXPORT tenon_status tenon_optimizer_get_group(tenon_context* context,
                                                    tenon_optimizer* optimizer, uint32_t group,
                                                    const char* name, uint64_t name_length,
                                                    tenon_value* out_value);

#ifdef __cplusplus
}
#endif

#endif  // TENON_EXT_DRAFT_GROUPS_H
