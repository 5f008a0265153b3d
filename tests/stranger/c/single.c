// SPDX-License-Identifier: Apache-2.0
// tests/stranger/c/single.c: the format acme.single: one tensor of f32 or f64 in a file.
//
//   bytes 0-7 "ACMEONE1", 8-11 the dtype, 12-15 the rank, then 8 bytes for each dimension, then the
//   elements row by row; numbers as this machine stores them
#include <stdlib.h>
#include <string.h>

#include <tenon/sdk/plugin.h>

static const char magic[8] = {'A', 'C', 'M', 'E', 'O', 'N', 'E', '1'};
enum { HEAD = 16 };

static tenon_status refuse(tenon_call* call, tenon_status status, const char* words,
                           const char* expected) {
  const tn_details details = {NULL, expected, NULL, NULL};
  return tn_fail_details(call, status, details, "%s", words);
}

// ---- Reading ------------------------------------------------------------------------------------

// Nothing in the bytes is believed before it was compared with their number.
static tenon_status describe(tenon_call* call, const char* bytes, uint64_t length,
                             tenon_format_entry* out) {
  uint32_t dtype = 0, rank = 0;
  if (length < HEAD || memcmp(bytes, magic, sizeof magic) != 0) {
    return refuse(call, TENON_E_DATA, "it is not a file of acme.single", "ACMEONE1 at its begin");
  }
  memcpy(&dtype, bytes + 8, sizeof dtype);
  memcpy(&rank, bytes + 12, sizeof rank);
  if (dtype != TENON_DTYPE_F32 && dtype != TENON_DTYPE_F64) {
    return refuse(call, TENON_E_DATA, "unknown dtype", "f32 or f64");
  }
  if (rank > TENON_MAX_RANK || length - HEAD < rank * sizeof(int64_t)) {
    return refuse(call, TENON_E_DATA, "the shape is not whole", "at most 8 dimensions");
  }
  *out = (tenon_format_entry){.name = TN_TEXT("tensor"), .offset = HEAD + rank * sizeof(int64_t)};
  out->meta.dtype = dtype;
  out->meta.rank = (int32_t)rank;
  const uint64_t room = length - out->offset;
  uint64_t size = (uint64_t)tn_element_size(dtype);
  int empty = 0;
  for (uint32_t d = 0; d < rank; ++d) {
    int64_t extent;
    memcpy(&extent, bytes + HEAD + d * sizeof extent, sizeof extent);
    out->meta.shape[d] = extent;
    empty |= extent == 0;
    if (extent < 0 || (extent > 0 && size > (uint64_t)INT64_MAX / (uint64_t)extent)) {
      return refuse(call, TENON_E_DATA, "a dimension that cannot be", "0 or more");
    }
    if (extent > 0) size *= (uint64_t)extent;
  }
  out->bytes = empty ? 0 : size;
  if (out->bytes == room) return TENON_OK;
  return refuse(call, TENON_E_DATA, "the file has another length than its shape says", NULL);
}

static tenon_status read_file(tenon_call* call, const void* bytes, uint64_t length,
                              void** out_object) {
  tenon_format_entry found;
  const tenon_status status = describe(call, bytes, length, &found);
  if (status != TENON_OK) return status;
  tenon_format_entry* kept = malloc(sizeof *kept);
  if (!kept) return tn_out_of_memory(call);
  *kept = found;
  *out_object = kept;
  return TENON_OK;
}

static void release(void* object) { free(object); }

static tenon_status count(tenon_call* call, void* object, uint32_t* out_entries,
                          uint32_t* out_metadata) {
  (void)call, (void)object;
  *out_entries = 1;
  *out_metadata = 0;
  return TENON_OK;
}

static tenon_status entry(tenon_call* call, void* object, uint32_t index,
                          tenon_format_entry* out_entry) {
  (void)call, (void)index;
  *out_entry = *(const tenon_format_entry*)object;
  return TENON_OK;
}

static tenon_status metadata(tenon_call* call, void* object, uint32_t index,
                             tenon_format_pair* out_pair) {
  (void)object, (void)index, (void)out_pair;
  return tn_fail(call, TENON_E_NOT_FOUND, "there is no metadata");
}

// ---- Writing ------------------------------------------------------------------------------------

typedef struct pieces {
  char head[HEAD + TENON_MAX_RANK * sizeof(int64_t)];
  uint64_t length;
  uint32_t next;
} pieces;

static tenon_status layout(tenon_call* call, const tenon_format_content* content,
                           void** out_layout) {
  if (content->n_entries != 1) {
    return refuse(call, TENON_E_UNSUPPORTED, "a file of acme.single holds one tensor", "1 tensor");
  }
  if (content->n_metadata != 0) {
    return refuse(call, TENON_E_UNSUPPORTED, "a file of acme.single has no metadata", "no key");
  }
  const tenon_meta* meta = &content->entries[0].meta;
  if (meta->dtype != TENON_DTYPE_F32 && meta->dtype != TENON_DTYPE_F64) {
    return refuse(call, TENON_E_UNSUPPORTED, "acme.single cannot hold this dtype", "f32 or f64");
  }
  pieces* made = calloc(1, sizeof *made);
  if (!made) return tn_out_of_memory(call);
  const uint32_t rank = (uint32_t)meta->rank;
  memcpy(made->head, magic, sizeof magic);
  memcpy(made->head + 8, &meta->dtype, sizeof meta->dtype);
  memcpy(made->head + 12, &rank, sizeof rank);
  memcpy(made->head + HEAD, meta->shape, rank * sizeof(int64_t));
  made->length = HEAD + rank * sizeof(int64_t);
  *out_layout = made;
  return TENON_OK;
}

static tenon_status piece(tenon_call* call, void* layout, tenon_format_piece* out_piece) {
  (void)call;
  pieces* made = layout;
  const uint32_t at = made->next++;
  *out_piece = (tenon_format_piece){.kind = TENON_PIECE_END};
  if (at == 0) {
    *out_piece = (tenon_format_piece){
        .bytes = made->head, .length = made->length, .kind = TENON_PIECE_BYTES};
  } else if (at == 1) {
    *out_piece = (tenon_format_piece){.kind = TENON_PIECE_TENSOR};
  }
  return TENON_OK;
}

static const tenon_format_desc formats[] = {{
    .struct_size = sizeof(tenon_format_desc),
    .name = TN_TEXT("acme.single"),
    .doc = TN_TEXT("One tensor of f32 or f64, behind a head of 16 bytes and its shape."),
    .endings = TN_TEXT(".acme"),
    .read = read_file,
    .release = release,
    .count = count,
    .entry = entry,
    .metadata = metadata,
    .layout = layout,
    .piece = piece,
    .release_layout = release,
}};

TN_UNIT(single) = {.formats = TN_LIST(formats)};
