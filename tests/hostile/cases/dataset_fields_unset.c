// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/dataset_fields_unset.c: a dataset that does not say what its field is.
// needs: dataset hostile.numbers
// error: TENON_E_PLUGIN hostile.numbers: field "" has an impossible shape or dtype
#include "../hostile.h"

static tenon_status fields(tenon_call* call, void* object, tenon_dataset_field* out,
                           uint32_t capacity, uint32_t* out_count) {
  (void)call;
  (void)object;
  (void)out;
  (void)capacity;
  *out_count = 1;
  return TENON_OK;
}

void spoil(void) { numbers.desc.fields = fields; }
