// SPDX-License-Identifier: Apache-2.0
// tenon/tenon.h: Tenon for programs: everything libtenon exports, except what is still a draft
// (tenon/ext/draft/).
//
// Conventions of every function here, stated once:
//  status   Calls that can fail return a tenon_status; results come last (`out_...`) and are
//           written only on success. A failing call changes nothing and stores a record in the
//           context that tenon_context_get_error reads. Every function that takes handles can
//           return TENON_E_HANDLE (NULL, released, wrong kind), TENON_E_ARGUMENT (NULL pointer, bad
//           number), TENON_E_RUNTIME (operands of another runtime), TENON_E_MEMORY and
//           TENON_E_INTERRUPTED; comments list the others.
//  memory   Arguments are borrowed until the call returns. What `create`, `call` and `retain`
//           return is owned by the caller and given back with the type's `release`; what `get` and
//           `find` return is borrowed from the object asked.
//  threads  A context is used by one thread at a time, a runtime by any. `release` is legal on any
//           thread, with NULL, and never fails.
//  state    May not be called from a plugin's callback (plugins have tenon_host); a callback that
//           does so anyway gets TENON_E_STATE.
//  since    0.1 (draft), all of it.
#ifndef TENON_TENON_H
#define TENON_TENON_H

#include <tenon/context.h>
#include <tenon/gradients.h>
#include <tenon/ops.h>
#include <tenon/runtime.h>
#include <tenon/tensors.h>
#include <tenon/training.h>
#include <tenon/types.h>

#endif  // TENON_TENON_H
