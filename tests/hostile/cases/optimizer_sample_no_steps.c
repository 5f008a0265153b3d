// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/optimizer_sample_no_steps.c: a sample of an optimizer that makes no step.
// refused: optimizer sample 0: `steps` is 0; 1 or more
#include "../hostile.h"

void spoil(void) { sgd_run.desc.steps = 0; }
