// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/backend_alloc_null.c: a device without `alloc`.
// needs: device hostile
// refused: device hostile: `alloc` is NULL; no slot may be
#include "../hostile.h"

void spoil(void) { backend.table.alloc = NULL; }
