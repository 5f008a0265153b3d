// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/dataset_option_name.c: a dataset with an option whose name is none.
// needs: dataset hostile.numbers
// refused: dataset hostile.numbers: the name 'Path' is not one of [a-z0-9_]
#include "../hostile.h"

void spoil(void) { options[0].name = text_of("Path"); }
