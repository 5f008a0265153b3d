// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/backend_event_release_null.c: a device without `event_release`.
// needs: device hostile
// refused: device hostile: `event_release` is NULL; no slot may be
#include "../hostile.h"

void spoil(void) { backend.table.event_release = NULL; }
