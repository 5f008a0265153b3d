// SPDX-License-Identifier: Apache-2.0
// tests/mutants/cases/dataset_length_lies.cc: a padded dataset counts the number that ends a
// sample when it is read, and forgets it when it says how long the sample is.
//
// cause: sample-length
// op: TENON_CASE_ID.rows
// backward-only: no
// level: 0
#include <algorithm>

#include "mutant.h"

namespace mutants {
namespace {

constexpr int64_t kSamples = 7, kWindow = 4;

int64_t length_of(int64_t sample) { return 1 + sample % kWindow; }

tenon_status create(tenon_call*, const tenon_value*, void** out_object) {
  *out_object = nullptr;
  return TENON_OK;
}
void release(void*) {}
tenon_status length(tenon_call*, void*, int64_t* out_length) {
  *out_length = kSamples;
  return TENON_OK;
}

tenon_status fields(tenon_call*, void*, tenon_dataset_field* out, uint32_t capacity,
                    uint32_t* out_count) {
  *out_count = 2;
  if (capacity < 2) return TENON_OK;
  out[0] = {sdk::str("numbers"), {}};
  out[0].sample.dtype = TENON_DTYPE_I64;
  out[0].sample.rank = 1;
  out[0].sample.shape[0] = kWindow;
  out[1] = {sdk::str("length"), {}};
  out[1].sample.dtype = TENON_DTYPE_I64;
  return TENON_OK;
}

tenon_status get(tenon_call*, void*, const int64_t* indices, int64_t n, void* const* destinations) {
  auto* const numbers = static_cast<int64_t*>(destinations[0]);
  auto* const lengths = static_cast<int64_t*>(destinations[1]);
  for (int64_t i = 0; i < n; ++i) {
    lengths[i] = length_of(indices[i]);
    std::fill_n(numbers + i * kWindow, kWindow, 0);
    std::fill_n(numbers + i * kWindow, lengths[i], indices[i]);
  }
  return TENON_OK;
}

tenon_status lengths(tenon_call*, void*, int64_t first, int64_t count, int64_t* out) {
  for (int64_t i = 0; i < count; ++i) out[i] = length_of(first + i) - (kMutant ? 1 : 0);
  return TENON_OK;
}

constexpr tenon_dataset_desc kDatasets[] = {
    {sizeof(tenon_dataset_desc), 0, sdk::str(TENON_CASE_ID ".rows"),
     sdk::str("Rows of 1 to 4 numbers, padded with 0."), nullptr, 0, 0, create, release, length,
     fields, get, lengths, nullptr}};

}  // namespace

constinit const sdk::Unit unit = {.datasets = kDatasets};

}  // namespace mutants
