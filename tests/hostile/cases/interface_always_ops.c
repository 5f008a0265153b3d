// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/interface_always_ops.c: answers every id with its ops.
// refused: table tenon.backend/1: struct_size is {tenon_ops_table}; {tenon_backend_table} is needed
#include "../hostile.h"

static const void* bad_interface(void* self, const char* id, uint64_t id_length) {
  (void)self;
  (void)id;
  (void)id_length;
  return &ops_table;
}

void spoil(void) { answer.get_interface = bad_interface; }
