// SPDX-License-Identifier: Apache-2.0
// tests/abi/museum/draft2/device.c: plugin museum.device: the device kind "museum", whose memory
// the host may use, its kernels for copy and fill, and one of museum.twice.
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

// y = x element by element, in any strides: what the host stages with.
static tenon_status launch_copy(tenon_call* call, const tenon_launch* args) {
  const tenon_view* x = &args->views[0];
  const tenon_view* y = &args->views[1];
  int64_t index[TENON_MAX_RANK] = {0};
  int64_t count = 1;
  (void)call;
  for (int32_t d = 0; d < y->rank; ++d) count *= y->shape[d];
  for (int64_t i = 0; i < count; ++i) {
    int64_t from = 0;
    int64_t to = 0;
    for (int32_t d = 0; d < y->rank; ++d) {
      from += index[d] * x->strides[d];
      to += index[d] * y->strides[d];
    }
    ((float*)y->data)[to] = ((const float*)x->data)[from];
    for (int32_t d = y->rank - 1; d >= 0; --d) {
      if (++index[d] < y->shape[d]) break;
      index[d] = 0;
    }
  }
  return TENON_OK;
}

static tenon_status launch_fill(tenon_call* call, const tenon_launch* args) {
  const tenon_view* y = &args->views[0];
  const tenon_value* value = &args->attrs[1];
  const double number = value->tag == TENON_VALUE_F64 ? value->as.f64 : (double)value->as.i64;
  int64_t count = 1;
  (void)call;
  for (int32_t d = 0; d < y->rank; ++d) count *= y->shape[d];
  for (int64_t i = 0; i < count; ++i) ((float*)y->data)[i] = (float)number;
  return TENON_OK;
}

static const tenon_slot_rule copy_slots[] = {
    {TENON_SLOT_IN, TENON_LAYOUT_STRIDED, TENON_SLOT_ZERO_STRIDE | TENON_SLOT_NEGATIVE_STRIDE, 0},
    {TENON_SLOT_OUT, TENON_LAYOUT_STRIDED, TENON_SLOT_NEGATIVE_STRIDE, 0}};
static const tenon_slot_rule fill_slots[] = {{TENON_SLOT_OUT, TENON_LAYOUT_CONTIGUOUS, 0, 0}};

static const tenon_kernel_desc copy_kernel = {
    .struct_size = sizeof(tenon_kernel_desc),
    .flags = TENON_KERNEL_CANONICAL | TENON_KERNEL_CAPTURE_SAFE,
    .op = TEXT("tenon.copy"),
    .device = TEXT("museum"),
    .revision = 1,
    .slots = copy_slots,
    .dtype_rows = twice_rows,
    .n_slots = 2,
    .n_rows = 1,
    .n_variables = 1,
    .launch = launch_copy,
};
static const tenon_kernel_desc fill_kernel = {
    .struct_size = sizeof(tenon_kernel_desc),
    .flags = TENON_KERNEL_CANONICAL | TENON_KERNEL_CAPTURE_SAFE,
    .op = TEXT("tenon.full"),
    .device = TEXT("museum"),
    .revision = 1,
    .slots = fill_slots,
    .dtype_rows = twice_rows,
    .n_slots = 1,
    .n_attrs = 3,
    .n_rows = 1,
    .n_variables = 1,
    .launch = launch_fill,
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
static const tenon_kernel_desc* const kernels[] = {&copy_kernel, &fill_kernel, &kernel};
static const tenon_kernels_table kernels_table = {sizeof(tenon_kernels_table), 3, kernels};

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
