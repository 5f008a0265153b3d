// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/dataset_length_negative.c: a dataset with minus one sample.
// needs: dataset hostile.numbers
// error: TENON_E_PLUGIN hostile.numbers: gives an impossible length or number of fields
#include "../hostile.h"

static tenon_status length(tenon_call* call, void* object, int64_t* out_length) {
  (void)call;
  (void)object;
  *out_length = -1;
  return TENON_OK;
}

void spoil(void) { numbers.desc.length = length; }
