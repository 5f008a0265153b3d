// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/backend_device_count_null.c: a device without `device_count`.
// needs: device hostile
// refused: device hostile: `device_count` is NULL; no slot may be
#include "../hostile.h"

void spoil(void) { backend.table.device_count = NULL; }
