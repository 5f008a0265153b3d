// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/answer_required_above_built.c: requires more than it was built for.
// refused: requires ABI minor {minor} but was built for 0
#include "../hostile.h"

void spoil(void) { answer.built_minor = 0; }
