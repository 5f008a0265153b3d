// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/answer_byte_order.c: built for a machine with another byte order.
// refused: built for another byte order (84148994; this Tenon has 67305985)
#include "../hostile.h"

void spoil(void) { answer.fingerprint.byte_order = 0x04030201 + 0x01010101; }
