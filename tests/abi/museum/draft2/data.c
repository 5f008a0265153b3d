// SPDX-License-Identifier: Apache-2.0
// tests/abi/museum/draft2/data.c: the transform museum.turned, which turns bytes round, and the
// tokenizer museum.letters: the letters a to z and the space.
#include "exhibit.h"

#include <tenon/ext/draft/tokenizers.h>
#include <tenon/ext/draft/transforms.h>

static tenon_status fail(tenon_call* call, tenon_status status, const char* words) {
  return call->base->fail(call, status, words, TENON_NUL);
}

// ---- The transform

static tenon_status turned_create(tenon_call* call, const tenon_value* values, void** out_object) {
  static const char one_object = 0;
  (void)call;
  (void)values;
  *out_object = (void*)&one_object;
  return TENON_OK;
}
static void no_release(void* object) { (void)object; }
static tenon_status turned_infer(tenon_call* call, void* object, const tenon_meta* sample,
                                 tenon_meta* out_sample) {
  (void)object;
  if (sample->dtype != TENON_DTYPE_U8) return fail(call, TENON_E_DTYPE, "bytes are turned alone");
  *out_sample = *sample;
  return TENON_OK;
}
static tenon_status turned_run(tenon_call* call, void* object, const tenon_batch* batch,
                               const tenon_view* from, const tenon_view* to) {
  int64_t count = 1;
  (void)call;
  (void)object;
  (void)batch;
  for (int32_t d = 0; d < from->rank; ++d) count *= from->shape[d];
  for (int64_t i = 0; i < count; ++i) {
    ((uint8_t*)to->data)[i] = (uint8_t)(255 - ((const uint8_t*)from->data)[i]);
  }
  return TENON_OK;
}
static const tenon_transform_sample turned_samples[] = {{.text = TEXT("u8[3,4]")}};
static const tenon_transform_desc turned = {
    .struct_size = sizeof(tenon_transform_desc),
    .name = TEXT("museum.turned"),
    .doc = TEXT("255 less each byte."),
    .samples = turned_samples,
    .n_samples = 1,
    .create = turned_create,
    .release = no_release,
    .infer = turned_infer,
    .run = turned_run,
};
static const tenon_transform_desc* const transforms[] = {&turned};
static const tenon_transforms_table transforms_table = {sizeof(tenon_transforms_table), 1,
                                                        transforms};

// ---- The tokenizer: a is 0, z is 25, the space 26

static const char letters[] = "abcdefghijklmnopqrstuvwxyz ";

static tenon_status letters_create(tenon_call* call, const void* file, uint64_t file_length,
                                   const tenon_value* values, void** out_object) {
  (void)file;
  (void)file_length;
  return turned_create(call, values, out_object);
}
static tenon_status letters_info(tenon_call* call, void* object, tenon_tokenizer_info* out_info) {
  (void)call;
  (void)object;
  out_info->size = 27;
  return TENON_OK;
}
static tenon_status letters_encode(tenon_call* call, void* object, const char* text,
                                   uint64_t length, uint32_t flags, int64_t limit, int32_t* tokens,
                                   int64_t capacity, int64_t* out_count) {
  (void)object;
  (void)flags;
  *out_count = 0;
  for (uint64_t i = 0; i < length; ++i) {
    const char* found = text[i] ? strchr(letters, text[i]) : NULL;
    if (!found) return fail(call, TENON_E_DATA, "this is neither a letter nor a space");
    if (*out_count == limit) continue;
    if (*out_count < capacity) tokens[*out_count] = (int32_t)(found - letters);
    ++*out_count;
  }
  return TENON_OK;
}
static tenon_status letters_decode(tenon_call* call, void* object, const int32_t* tokens, int64_t n,
                                   uint32_t flags, char* text, uint64_t capacity,
                                   uint64_t* out_length) {
  (void)call;
  (void)object;
  (void)flags;
  *out_length = (uint64_t)n;
  for (int64_t i = 0; i < n && (uint64_t)i < capacity; ++i) text[i] = letters[tokens[i]];
  return TENON_OK;
}
static tenon_status letters_token(tenon_call* call, void* object, int32_t token, char* spelling,
                                  uint64_t capacity, uint64_t* out_length, uint32_t* out_flags) {
  (void)call;
  (void)object;
  *out_length = 1;
  *out_flags = 0;
  if (capacity > 0) spelling[0] = letters[token];
  return TENON_OK;
}
static tenon_status letters_find(tenon_call* call, void* object, const char* spelling,
                                 uint64_t length, int32_t* out_token) {
  const char* found = length == 1 && spelling[0] ? strchr(letters, spelling[0]) : NULL;
  (void)call;
  (void)object;
  *out_token = found ? (int32_t)(found - letters) : -1;
  return TENON_OK;
}
static const tenon_tokenizer_sample letters_samples[] = {
    {.text = TEXT("a cab"), .tokens = TEXT("0 26 2 0 1")},
    {.text = TEXT("A"), .fragment = TEXT("neither a letter"), .expect = TENON_E_DATA}};
static const tenon_tokenizer_desc spelling = {
    .struct_size = sizeof(tenon_tokenizer_desc),
    .name = TEXT("museum.letters"),
    .doc = TEXT("The letters a to z and the space."),
    .samples = letters_samples,
    .n_samples = 2,
    .create = letters_create,
    .release = no_release,
    .info = letters_info,
    .encode = letters_encode,
    .decode = letters_decode,
    .token = letters_token,
    .find = letters_find,
};
static const tenon_tokenizer_desc* const tokenizers[] = {&spelling};
static const tenon_tokenizers_table tokenizers_table = {sizeof(tenon_tokenizers_table), 1,
                                                        tokenizers};

static const void* get_interface(void* self, const char* id, uint64_t id_length) {
  (void)self;
  if (is_id(id, id_length, TENON_INTERFACE_TRANSFORMS)) return &transforms_table;
  if (is_id(id, id_length, TENON_INTERFACE_TOKENIZERS)) return &tokenizers_table;
  return NULL;
}

TENON_EXPORT tenon_status tenon_plugin_query_v0(const tenon_host* host, tenon_plugin* out,
                                                tenon_diag* diag);
tenon_status tenon_plugin_query_v0(const tenon_host* host, tenon_plugin* out, tenon_diag* diag) {
  const tenon_string id = TEXT("museum.data");
  (void)host;
  (void)diag;
  return answer(out, id);
}
