// SPDX-License-Identifier: Apache-2.0
// tests/abi/museum/draft2/exhibit.h: what the plugins in C of this draft share: text, the plugin's
// own words about itself, names compared.
#ifndef MUSEUM_EXHIBIT_H
#define MUSEUM_EXHIBIT_H

#include <string.h>
#include <tenon/plugin.h>

#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

static inline int is_id(const char* id, uint64_t length, const char* known) {
  return length == strlen(known) && memcmp(id, known, length) == 0;
}

static tenon_status init(const tenon_host* host, void** out_self, tenon_diag* diag) {
  (void)host;
  (void)diag;
  *out_self = NULL;
  return TENON_OK;
}

static void release(void* self) { (void)self; }

// The exhibit's own.
static const void* get_interface(void* self, const char* id, uint64_t id_length);

static inline tenon_status answer(tenon_plugin* out, tenon_string id) {
  static const unsigned char order[4] = {1, 2, 3, 4};
  const tenon_string version = TEXT("0.1.0");
  const tenon_string license = TEXT("Apache-2.0");
  out->struct_size = sizeof *out;
  out->built_major = TENON_ABI_MAJOR;
  out->built_minor = TENON_ABI_MINOR;
  out->required_minor = TENON_ABI_MINOR;
  out->fingerprint.pointer_bits = sizeof(void*) * 8;
  memcpy(&out->fingerprint.byte_order, order, sizeof order);
  out->fingerprint.sanitizer = TENON_SANITIZER_BUILT;
  out->fingerprint.draft = TENON_ABI_DRAFT;
  out->id = id;
  out->version = version;
  out->license = license;
  out->init = init;
  out->release = release;
  out->get_interface = get_interface;
  return TENON_OK;
}

// y = 2x for packed f32: the kernel of both exhibits.
static tenon_status launch_twice(tenon_call* call, const tenon_launch* args) {
  const tenon_view* x = &args->views[args->slot_begin[0]];
  const tenon_view* y = &args->views[args->slot_begin[args->n_inputs]];
  int64_t count = 1;
  (void)call;
  for (int32_t d = 0; d < x->rank; ++d) count *= x->shape[d];
  for (int64_t i = 0; i < count; ++i) ((float*)y->data)[i] = 2 * ((const float*)x->data)[i];
  return TENON_OK;
}

static const tenon_slot_rule twice_slots[] = {{TENON_SLOT_IN, TENON_LAYOUT_CONTIGUOUS, 0, 0},
                                              {TENON_SLOT_OUT, TENON_LAYOUT_CONTIGUOUS, 0, 0}};
static const tenon_dtype twice_rows[] = {TENON_DTYPE_F32};

#endif  // MUSEUM_EXHIBIT_H
