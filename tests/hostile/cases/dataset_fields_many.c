// SPDX-License-Identifier: Apache-2.0
// tests/hostile/cases/dataset_fields_many.c: a dataset with more fields than anybody can list.
// needs: dataset hostile.numbers
// error: TENON_E_PLUGIN hostile.numbers: gives an impossible length or number of fields
#include "../hostile.h"

static tenon_status fields(tenon_call* call, void* object, tenon_dataset_field* out,
                           uint32_t capacity, uint32_t* out_count) {
  (void)call;
  (void)object;
  (void)out;
  (void)capacity;
  *out_count = UINT32_MAX;
  return TENON_OK;
}

void spoil(void) { numbers.desc.fields = fields; }
