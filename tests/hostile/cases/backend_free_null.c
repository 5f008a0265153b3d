// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/backend_free_null.c: a device without `free`.
// needs: device hostile
// refused: device hostile: `free` is NULL; no slot may be
#include "../hostile.h"

void spoil(void) { backend.table.free = NULL; }
