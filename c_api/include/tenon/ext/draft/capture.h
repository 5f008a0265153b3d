// SPDX-License-Identifier: Apache-2.0
// tenon/ext/draft/capture.h: draft interface "tenon.backend.capture/1": a device that records what
// is enqueued and repeats it at the cost of one launch (a CUDA graph).
//
// A draft: outside the ABI's promise until it is moved to plugin.h (its id will not change).
//
// Tenon asks for it on the side of the backend: a captured plan (tenon_capture_begin) whose
// launches all lie on one such device is recorded when it runs a second time with the same
// addresses, and from then on run as what was recorded. A backend that cannot record some step says
// so from `end`, and Tenon goes on launch by launch.
#ifndef TENON_EXT_DRAFT_CAPTURE_H
#define TENON_EXT_DRAFT_CAPTURE_H

#include <tenon/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_INTERFACE_BACKEND_CAPTURE "tenon.backend.capture/1"

// Optional. `self` and `index` as in tenon_backend_table; `stream` is one that it made. No slot is
// NULL. Callable from any thread; between begin and end only one thread uses the stream.
typedef struct tenon_backend_capture_table {
  uint32_t struct_size;
  uint32_t flags;  // 0
  // What this thread enqueues on `stream` from now on is recorded instead of run.
  tenon_status (*begin)(void* self, int32_t index, void* stream);
  // Ends recording, also after one of the enqueued pieces failed. *out_graph is the caller's, until
  // `release`. On failure, told in `diag`, nothing was recorded and the stream works again.
  tenon_status (*end)(void* self, int32_t index, void* stream, void** out_graph, tenon_diag* diag);
  // Enqueues all of it on `stream`.
  tenon_status (*run)(void* self, int32_t index, void* stream, void* graph);
  // Tenon has waited for all runs.
  void (*release)(void* self, int32_t index, void* graph);
} tenon_backend_capture_table;

#ifdef __cplusplus
}
#endif

#endif  // TENON_EXT_DRAFT_CAPTURE_H
