// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/backend_stream_release_null.c: a device without `stream_release`.
// needs: device hostile
// refused: device hostile: `stream_release` is NULL; no slot may be
#include "../hostile.h"

void spoil(void) { backend.table.stream_release = NULL; }
