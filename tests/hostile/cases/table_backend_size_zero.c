// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/table_backend_size_zero.c: the table of its device says it has no bytes.
// needs: device hostile
// refused: table tenon.backend/1: struct_size is 0; {tenon_backend_table} is needed
#include "../hostile.h"

void spoil(void) { backend.table.struct_size = 0; }
