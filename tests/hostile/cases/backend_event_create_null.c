// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/backend_event_create_null.c: a device without `event_create`.
// needs: device hostile
// refused: device hostile: `event_create` is NULL; no slot may be
#include "../hostile.h"

void spoil(void) { backend.table.event_create = NULL; }
