// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/backend_flags.c: a device with a flag that Tenon does not know.
// needs: device hostile
// refused: device hostile needs a newer Tenon: unknown flags 256
#include "../hostile.h"

void spoil(void) { backend.table.flags = 1u << 8; }
