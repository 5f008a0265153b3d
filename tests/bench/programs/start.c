// SPDX-License-Identifier: Apache-2.0
// tests/bench/programs/start.c: how long a fresh process takes to its first results, and the memory
// it then holds. Prints the seconds to a runtime and to the first add, and resident bytes before
// and after.
#define _POSIX_C_SOURCE 200809L

#include <tenon/client.h>
#include "measure.h"

int main(void) {
  const tenon_runtime_options options = {.struct_size = sizeof options, .threads = 1};
  const long before = resident_bytes();
  const double start = now();
  tn_client run = {0}, *s = &run;
  if (tenon_runtime_create(&options, NULL, &s->runtime) != TENON_OK ||
      tenon_context_create(s->runtime, NULL, &s->context) != TENON_OK) {
    fputs("error: no runtime\n", stderr);
    return 1;
  }
  const double created = now();
  const float values[64] = {1, 2, 3};
  const int64_t shape = 64;
  tenon_tensor* a = NULL;
  tn_check(s, tenon_tensor_create_from(s->context, TENON_DTYPE_F32, NULL, 1, &shape, values,
                                       sizeof values, &a));
  tn_call2(s, "tenon.add", a, a);
  const double added = now();
  printf(
      "{\"runtime_seconds\": %.9g, \"seconds\": %.9g, \"resident_before\": %ld, "
      "\"resident_bytes\": %ld}\n",
      created - start, added - start, before, resident_bytes());
  tenon_tensor_release(a);
  tn_close(s);
  return 0;
}
