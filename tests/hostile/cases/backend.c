// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/backend.c: devices that are not in order, and ones that fail.
#include "../hostile.h"

// A device without `alloc`.
// needs: device hostile
// refused: device hostile: `alloc` is NULL; no slot may be
CASE(backend_alloc_null) { backend.table.alloc = NULL; }

// A device whose copy takes row-major operands only.
// needs: device hostile
// refused: device hostile: a backend must have kernels for the roles 'copy' and 'fill'; this plugin
//   registers none of tenon.copy for it that takes any strides on both sides
CASE(backend_copy_contiguous) {
  copy_slots[0].layout = copy_slots[1].layout = TENON_LAYOUT_CONTIGUOUS;
}

// A device whose copy does not take stride 0.
// needs: device hostile
// refused: device hostile: a backend must have kernels for the roles 'copy' and 'fill'; this plugin
//   registers none of tenon.copy for it that takes any strides on both sides
CASE(backend_copy_no_broadcast) { copy_slots[0].flags = TENON_SLOT_NEGATIVE_STRIDE; }

// A device without `copy`.
// needs: device hostile
// refused: device hostile: `copy` is NULL; no slot may be
CASE(backend_copy_null) { backend.table.copy = NULL; }

// A device whose copy is for another kind of device.
// needs: device hostile
// manifest: {"op": "replace", "path": "/kernels/1/ops", "value": ["tenon.full"]}
// manifest: {"op": "add", "path": "/kernels/-", "value": {"device": "other", "ops":
//   ["tenon.copy"]}}
// refused: device hostile: a backend must have kernels for the roles 'copy' and 'fill'; this plugin
//   registers none of tenon.copy for it that takes any strides on both sides
CASE(backend_copy_of_another) { copy_kernel.desc.device = text_of("other"); }

// A device without `device_count`.
// needs: device hostile
// refused: device hostile: `device_count` is NULL; no slot may be
CASE(backend_device_count_null) { backend.table.device_count = NULL; }

// A device without `event_create`.
// needs: device hostile
// refused: device hostile: `event_create` is NULL; no slot may be
CASE(backend_event_create_null) { backend.table.event_create = NULL; }

// A device without `event_query`.
// needs: device hostile
// refused: device hostile: `event_query` is NULL; no slot may be
CASE(backend_event_query_null) { backend.table.event_query = NULL; }

// A device without `event_record`.
// needs: device hostile
// refused: device hostile: `event_record` is NULL; no slot may be
CASE(backend_event_record_null) { backend.table.event_record = NULL; }

// A device without `event_release`.
// needs: device hostile
// refused: device hostile: `event_release` is NULL; no slot may be
CASE(backend_event_release_null) { backend.table.event_release = NULL; }

// A device without `event_wait`.
// needs: device hostile
// refused: device hostile: `event_wait` is NULL; no slot may be
CASE(backend_event_wait_null) { backend.table.event_wait = NULL; }

// A device with a flag that Tenon does not know.
// needs: device hostile
// refused: device hostile needs a newer Tenon: unknown flags 256
CASE(backend_flags) { backend.table.flags = 1u << 8; }

// A device without `free`.
// needs: device hostile
// refused: device hostile: `free` is NULL; no slot may be
CASE(backend_free_null) { backend.table.free = NULL; }

// A device that claims to be host memory and cannot copy in it.
// needs: device hostile
// manifest: {"op": "remove", "path": "/kernels/1"}
// refused: device hostile: a backend must have kernels for the roles 'copy' and 'fill'; this plugin
//   registers none of tenon.copy for it that takes any strides on both sides
CASE(backend_host_no_copy) {
  backend.table.flags = TENON_BACKEND_HOST_MEMORY;
  kernels_table.count = 1;
}

// A device kind without a name.
// needs: device hostile
// refused: table tenon.backend/1: the device kind '' is not one of [a-z0-9_]
CASE(backend_kind_empty) { backend.table.kind = text_of(""); }

// A device kind that is not a name.
// needs: device hostile
// refused: table tenon.backend/1: the device kind 'Hostile Device' is not one of [a-z0-9_]
CASE(backend_kind_name) { backend.table.kind = text_of("Hostile Device"); }

// A device without the kernel that every movement of data needs.
// needs: device hostile
// manifest: {"op": "replace", "path": "/kernels/1/ops", "value": ["tenon.full"]}
// refused: device hostile: a backend must have kernels for the roles 'copy' and 'fill'; this plugin
//   registers none of tenon.copy for it that takes any strides on both sides
CASE(backend_no_copy) {
  kernels[1] = &full_kernel.desc;
  kernels_table.count = 2;
}

// A device without the kernel that fills memory.
// needs: device hostile
// manifest: {"op": "replace", "path": "/kernels/1/ops", "value": ["tenon.copy"]}
// refused: device hostile: a backend must have kernels for the roles 'copy' and 'fill'; this plugin
//   registers none of tenon.full for it
CASE(backend_no_fill) { kernels_table.count = 2; }

// A device without any kernel.
// needs: device hostile
// manifest: {"op": "remove", "path": "/kernels/1"}
// refused: device hostile: a backend must have kernels for the roles 'copy' and 'fill'; this plugin
//   registers none of tenon.copy for it that takes any strides on both sides
CASE(backend_no_kernels) { kernels_table.count = 1; }

// A device without `stream_create`.
// needs: device hostile
// refused: device hostile: `stream_create` is NULL; no slot may be
CASE(backend_stream_create_null) { backend.table.stream_create = NULL; }

// A device without `stream_release`.
// needs: device hostile
// refused: device hostile: `stream_release` is NULL; no slot may be
CASE(backend_stream_release_null) { backend.table.stream_release = NULL; }

// A device without `stream_wait`.
// needs: device hostile
// refused: device hostile: `stream_wait` is NULL; no slot may be
CASE(backend_stream_wait_null) { backend.table.stream_wait = NULL; }

static tenon_status failing_alloc(void* self, int32_t index, uint64_t bytes, void** out_data) {
  (void)self;
  (void)index;
  (void)bytes;
  (void)out_data;
  return TENON_E_MEMORY;
}

// A device that never has memory.
// needs: device hostile
// error: TENON_E_MEMORY out of memory: 24 bytes are neither free nor allowed by the limit
CASE(device_alloc_fails) { backend.table.alloc = failing_alloc; }

static tenon_status null_alloc(void* self, int32_t index, uint64_t bytes, void** out_data) {
  (void)self;
  (void)index;
  (void)bytes;
  *out_data = NULL;
  return TENON_OK;
}

// A device that gives no memory and calls that success.
// needs: device hostile
// error: TENON_E_MEMORY out of memory: 24 bytes are neither free nor allowed by the limit
CASE(device_alloc_null) { backend.table.alloc = null_alloc; }

static tenon_status failing_copy(void* self, int32_t index, void* stream, uint32_t direction,
                                 void* to, const void* from, uint64_t bytes) {
  (void)self;
  (void)index;
  (void)stream;
  (void)direction;
  (void)to;
  (void)from;
  (void)bytes;
  return TENON_E_DEVICE;
}

// A device that cannot copy.
// needs: device hostile
// error: TENON_E_DEVICE device hostile:0 failed to copy 24 bytes
CASE(device_copy_fails) { backend.table.copy = failing_copy; }

static tenon_status silent_count(void* self, int32_t* out_count, tenon_diag* diag) {
  (void)self;
  (void)out_count;
  (void)diag;
  return TENON_E_DEVICE;
}

// A device that cannot be used and does not say why.
// needs: device hostile
// error: TENON_E_DEVICE device hostile:0 does not exist: device_count returned status 7
CASE(device_count_fails_silent) { backend.table.device_count = silent_count; }

static tenon_status count_with_words(void* self, int32_t* out_count, tenon_diag* diag) {
  (void)self;
  (void)out_count;
  return say(diag, TENON_E_DEVICE, "the driver is of another age");
}

// A device that says why it cannot be used: it loads, and its words come back.
// needs: device hostile
// error: TENON_E_DEVICE device hostile:0 does not exist: the driver is of another age
CASE(device_count_fails_words) { backend.table.device_count = count_with_words; }

static tenon_status negative_count(void* self, int32_t* out_count, tenon_diag* diag) {
  (void)self;
  (void)out_count;
  (void)diag;
  *out_count = -3;
  return TENON_OK;
}

// A device kind with minus three devices.
// needs: device hostile
// error: TENON_E_DEVICE device hostile:0 does not exist: the plugin found none and gave no reason
CASE(device_count_negative) { backend.table.device_count = negative_count; }

static tenon_status count_of_none(void* self, int32_t* out_count, tenon_diag* diag) {
  (void)self;
  (void)out_count;
  *out_count = 0;
  (void)say(diag, TENON_OK, "no card is plugged in");
  return TENON_OK;
}

// A device kind without a device, and a reason for it.
// needs: device hostile
// error: TENON_E_DEVICE device hostile:0 does not exist: no card is plugged in
CASE(device_count_none) { backend.table.device_count = count_of_none; }

static tenon_status unset_count(void* self, int32_t* out_count, tenon_diag* diag) {
  (void)self;
  (void)out_count;
  (void)diag;
  return TENON_OK;
}

// A device kind that does not say how many there are.
// needs: device hostile
// error: TENON_E_DEVICE device hostile:0 does not exist: the plugin found none and gave no reason
CASE(device_count_unset) { backend.table.device_count = unset_count; }

static tenon_status failing_stream(void* self, int32_t index, void** out_object) {
  (void)self;
  (void)index;
  (void)out_object;
  return TENON_E_DEVICE;
}

// A device that never has a stream.
// needs: device hostile
// error: TENON_E_DEVICE device hostile:0 cannot create a stream
CASE(device_stream_fails) { backend.table.stream_create = failing_stream; }

static tenon_status failing_wait(void* self, int32_t index, void* stream, tenon_diag* diag) {
  (void)self;
  (void)index;
  (void)stream;
  return say(diag, TENON_E_DEVICE, "a wire came loose");
}

// A device whose work fails, which is known when it is waited for.
// needs: device hostile
// error: TENON_E_DEVICE device hostile:0 failed: a wire came loose; enqueued since the last good
//   wait: copy from host memory
CASE(device_wait_fails) { backend.table.stream_wait = failing_wait; }
