// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/dataset_draws_by_place.cc: a dataset that is told of which batch a sample is
// draws by the sample's place in the batch, not by its number.
//
// cause: nondeterministic
// op: TENON_CASE_ID.noise
// backward-only: no
// level: 0
#include <tenon/sdk/plugin/batch.hpp>

#include "mutant.h"

namespace mutants {
namespace {

tenon_status create(tenon_call*, const tenon_value*, void** out_object) {
  *out_object = nullptr;
  return TENON_OK;
}
void release(void*) {}
tenon_status length(tenon_call*, void*, int64_t* out_length) {
  *out_length = 7;
  return TENON_OK;
}

tenon_status fields(tenon_call*, void*, tenon_dataset_field* out, uint32_t capacity,
                    uint32_t* out_count) {
  *out_count = 1;
  if (capacity < 1) return TENON_OK;
  out[0] = {sdk::str("noise"), {}};
  out[0].sample.dtype = TENON_DTYPE_I64;
  return TENON_OK;
}

tenon_status get_batch(tenon_call*, void*, const tenon_batch* batch, void* const* destinations) {
  for (int64_t i = 0; i < batch->n; ++i) {
    tenon_sdk_random random = sdk::sample_random(*batch, i, 0);
    if (kMutant) random.position = static_cast<uint64_t>(i) << 16;
    static_cast<int64_t*>(destinations[0])[i] =
        static_cast<int64_t>(tenon_sdk_random_next(&random) >> 1);
  }
  return TENON_OK;
}

constexpr tenon_dataset_desc kDatasets[] = {
    {sizeof(tenon_dataset_desc), 0, sdk::str(TENON_CASE_ID ".noise"), sdk::str("A random number."),
     nullptr, 0, 0, create, release, length, fields, nullptr, nullptr, get_batch}};

}  // namespace

constinit const sdk::Unit unit = {.datasets = kDatasets};

}  // namespace mutants
