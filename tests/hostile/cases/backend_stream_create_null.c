// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/backend_stream_create_null.c: a device without `stream_create`.
// needs: device hostile
// refused: device hostile: `stream_create` is NULL; no slot may be
#include "../hostile.h"

void spoil(void) { backend.table.stream_create = NULL; }
