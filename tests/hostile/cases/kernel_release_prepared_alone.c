// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/kernel_release_prepared_alone.c: a kernel that releases what nobody prepared.
// refused: kernel 0 (hostile.twice on cpu): it has `release_prepared` but no `prepare`; give both
//   or neither
#include "../hostile.h"

static void release_prepared(void* user, void* prepared) {
  (void)user;
  (void)prepared;
}

void spoil(void) { twice_kernel.desc.release_prepared = release_prepared; }
