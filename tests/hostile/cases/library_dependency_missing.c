// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/library_dependency_missing.c: links a library that is not shipped with it;
// see CMakeLists.txt.
// failed: library {library} cannot be opened: libhostile_gone.so: cannot open shared object file:
//   No such file or directory
#include "../hostile.h"

extern void hostile_gone(void);

void spoil(void) { hostile_gone(); }
