// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/dataset_option_required.c: a dataset with an option that is neither required
// nor not.
// needs: dataset hostile.numbers
// refused: dataset hostile.numbers: option 'path': `required` is 2; 0 or 1 is needed
#include "../hostile.h"

void spoil(void) { options[0].required = 2; }
