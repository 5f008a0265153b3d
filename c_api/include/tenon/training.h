// SPDX-License-Identifier: Apache-2.0
// tenon/training.h: optimizers and datasets. The conventions are those of tenon/tenon.h.
#ifndef TENON_TRAINING_H
#define TENON_TRAINING_H

#include <tenon/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- Optimizers ---------------------------------------------------------------------------------

// Creates an optimizer over params[n_params], leaves that require grad, all on one runtime.
// names, values  hyper-parameters that differ from their defaults
// errors   TENON_E_NOT_FOUND, TENON_E_ATTRIBUTE (unknown, wrong type, out of range), TENON_E_GRAD
TENON_EXPORT tenon_status tenon_optimizer_create(tenon_context* context, const char* name,
                                                 uint64_t name_length, tenon_tensor* const* params,
                                                 uint32_t n_params, const tenon_string* names,
                                                 const tenon_value* values, uint32_t n_values,
                                                 tenon_optimizer** out_optimizer);
TENON_EXPORT void tenon_optimizer_release(tenon_optimizer* optimizer);

// One step: updates every parameter that requires a gradient just now and has one. Nothing is
// recorded for backward.
#define TENON_OPTIMIZER_CLEAR_GRAD 1u  // afterwards drop the gradients
TENON_EXPORT tenon_status tenon_optimizer_run(tenon_context* context, tenon_optimizer* optimizer,
                                              uint32_t flags);

// A hyper-parameter by name. Dynamic ones (the learning rate) may change at any time, also between
// runs of a captured plan; others only while nothing is captured, and a plan that was captured with
// another value then refuses to run. It is set in all groups of parameters, if there are groups
// (tenon/ext/draft/groups.h).
// errors   TENON_E_ATTRIBUTE; of get TENON_E_STATE too, if it is not the same in all groups
TENON_EXPORT tenon_status tenon_optimizer_set(tenon_context* context, tenon_optimizer* optimizer,
                                              const char* name, uint64_t name_length,
                                              const tenon_value* value);
TENON_EXPORT tenon_status tenon_optimizer_get(tenon_context* context, tenon_optimizer* optimizer,
                                              const char* name, uint64_t name_length,
                                              tenon_value* out_value);

// The state tensor `name` of parameter `index`, borrowed; NULL before the parameter's first step.
// errors   TENON_E_NOT_FOUND
TENON_EXPORT tenon_status tenon_optimizer_get_state(tenon_context* context,
                                                    tenon_optimizer* optimizer, uint32_t index,
                                                    const char* name, uint64_t name_length,
                                                    tenon_tensor** out_state);

// ---- Data ---------------------------------------------------------------------------------------

// Opens a dataset by its registered name, with named options.
// errors   TENON_E_NOT_FOUND, TENON_E_ATTRIBUTE, TENON_E_IO, TENON_E_DATA
TENON_EXPORT tenon_status tenon_dataset_create(tenon_context* context, const char* name,
                                               uint64_t name_length, const tenon_string* names,
                                               const tenon_value* values, uint32_t n_values,
                                               tenon_dataset** out_dataset);
TENON_EXPORT void tenon_dataset_release(tenon_dataset* dataset);
TENON_EXPORT tenon_status tenon_dataset_get_length(tenon_context* context, tenon_dataset* dataset,
                                                   int64_t* out_length);

// Shape and dtype of one sample of field `index`, and its name (borrowed); any out may be NULL.
// errors   TENON_E_NOT_FOUND past the last field
TENON_EXPORT tenon_status tenon_dataset_get_field(tenon_context* context, tenon_dataset* dataset,
                                                  uint32_t index, tenon_meta* out_sample,
                                                  const char** out_name);

// Samples indices[n] as tensors [n, ...] in host memory, one per field; n_fields must be all. Of a
// dataset that draws random numbers these are the samples of epoch 0 of a loader with the context's
// seed: asked for again they are the same, and the context's own numbers go on as if nothing was.
// errors   TENON_E_ARGUMENT (names the first index out of range), TENON_E_DATA, TENON_E_IO
TENON_EXPORT tenon_status tenon_dataset_call(tenon_context* context, tenon_dataset* dataset,
                                             const int64_t* indices, int64_t n,
                                             tenon_tensor** out_fields, uint32_t n_fields);

#ifdef __cplusplus
}
#endif

#endif  // TENON_TRAINING_H
