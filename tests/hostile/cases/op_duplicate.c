// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_duplicate.c: an op that is there twice.
// refused: op hostile.twice is registered twice
#include "../hostile.h"

void spoil(void) { ops[ops_table.count++] = &twice_op.desc; }
