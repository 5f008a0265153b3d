// SPDX-License-Identifier: Apache-2.0
// tenon/plugin/backend.h: interface "tenon.backend/1": a kind of device: its memory, streams and
// events. The conventions are those of tenon/plugin.h.
#ifndef TENON_PLUGIN_BACKEND_H
#define TENON_PLUGIN_BACKEND_H

#include <tenon/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TENON_BACKEND_HOST_MEMORY \
  1u  // the host may read and write this device's memory, and all
      // work has finished when a callback returns

#define TENON_COPY_TO_DEVICE 0u
#define TENON_COPY_TO_HOST 1u
#define TENON_COPY_ON_DEVICE 2u

// One device kind. `self` is the plugin's; `index` counts devices of this kind from 0; a NULL
// stream is the device's default stream. No slot is NULL. Callable from any thread.
typedef struct tenon_backend_table {
  uint32_t struct_size;
  uint32_t flags;     // TENON_BACKEND_*
  tenon_string kind;  // "cpu"
  tenon_string doc;
  // Number of usable devices; 0 with words in `diag` says why there is none.
  tenon_status (*device_count)(void* self, int32_t* out_count, tenon_diag* diag);
  // Raw memory, aligned to 64 bytes. TENON_E_MEMORY if there is none left.
  tenon_status (*alloc)(void* self, int32_t index, uint64_t bytes, void** out_data);
  void (*free)(void* self, int32_t index, void* data, uint64_t bytes);
  // Raw copy of `bytes` without overlap, ordered on `stream`; one side is host memory unless
  // direction is ON_DEVICE.
  tenon_status (*copy)(void* self, int32_t index, void* stream, uint32_t direction,
                       void* destination, const void* source, uint64_t bytes);
  tenon_status (*stream_create)(void* self, int32_t index, void** out_stream);
  void (*stream_release)(void* self, int32_t index, void* stream);
  // Waits for all work of `stream`; returns the first failure since the last wait.
  // TENON_E_DEVICE_LOST from here or from any other slot: nothing but release, free and wait is
  // asked of that device again.
  tenon_status (*stream_wait)(void* self, int32_t index, void* stream, tenon_diag* diag);
  tenon_status (*event_create)(void* self, int32_t index, void** out_event);
  void (*event_release)(void* self, int32_t index, void* event);
  tenon_status (*event_record)(void* self, int32_t index, void* event, void* stream);
  // Makes later work of `stream` wait for `event`.
  tenon_status (*event_wait)(void* self, int32_t index, void* event, void* stream);
  // *out_done = 1 when the work before the event has finished.
  tenon_status (*event_query)(void* self, int32_t index, void* event, uint32_t* out_done,
                              tenon_diag* diag);
} tenon_backend_table;

// Optional interface "tenon.backend.pinned/1": host memory that `copy` reads and writes while the
// host goes on. Without it, copies from host memory are waited for. No slot is NULL.
typedef struct tenon_backend_pinned_table {
  uint32_t struct_size;
  uint32_t flags;  // 0
  // Host memory, aligned to 64 bytes. TENON_E_MEMORY if there is none left.
  tenon_status (*alloc)(void* self, uint64_t bytes, void** out_data);
  void (*free)(void* self, void* data, uint64_t bytes);
} tenon_backend_pinned_table;

#ifdef __cplusplus
}
#endif

#endif  // TENON_PLUGIN_BACKEND_H
