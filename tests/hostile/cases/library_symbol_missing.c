// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/library_symbol_missing.c: needs a function that nobody has.
// failed: library {library} cannot be opened: {library}: undefined symbol: hostile_nowhere
#include "../hostile.h"

extern void hostile_nowhere(void);

void spoil(void) { hostile_nowhere(); }
