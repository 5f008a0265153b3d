// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/backend_stream_wait_null.c: a device without `stream_wait`.
// needs: device hostile
// refused: device hostile: `stream_wait` is NULL; no slot may be
#include "../hostile.h"

void spoil(void) { backend.table.stream_wait = NULL; }
