// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/backend_event_wait_null.c: a device without `event_wait`.
// needs: device hostile
// refused: device hostile: `event_wait` is NULL; no slot may be
#include "../hostile.h"

void spoil(void) { backend.table.event_wait = NULL; }
