// SPDX-License-Identifier: Apache-2.0
// tests/cpp/program.c: a program in C, as the pages of docs/c have it, beside which C++ works.
#include <tenon/client.h>

#include "tests/cpp/part.h"

static tn_client client;

tenon_context* program_open(tenon_runtime** out_runtime) {
  tn_open(&client, 1, 42);
  *out_runtime = client.runtime;
  return client.context;
}

tenon_tensor* program_ones(void) {
  const int64_t shape[] = {2};
  const float ones[] = {1, 1};
  return tn_tensor(&client, shape, 1, ones);
}

tenon_tensor* program_add(tenon_tensor* a, tenon_tensor* b) {
  return tn_call2(&client, "tenon.add", a, b);
}

void program_backward(tenon_tensor* loss) { tn_backward(&client, loss); }

void program_close(void) { tn_close(&client); }
