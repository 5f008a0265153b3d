// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/backend_event_record_null.c: a device without `event_record`.
// needs: device hostile
// refused: device hostile: `event_record` is NULL; no slot may be
#include "../hostile.h"

void spoil(void) { backend.table.event_record = NULL; }
