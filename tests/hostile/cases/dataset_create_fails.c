// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/dataset_create_fails.c: a dataset that cannot be opened and does not say why.
// needs: dataset hostile.numbers
// error: TENON_E_IO hostile.numbers: the create failed without saying why
#include "../hostile.h"

static tenon_status create(tenon_call* call, const tenon_value* values, void** out_object) {
  (void)call;
  (void)values;
  (void)out_object;
  return TENON_E_IO;
}

void spoil(void) { numbers.desc.create = create; }
