// SPDX-License-Identifier: Apache-2.0
// tests/abi/museum/draft2/files.c: the format museum.raw, a file of bytes, from before formats
// could say what Tenon cannot hold: its descriptor ends with `release_layout`.
#include "exhibit.h"

#include <stdlib.h>
#include <tenon/ext/draft/formats.h>

static tenon_status raw_read(tenon_call* call, const void* bytes, uint64_t length,
                             void** out_object) {
  uint64_t* kept = malloc(sizeof *kept);
  (void)call;
  (void)bytes;
  if (!kept) return TENON_E_MEMORY;
  *kept = length;
  *out_object = kept;
  return TENON_OK;
}
static tenon_status raw_count(tenon_call* call, void* object, uint32_t* out_entries,
                              uint32_t* out_metadata) {
  (void)call;
  (void)object;
  *out_entries = 1;
  *out_metadata = 0;
  return TENON_OK;
}
static tenon_status raw_entry(tenon_call* call, void* object, uint32_t index,
                              tenon_format_entry* out_entry) {
  const tenon_string name = TEXT("bytes");
  (void)call;
  (void)index;
  memset(out_entry, 0, sizeof *out_entry);
  out_entry->name = name;
  out_entry->meta.dtype = TENON_DTYPE_U8;
  out_entry->meta.rank = 1;
  out_entry->meta.shape[0] = (int64_t) * (const uint64_t*)object;
  out_entry->bytes = *(uint64_t*)object;
  return TENON_OK;
}
static tenon_status raw_metadata(tenon_call* call, void* object, uint32_t index,
                                 tenon_format_pair* out_pair) {
  (void)call;
  (void)object;
  (void)index;
  (void)out_pair;
  return TENON_E_NOT_FOUND;
}
static tenon_status raw_layout(tenon_call* call, const tenon_format_content* content,
                               void** out_layout) {
  int* next = calloc(1, sizeof *next);
  (void)call;
  (void)content;
  if (!next) return TENON_E_MEMORY;
  *out_layout = next;
  return TENON_OK;
}
static tenon_status raw_piece(tenon_call* call, void* layout, tenon_format_piece* out_piece) {
  (void)call;
  memset(out_piece, 0, sizeof *out_piece);
  out_piece->kind = (*(int*)layout)++ == 0 ? TENON_PIECE_TENSOR : TENON_PIECE_END;
  return TENON_OK;
}
static const tenon_format_desc raw = {
    .struct_size = sizeof(tenon_format_desc),
    .name = TEXT("museum.raw"),
    .doc = TEXT("The bytes of a file."),
    .endings = TEXT(".raw"),
    .read = raw_read,
    .release = free,
    .count = raw_count,
    .entry = raw_entry,
    .metadata = raw_metadata,
    .layout = raw_layout,
    .piece = raw_piece,
    .release_layout = free,
};
static const tenon_format_desc* const formats[] = {&raw};
static const tenon_formats_table formats_table = {sizeof(tenon_formats_table), 1, formats};

static const void* get_interface(void* self, const char* id, uint64_t id_length) {
  (void)self;
  return is_id(id, id_length, TENON_INTERFACE_FORMATS) ? &formats_table : NULL;
}

TENON_EXPORT tenon_status tenon_plugin_query_v0(const tenon_host* host, tenon_plugin* out,
                                                tenon_diag* diag);
tenon_status tenon_plugin_query_v0(const tenon_host* host, tenon_plugin* out, tenon_diag* diag) {
  const tenon_string id = TEXT("museum.files");
  (void)host;
  (void)diag;
  return answer(out, id);
}
