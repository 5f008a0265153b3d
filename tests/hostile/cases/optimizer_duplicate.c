// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/optimizer_duplicate.c: an optimizer that is there twice.
// needs: optimizer hostile.sgd
// refused: optimizer hostile.sgd is registered twice
#include "../hostile.h"

void spoil(void) { optimizers[optimizers_table.count++] = &sgd.desc; }
