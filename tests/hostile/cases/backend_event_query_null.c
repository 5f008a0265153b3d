// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/backend_event_query_null.c: a device without `event_query`.
// needs: device hostile
// refused: device hostile: `event_query` is NULL; no slot may be
#include "../hostile.h"

void spoil(void) { backend.table.event_query = NULL; }
