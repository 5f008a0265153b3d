// SPDX-License-Identifier: Apache-2.0
// tests/abi/museum/draft2/lengths.c: the dataset museum.rows of four rows, each as long as its
// number, from before datasets were told of which batch a sample is: its descriptor ends with
// `lengths`.
#include "exhibit.h"

#include <tenon/ext/draft/datasets.h>

static tenon_status rows_create(tenon_call* call, const tenon_value* values, void** out_object) {
  static const char one_object = 0;
  (void)call;
  (void)values;
  *out_object = (void*)&one_object;
  return TENON_OK;
}
static void no_release(void* object) { (void)object; }
static tenon_status rows_length(tenon_call* call, void* object, int64_t* out_length) {
  (void)call;
  (void)object;
  *out_length = 4;
  return TENON_OK;
}
static tenon_status rows_fields(tenon_call* call, void* object, tenon_dataset_field* fields,
                                uint32_t capacity, uint32_t* out_count) {
  const tenon_string name = TEXT("length");
  (void)call;
  (void)object;
  *out_count = 1;
  if (capacity < 1) return TENON_OK;
  memset(fields, 0, sizeof *fields);
  fields->name = name;
  fields->sample.dtype = TENON_DTYPE_I64;
  return TENON_OK;
}
static tenon_status rows_get(tenon_call* call, void* object, const int64_t* indices, int64_t n,
                             void* const* destinations) {
  (void)call;
  (void)object;
  for (int64_t i = 0; i < n; ++i) ((int64_t*)destinations[0])[i] = indices[i];
  return TENON_OK;
}
static tenon_status rows_lengths(tenon_call* call, void* object, int64_t first, int64_t count,
                                 int64_t* lengths) {
  (void)call;
  (void)object;
  for (int64_t i = 0; i < count; ++i) lengths[i] = first + i;
  return TENON_OK;
}
static const tenon_dataset_desc rows = {
    .struct_size = sizeof(tenon_dataset_desc),
    .name = TEXT("museum.rows"),
    .doc = TEXT("Rows of 0 to 3 numbers, of which only the length is told."),
    .create = rows_create,
    .release = no_release,
    .length = rows_length,
    .fields = rows_fields,
    .get = rows_get,
    .lengths = rows_lengths,
};
static const tenon_dataset_desc* const datasets[] = {&rows};
static const tenon_datasets_table datasets_table = {sizeof(tenon_datasets_table), 1, datasets};

static const void* get_interface(void* self, const char* id, uint64_t id_length) {
  (void)self;
  return is_id(id, id_length, TENON_INTERFACE_DATASETS) ? &datasets_table : NULL;
}

TENON_EXPORT tenon_status tenon_plugin_query_v0(const tenon_host* host, tenon_plugin* out,
                                                tenon_diag* diag);
tenon_status tenon_plugin_query_v0(const tenon_host* host, tenon_plugin* out, tenon_diag* diag) {
  const tenon_string id = TEXT("museum.lengths");
  (void)host;
  (void)diag;
  return answer(out, id);
}
