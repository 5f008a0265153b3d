// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_backend_size_small.c: the table of its device is a slot too short.
// needs: device hostile
// refused: table tenon.backend/1: struct_size is 40; {tenon_backend_table} is needed
#include "../hostile.h"

void spoil(void) { backend.table.struct_size = 40; }
