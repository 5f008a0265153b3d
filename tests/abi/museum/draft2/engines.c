// SPDX-License-Identifier: Apache-2.0
// tests/abi/museum/draft2/engines.c: the engine museum.alone, one process, from before engines
// could end a program: its descriptor ends with `run`.
#include "exhibit.h"

#include <tenon/ext/draft/collectives.h>

static char there;

static tenon_status alone_create(tenon_call* call, const tenon_value* values, int64_t timeout,
                                 void** out_object, tenon_members* out_members) {
  (void)call;
  (void)values;
  (void)timeout;
  out_members->rank = 0;
  out_members->size = 1;
  *out_object = &there;
  return TENON_OK;
}
static void alone_release(void* object) { (void)object; }
static tenon_status alone_split(tenon_call* call, void* object, int32_t color, int32_t key,
                                int64_t timeout, void** out_object, tenon_members* out_members) {
  (void)object;
  (void)color;
  (void)key;
  return alone_create(call, NULL, timeout, out_object, out_members);
}
static tenon_status alone_run(tenon_call* call, void* object, const tenon_transfer_desc* transfers,
                              uint32_t n, int64_t timeout, uint8_t* out_done) {
  uint32_t i;
  (void)call;
  (void)object;
  (void)timeout;
  for (i = 0; i < n; ++i) {
    const size_t bytes = (size_t)transfers[i].count * ((transfers[i].dtype >> 8 & 0xFFu) / 8u);
    if (transfers[i].from && transfers[i].to) memcpy(transfers[i].to, transfers[i].from, bytes);
    out_done[i] = 1;
  }
  return TENON_OK;
}
static const tenon_collective_desc alone = {
    .struct_size = sizeof(tenon_collective_desc),
    .name = TEXT("museum.alone"),
    .doc = TEXT("One process."),
    .devices = TEXT("host"),
    .create = alone_create,
    .release = alone_release,
    .split = alone_split,
    .run = alone_run,
};
static const tenon_collective_desc* const engines[] = {&alone};
static const tenon_collectives_table engines_table = {sizeof(tenon_collectives_table), 1, engines};

static const void* get_interface(void* self, const char* id, uint64_t id_length) {
  (void)self;
  return is_id(id, id_length, TENON_INTERFACE_COLLECTIVES) ? &engines_table : NULL;
}

TENON_EXPORT tenon_status tenon_plugin_query_v0(const tenon_host* host, tenon_plugin* out,
                                                tenon_diag* diag);
tenon_status tenon_plugin_query_v0(const tenon_host* host, tenon_plugin* out, tenon_diag* diag) {
  const tenon_string id = TEXT("museum.engines");
  (void)host;
  (void)diag;
  return answer(out, id);
}
