// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/backend_kind_name.c: a device kind that is no name.
// needs: device hostile
// refused: table tenon.backend/1: the device kind 'Hostile Device' is not one of [a-z0-9_]
#include "../hostile.h"

void spoil(void) { backend.table.kind = text_of("Hostile Device"); }
