// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/dataset_option_tag.c: a dataset with an option of no known kind.
// needs: dataset hostile.numbers
// refused: dataset hostile.numbers: option 'path' has tag 1; TENON_VALUE_STRING, I64, F64 or BOOL
//   is needed
#include "../hostile.h"

void spoil(void) { options[0].tag = TENON_VALUE_TENSOR; }
