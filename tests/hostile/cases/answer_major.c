// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/answer_major.c: built for another major version of the ABI.
// refused: built for ABI major 3; this Tenon loads major {major}
#include "../hostile.h"

void spoil(void) { answer.built_major = 3; }
