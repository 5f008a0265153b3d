// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/backend_copy_null.c: a device without `copy`.
// needs: device hostile
// refused: device hostile: `copy` is NULL; no slot may be
#include "../hostile.h"

void spoil(void) { backend.table.copy = NULL; }
