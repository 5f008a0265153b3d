// SPDX-License-Identifier: Apache-2.0
// tenon/ext/draft/training.h: draft: what programs need to resume a training run. The conventions
// are those of tenon/tenon.h.
//
// A draft: outside the ABI's promise until it is moved to tenon.h (names will not change).
#ifndef TENON_EXT_DRAFT_TRAINING_H
#define TENON_EXT_DRAFT_TRAINING_H

#include <tenon/tenon.h>

#ifdef __cplusplus
extern "C" {
#endif

// Replaces the values of state `name` of parameter `index` by those of `tensor`, as for a run that
// goes on from saved state. If the parameter has made no step yet, all of its state is made
// first, with its initial values: a run resumes as it was once every state is set that
// tenon_optimizer_get_state gave when it was saved. The runtime query "optimizers" names the states
// of every optimizer.
// shapes   of the state: the parameter's, or none for a scalar
// dtypes   of the state: the stated one, else the parameter's
// memory   copied, from any layout and device; `tensor` is borrowed for the call. State tensors
//          that were borrowed before, and plans that hold them, see the new values
// threads  [one thread per context]          state  [any but capture]
// errors   TENON_E_NOT_FOUND (no such parameter or state), TENON_E_SHAPE, TENON_E_DTYPE,
//          TENON_E_CAPTURE, TENON_E_HANDLE, TENON_E_RUNTIME; on error nothing is changed
// since    draft 1
TENON_EXPORT tenon_status tenon_optimizer_set_state(tenon_context* context,
                                                    tenon_optimizer* optimizer, uint32_t index,
                                                    const char* name, uint64_t name_length,
                                                    tenon_tensor* tensor);

#ifdef __cplusplus
}
#endif

#endif  // TENON_EXT_DRAFT_TRAINING_H
