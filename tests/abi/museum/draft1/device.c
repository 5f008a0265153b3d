// SPDX-License-Identifier: Apache-2.0
// tests/abi/museum/draft1/device.c: plugin museum.device: the device kind "museum", whose memory
// the host may use, and a kernel of museum.twice for it.
#include <stdlib.h>

#include "exhibit.h"

static tenon_status device_count(void* self, int32_t* out_count, tenon_diag* diag) {
  (void)self;
  (void)diag;
  *out_count = 1;
  return TENON_OK;
}
static tenon_status allocate(void* self, int32_t index, uint64_t bytes, void** out_data) {
  (void)self;
  (void)index;
  *out_data = aligned_alloc(64, (bytes / 64 + 1) * 64);
  return *out_data != NULL ? TENON_OK : TENON_E_MEMORY;
}
static void give_back(void* self, int32_t index, void* data, uint64_t bytes) {
  (void)self;
  (void)index;
  (void)bytes;
  free(data);
}
static tenon_status copy(void* self, int32_t index, void* stream, uint32_t direction,
                         void* destination, const void* source, uint64_t bytes) {
  (void)self;
  (void)index;
  (void)stream;
  (void)direction;
  memcpy(destination, source, bytes);
  return TENON_OK;
}
static tenon_status create(void* self, int32_t index, void** out_object) {
  (void)self;
  (void)index;
  *out_object = NULL;
  return TENON_OK;
}
static void release_object(void* self, int32_t index, void* object) {
  (void)self;
  (void)index;
  (void)object;
}
static tenon_status stream_wait(void* self, int32_t index, void* stream, tenon_diag* diag) {
  (void)self;
  (void)index;
  (void)stream;
  (void)diag;
  return TENON_OK;
}
static tenon_status on_event(void* self, int32_t index, void* event, void* stream) {
  (void)self;
  (void)index;
  (void)event;
  (void)stream;
  return TENON_OK;
}
static tenon_status event_query(void* self, int32_t index, void* event, uint32_t* out_done,
                                tenon_diag* diag) {
  (void)self;
  (void)index;
  (void)event;
  (void)diag;
  *out_done = 1;
  return TENON_OK;
}
static const tenon_backend_table backend = {
    .struct_size = sizeof(tenon_backend_table),
    .flags = TENON_BACKEND_HOST_MEMORY,
    .kind = TEXT("museum"),
    .doc = TEXT("Host memory, as of this draft."),
    .device_count = device_count,
    .alloc = allocate,
    .free = give_back,
    .copy = copy,
    .stream_create = create,
    .stream_release = release_object,
    .stream_wait = stream_wait,
    .event_create = create,
    .event_release = release_object,
    .event_record = on_event,
    .event_wait = on_event,
    .event_query = event_query,
};

static const tenon_kernel_desc kernel = {
    .struct_size = sizeof(tenon_kernel_desc),
    .flags = TENON_KERNEL_CANONICAL | TENON_KERNEL_CAPTURE_SAFE,
    .op = TEXT("museum.twice"),
    .device = TEXT("museum"),
    .revision = 1,
    .slots = twice_slots,
    .dtype_rows = twice_rows,
    .n_slots = 2,
    .n_rows = 1,
    .n_variables = 1,
    .launch = launch_twice,
};
static const tenon_kernel_desc* const kernels[] = {&kernel};
static const tenon_kernels_table kernels_table = {sizeof(tenon_kernels_table), 1, kernels};

static const void* get_interface(void* self, const char* id, uint64_t id_length) {
  (void)self;
  if (is_id(id, id_length, "tenon.backend/1")) return &backend;
  if (is_id(id, id_length, "tenon.kernels/1")) return &kernels_table;
  return NULL;
}

TENON_EXPORT tenon_status tenon_plugin_query_v0(const tenon_host* host, tenon_plugin* out,
                                                tenon_diag* diag);
tenon_status tenon_plugin_query_v0(const tenon_host* host, tenon_plugin* out, tenon_diag* diag) {
  const tenon_string id = TEXT("museum.device");
  (void)host;
  (void)diag;
  return answer(out, id);
}
