// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_name_endless.c: an op whose name claims to have 2^64 - 2 bytes.
// refused: op 0: a string is longer than 1048576 bytes
#include "../hostile.h"

void spoil(void) { twice_op.desc.name.length = UINT64_MAX - 1; }
