// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/dataset_name_plain.c: a name (dataset) without a vendor.
// needs: dataset hostile.numbers
// refused: dataset 0: the name 'plain' is not of the form vendor.name in small letters, digits and
//   '_'
#include "../hostile.h"

void spoil(void) { numbers.desc.name = text_of("plain"); }
