// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/optimizer_sample_size_zero.c: a sample of an optimizer that says it has no
// bytes.
// refused: optimizer sample 0: struct_size is 0; at least {tenon_optimizer_sample} is needed
#include "../hostile.h"

void spoil(void) { sgd_run.desc.struct_size = 0; }
