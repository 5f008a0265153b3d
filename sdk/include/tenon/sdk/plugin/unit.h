// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/unit.h: what one source file adds to a plugin in C, and how such files become
// one plugin; part of tenon/sdk/plugin.h.
//
// Without tenon_add_plugin() one file of the plugin writes what that generates:
//
//   extern const tn_unit tn_unit_of_square;
//   static const tn_unit* const units[] = {&tn_unit_of_square};
//   const tn_about tn_plugin_about = {.id = TN_TEXT("acme.square"), .version = TN_TEXT("1.0.0"),
//                                     .license = TN_TEXT("MIT"), .units = units, .n_units = 1};
//
//   tenon_status tenon_plugin_query_v0(const tenon_host* host, tenon_plugin* out,
//                                      tenon_diag* diag) {
//     return tn_plugin_query(host, out, diag);
//   }
//
// One that offers more, another interface for example, changes `out` before it returns: what it
// replaces is tn_plugin_init, tn_plugin_release and tn_plugin_get_interface, which it can call.
#ifndef TENON_SDK_PLUGIN_UNIT_H
#define TENON_SDK_PLUGIN_UNIT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/kinds.h>
#include <tenon/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

// A tenon_string of a literal, and how many elements an array has.
#define TN_TEXT(literal) \
  { literal, sizeof(literal) - 1 }
#define TN_COUNT(array) ((uint32_t)(sizeof(array) / sizeof *(array)))
// An array of descriptors as a member of a unit.
#define TN_LIST(array) \
  { array, TN_COUNT(array) }

// X(member, descriptor, interface) for each list of descriptors that is no kind of tenon/kinds.h.
#define TN_UNIT_LISTS(X)                                        \
  X(ops, tenon_op_desc, "tenon.ops/1")                          \
  X(vjps, tenon_vjp_desc, "tenon.vjps/1")                       \
  X(kernels, tenon_kernel_desc, "tenon.kernels/1")              \
  X(tolerances, tenon_tolerance, "tenon.selftest.tolerances/1") \
  X(optimizer_samples, tenon_optimizer_sample, "tenon.selftest.optimizers/1")

// What a unit leaves out, which C++ warns of else.
#ifdef __cplusplus
#define TN_EMPTY = {}
#else
#define TN_EMPTY
#endif

// Constant data, borrowed by the host as long as the process lives. What is left out is empty.
// Members are lists, TN_LIST(ops): ops, vjps, kernels, tolerances, optimizer_samples, then samples,
// then one for each kind: optimizers, datasets, layers, ...
typedef struct tn_unit {
#define TN_LIST_MEMBER(member, descriptor, interface) \
  struct {                                            \
    const descriptor* data;                           \
    uint32_t count;                                   \
  } member TN_EMPTY;
#define TN_KIND_MEMBER(noun, plural) TN_LIST_MEMBER(plural, tenon_##noun##_desc, )
  TN_UNIT_LISTS(TN_LIST_MEMBER)
  TN_LIST_MEMBER(samples, tenon_sample, "tenon.selftest/1")
  TENON_KINDS(TN_KIND_MEMBER)
#undef TN_KIND_MEMBER
#undef TN_LIST_MEMBER
  const tenon_backend_table* backend TN_EMPTY;
} tn_unit;

// Begins the definition of a file's unit: TN_UNIT(square) = {...}; in square.c.
#ifdef __cplusplus
#define TN_UNIT(name)                         \
  extern "C" const tn_unit tn_unit_of_##name; \
  constinit const tn_unit tn_unit_of_##name
#else
#define TN_UNIT(name)                     \
  extern const tn_unit tn_unit_of_##name; \
  const tn_unit tn_unit_of_##name
#endif

// The ABI minor that these headers ask of a host. A plugin built with newer headers runs on older
// hosts, unless it states more.
#define TN_REQUIRED_MINOR 1u

// What a plugin says of itself.
typedef struct tn_about {
  tenon_string id;  // "vendor.name"
  tenon_string version;
  tenon_string license;         // SPDX expression
  const tn_unit* const* units;  // [n_units]
  uint32_t n_units;
  uint32_t required_minor;  // of the ABI; 0: TN_REQUIRED_MINOR
} tn_about;

// The plugin's own, defined once.
extern const tn_about tn_plugin_about;

// The exported function, which one file of the plugin defines.
TENON_EXPORT tenon_status tenon_plugin_query_v0(const tenon_host* host, tenon_plugin* out,
                                                tenon_diag* diag);

// ---- Tables -------------------------------------------------------------------------------------

enum {
#define TN_LIST_TABLE(member, descriptor, interface) TN_TABLE_##member,
#define TN_KIND_TABLE(noun, plural) TN_TABLE_##plural,
  TN_UNIT_LISTS(TN_LIST_TABLE) TENON_KINDS(TN_KIND_TABLE) TN_TABLES
#undef TN_KIND_TABLE
#undef TN_LIST_TABLE
};

// The interface that is answered with table number `table`.
static inline const char* tn_table_interface(uint32_t table) {
#define TN_LIST_INTERFACE(member, descriptor, interface) interface,
#define TN_KIND_INTERFACE(noun, plural) "tenon." #plural "/1",
  static const char* const interfaces[] = {TN_UNIT_LISTS(TN_LIST_INTERFACE)
                                               TENON_KINDS(TN_KIND_INTERFACE)};
#undef TN_KIND_INTERFACE
#undef TN_LIST_INTERFACE
  return interfaces[table];
}

// What a unit has for a table: `count` descriptors of `size` bytes.
typedef struct tn_descs {
  const char* data;
  uint32_t count;
  uint32_t size;
} tn_descs;
static inline tn_descs tn_descs_of(const tn_unit* unit, uint32_t table) {
  tn_descs found = {NULL, 0, 0};
  switch (table) {
#define TN_LIST_CASE(member, descriptor, interface)    \
  case TN_TABLE_##member:                              \
    found.data = (const char*)unit->member.data;       \
    found.count = unit->member.count;                  \
    found.size = (uint32_t)sizeof(*unit->member.data); \
    break;
#define TN_KIND_CASE(noun, plural) TN_LIST_CASE(plural, , )
    TN_UNIT_LISTS(TN_LIST_CASE)
    TENON_KINDS(TN_KIND_CASE)
#undef TN_KIND_CASE
#undef TN_LIST_CASE
    default:
      break;
  }
  return found;
}

// The tables of one runtime; what they point to lies after them, in the same memory: pointers to
// descriptors, then samples.
typedef struct tn_tables {
  tenon_entries_table tables[TN_TABLES];  // those of every interface have this layout
  tenon_selftest_table selftest;
  const tenon_backend_table* backend;
} tn_tables;

static inline void tn_tables_fill(tn_tables* made, const tn_about* about) {
  const tenon_entry_desc** next = (const tenon_entry_desc**)(void*)(made + 1);
  for (uint32_t t = 0; t < TN_TABLES; ++t) {
    made->tables[t].struct_size = (uint32_t)sizeof made->tables[t];
    made->tables[t].descs = next;
    for (uint32_t u = 0; u < about->n_units; ++u) {
      const tn_descs descs = tn_descs_of(about->units[u], t);
      for (uint32_t i = 0; i < descs.count; ++i) {
        *next++ = (const tenon_entry_desc*)(const void*)(descs.data + (size_t)i * descs.size);
      }
      made->tables[t].count += descs.count;
    }
  }
  tenon_sample* samples = (tenon_sample*)(void*)next;
  made->selftest.struct_size = (uint32_t)sizeof made->selftest;
  made->selftest.samples = samples;
  for (uint32_t u = 0; u < about->n_units; ++u) {
    const tn_unit* unit = about->units[u];
    const uint32_t count = unit->samples.count;
    if (count) memcpy(samples + made->selftest.count, unit->samples.data, count * sizeof *samples);
    made->selftest.count += count;
    if (unit->backend) made->backend = unit->backend;
  }
}

// NULL if memory has run out.
static inline tn_tables* tn_tables_create(const tn_about* about) {
  size_t bytes = sizeof(tn_tables);
  for (uint32_t u = 0; u < about->n_units; ++u) {
    bytes += about->units[u]->samples.count * sizeof(tenon_sample);
    for (uint32_t t = 0; t < TN_TABLES; ++t) {
      bytes += tn_descs_of(about->units[u], t).count * sizeof(tenon_entry_desc*);
    }
  }
  tn_tables* made = (tn_tables*)calloc(1, bytes);
  if (made) tn_tables_fill(made, about);
  return made;
}

// ---- The exported function ----------------------------------------------------------------------

// Before there is a call: writes words, and returns `status`.
static inline tenon_status tn_refuse(tenon_diag* diag, tenon_status status, const char* words) {
  diag->status = status;
  diag->length = (int32_t)strlen(words);
  if ((size_t)diag->length >= sizeof diag->message) diag->length = sizeof diag->message - 1;
  memcpy(diag->message, words, (size_t)diag->length);
  diag->message[diag->length] = 0;
  return status;
}

static inline tenon_status tn_plugin_init(const tenon_host* host, void** out_self,
                                          tenon_diag* diag) {
  (void)host;
  tn_tables* made = tn_tables_create(&tn_plugin_about);
  if (!made) return tn_refuse(diag, TENON_E_MEMORY, "out of memory");
  *out_self = made;
  return TENON_OK;
}

static inline void tn_plugin_release(void* self) { free(self); }

// NULL if the plugin has nothing for it.
static inline const void* tn_plugin_get_interface(void* self, const char* id, uint64_t length) {
  const tn_tables* made = (const tn_tables*)self;
  const size_t size = length == TENON_NUL ? strlen(id) : (size_t)length;
  for (uint32_t t = 0; t < TN_TABLES; ++t) {
    const char* known = tn_table_interface(t);
    if (!made->tables[t].count || strlen(known) != size) continue;
    if (memcmp(known, id, size) == 0) return &made->tables[t];
  }
  if (size == sizeof "tenon.selftest/1" - 1 && memcmp(id, "tenon.selftest/1", size) == 0) {
    return made->selftest.count ? &made->selftest : NULL;
  }
  if (size == sizeof "tenon.backend/1" - 1 && memcmp(id, "tenon.backend/1", size) == 0) {
    return made->backend;
  }
  return NULL;
}

// What every host of this draft reads of a tenon_plugin.
#define TN_LEAST_PLUGIN_SIZE \
  ((uint32_t)(offsetof(tenon_plugin, get_interface) + sizeof(((tenon_plugin*)0)->get_interface)))

// The body of tenon_plugin_query_v0: states tn_plugin_about, as far as both sides know the struct.
static inline tenon_status tn_plugin_query(const tenon_host* host, tenon_plugin* out,
                                           tenon_diag* diag) {
  (void)host;
  const uint32_t room = out->struct_size;
  if (room < TN_LEAST_PLUGIN_SIZE) {
    char words[100];
    snprintf(words, sizeof words, "the host reads %u bytes of tenon_plugin, %u are needed",
             (unsigned)room, (unsigned)TN_LEAST_PLUGIN_SIZE);
    return tn_refuse(diag, TENON_E_PLUGIN, words);
  }
  const tenon_fingerprint fingerprint = TENON_FINGERPRINT_BUILT;
  const uint32_t required = tn_plugin_about.required_minor;
  tenon_plugin filled;
  memset(&filled, 0, sizeof filled);
  filled.struct_size = room < sizeof filled ? room : (uint32_t)sizeof filled;
  filled.built_major = TENON_ABI_MAJOR;
  filled.built_minor = TENON_ABI_MINOR;
  filled.required_minor = required ? required : TN_REQUIRED_MINOR;
  filled.fingerprint = fingerprint;
  filled.id = tn_plugin_about.id;
  filled.version = tn_plugin_about.version;
  filled.license = tn_plugin_about.license;
  filled.init = tn_plugin_init;
  filled.release = tn_plugin_release;
  filled.get_interface = tn_plugin_get_interface;
  memcpy(out, &filled, filled.struct_size);
  return TENON_OK;
}

#ifdef __cplusplus
}
#endif

#endif  // TENON_SDK_PLUGIN_UNIT_H
