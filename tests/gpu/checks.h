// SPDX-License-Identifier: Apache-2.0
// tests/gpu/checks.h: the parts of gpu_check, and what they compare tensors with.
#pragma once

#include <math.h>

#include "driver.h"

void check_transfers(tn_client* s, const driver_options* o, const tenon_device* device);
void check_moving(tn_client* s, const driver_options* o, const tenon_device* device);
void check_training(tn_client* s, const driver_options* o, const tenon_device* device);

static inline tenon_tensor* copy_to(tn_client* s, const tenon_device* device, tenon_tensor* x) {
  tenon_tensor* copy = NULL;
  tn_check(s, tenon_tensor_create_copy(s->context, x, device, &copy));
  return tn_keep(s, copy);
}

static inline tenon_device host_of(tn_client* s) {
  tenon_device host;
  tn_check(s, tenon_device_find(s->context, "", 0, 0, &host));
  return host;
}

// A copy of a tensor's values in the program's own memory, for the caller to free.
static inline void* bytes_of(tn_client* s, tenon_tensor* x, uint64_t bytes) {
  void* data = malloc((size_t)bytes + 1);
  if (!data) tn_check(s, TENON_E_MEMORY);
  tn_check(s, tenon_tensor_get_data(s->context, x, data, bytes));
  return data;
}

static inline void expect_bytes(tn_client* s, tenon_tensor* x, const void* expected, uint64_t bytes,
                                const char* what, const char* of) {
  void* found = bytes_of(s, x, bytes);
  if (memcmp(found, expected, (size_t)bytes) != 0) driver_fail("%s of %s: other bits", what, of);
  free(found);
}

// The largest difference of two tensors of f32, over the largest absolute value of the first.
static inline double difference_of(tn_client* s, tenon_tensor* a, tenon_tensor* b) {
  tenon_tensor_info info = {.struct_size = sizeof info};
  tn_check(s, tenon_tensor_get_info(s->context, a, &info));
  const uint64_t bytes = (uint64_t)info.elements * sizeof(float);
  float *x = bytes_of(s, a, bytes), *y = bytes_of(s, b, bytes);
  double apart = 0, most = 1e-30;
  for (int64_t i = 0; i < info.elements; ++i) {
    most = fmax(most, fabs((double)x[i]));
    apart = isfinite(x[i]) && isfinite(y[i]) ? fmax(apart, fabs((double)x[i] - (double)y[i]))
                                             : INFINITY;
  }
  free(x);
  free(y);
  return apart / most;
}
