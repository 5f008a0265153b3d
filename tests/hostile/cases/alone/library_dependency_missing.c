// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/alone/library_dependency_missing.c: a library that is linked to one which is
// not shipped with it.
#include "../../hostile.h"

extern void hostile_gone(void);

// Links a library that is not shipped with it; see CMakeLists.txt.
// failed: library {library} cannot be opened: libhostile_gone.so: cannot open shared object file:
//   No such file or directory
CASE(library_dependency_missing) { hostile_gone(); }
