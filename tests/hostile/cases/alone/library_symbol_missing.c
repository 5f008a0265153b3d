// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/alone/library_symbol_missing.c: a library that needs a function which nobody
// has.
#include "../../hostile.h"

extern void hostile_nowhere(void);

// Needs a function that nobody has.
// failed: library {library} cannot be opened: {library}: undefined symbol: hostile_nowhere
CASE(library_symbol_missing) { hostile_nowhere(); }
