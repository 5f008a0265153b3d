// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/interface_none.c: hands out nothing of what its manifest lists.
// refused: plugin.json and the library disagree in field "ops": plugin.json lists "hostile.finite"
//   revision 1 with role "isfinite", which the library does not register; write plugin.json again
//   with `tenon manifest`
#include "../hostile.h"

static const void* bad_interface(void* self, const char* id, uint64_t id_length) {
  (void)self;
  (void)id;
  (void)id_length;
  return NULL;
}

void spoil(void) { answer.get_interface = bad_interface; }
