// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/backend_kind_empty.c: a device kind without a name.
// needs: device hostile
// refused: table tenon.backend/1: the device kind '' is not one of [a-z0-9_]
#include "../hostile.h"

void spoil(void) { backend.table.kind = text_of(""); }
