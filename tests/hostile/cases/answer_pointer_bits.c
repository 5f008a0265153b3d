// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/answer_pointer_bits.c: built for a machine with other pointers.
// refused: built for pointers of 32 bits; this Tenon has 64
#include "../hostile.h"

void spoil(void) { answer.fingerprint.pointer_bits = 32; }
