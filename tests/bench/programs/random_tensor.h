// SPDX-License-Identifier: Apache-2.0
// tests/bench/programs/random_tensor.h: tensors of random numbers on the context's device, whatever
// that can run: they are drawn on the host.
#pragma once

#include <stdint.h>

#include <tenon/client.h>

// Numerical Recipes' generator; the upper half of what it returns is good.
static inline uint32_t next_random(uint32_t* state) {
  return *state = *state * 1664525u + 1013904223u;
}

static inline int64_t elements_of(const int64_t* shape, uint32_t rank) {
  int64_t count = 1;
  for (uint32_t d = 0; d < rank; ++d) count *= shape[d];
  return count;
}

static inline tenon_tensor* tensor_of(tn_client* s, tenon_dtype dtype, const int64_t* shape,
                                      uint32_t rank, void* data, uint64_t bytes) {
  tenon_tensor* made = NULL;
  tn_check(s, tenon_tensor_create_from(s->context, dtype, NULL, (int32_t)rank, shape, data, bytes,
                                       &made));
  free(data);
  return made;
}

// f32 or bf16, uniform in [-bound, bound).
static inline tenon_tensor* random_tensor(tn_client* s, tenon_dtype dtype, const int64_t* shape,
                                          uint32_t rank, double bound, uint32_t* state) {
  const int64_t count = elements_of(shape, rank);
  const uint64_t bytes = (uint64_t)count * (dtype == TENON_DTYPE_F32 ? 4 : 2);
  void* data = malloc((size_t)bytes + 1);
  if (!data) tn_check(s, TENON_E_MEMORY);
  const float scale = (float)(bound / (1u << 23));
  for (int64_t i = 0; i < count; ++i) {
    const float drawn = (float)((int32_t)(next_random(state) >> 8) - (1 << 23)) * scale;
    uint32_t bits;
    memcpy(&bits, &drawn, sizeof bits);
    if (dtype == TENON_DTYPE_F32) {
      ((uint32_t*)data)[i] = bits;
    } else {
      ((uint16_t*)data)[i] = (uint16_t)(bits >> 16);
    }
  }
  return tensor_of(s, dtype, shape, rank, data, bytes);
}

// i64, each of 0 to classes - 1.
static inline tenon_tensor* random_labels(tn_client* s, int64_t count, uint32_t classes,
                                          uint32_t* state) {
  const uint64_t bytes = (uint64_t)count * sizeof(int64_t);
  int64_t* labels = malloc((size_t)bytes + 1);
  if (!labels) tn_check(s, TENON_E_MEMORY);
  for (int64_t i = 0; i < count; ++i) labels[i] = (next_random(state) >> 16) % classes;
  return tensor_of(s, TENON_DTYPE_I64, &count, 1, labels, bytes);
}
