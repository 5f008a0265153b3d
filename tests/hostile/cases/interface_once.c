// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/interface_once.c: hands out each table once and then never again: each is
// asked for once.
// opens: op hostile.finite was passed over for role 'isfinite': tenon.isfinite of plugin tenon.ops
//   holds it
#include "../hostile.h"

#include <string.h>

static unsigned asked;
static const void* (*good_interface)(void*, const char*, uint64_t);

static const void* bad_interface(void* self, const char* id, uint64_t id_length) {
  for (unsigned i = 0; i < N_INTERFACES; ++i) {
    const char* known = interfaces[i].id;
    if (strlen(known) != id_length || memcmp(known, id, id_length) != 0) continue;
    if ((asked & 1u << i) != 0) return NULL;
    asked |= 1u << i;
  }
  return good_interface(self, id, id_length);
}

void spoil(void) {
  asked = 0;
  good_interface = answer.get_interface;
  answer.get_interface = bad_interface;
}
