// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/op_random_words.c: a random op that does not say how many words it draws.
// refused: op hostile.twice: flag RANDOM needs `random_words`; it is NULL
#include "../hostile.h"

void spoil(void) { twice_op.desc.flags |= TENON_OP_RANDOM; }
