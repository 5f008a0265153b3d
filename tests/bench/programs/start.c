// SPDX-License-Identifier: Apache-2.0
// tests/bench/programs/start.c: how long a fresh process takes to its first results, and the memory
// it then holds. Prints the seconds to a runtime and to the first add, and resident bytes before
// and after.
//
// usage    bench_start [PLUGIN...]    without these plugins
#define _POSIX_C_SOURCE 200809L

#include <time.h>
#include <unistd.h>

#include "../../../examples/common/session.h"

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static long resident_bytes(void) {
  FILE* file = fopen("/proc/self/statm", "r");
  long all = 0, resident = 0;
  if (file && fscanf(file, "%ld %ld", &all, &resident) != 2) resident = 0;
  if (file) fclose(file);
  return resident * sysconf(_SC_PAGESIZE);
}

int main(int argc, char** argv) {
  tenon_string exclude[16];
  const uint32_t n_exclude = argc - 1 < 16 ? (uint32_t)(argc - 1) : 16;
  for (uint32_t i = 0; i < n_exclude; ++i) {
    exclude[i] = (tenon_string){argv[i + 1], strlen(argv[i + 1])};
  }
  const tenon_runtime_options options = {
      .struct_size = sizeof options, .threads = 1, .n_exclude = n_exclude, .exclude = exclude};
  const long before = resident_bytes();
  const double start = now();
  session run = {0}, *s = &run;
  if (tenon_runtime_create(&options, NULL, &s->runtime) != TENON_OK ||
      tenon_context_create(s->runtime, NULL, &s->context) != TENON_OK) {
    fputs("error: no runtime\n", stderr);
    return 1;
  }
  const double created = now();
  const float values[64] = {1, 2, 3};
  const int64_t shape = 64;
  tenon_tensor* a = NULL;
  session_check(s, tenon_tensor_create_from(s->context, TENON_DTYPE_F32, NULL, 1, &shape, values,
                                            sizeof values, &a));
  call2(s, "tenon.add", a, a);
  const double added = now();
  printf(
      "{\"runtime_seconds\": %.9g, \"seconds\": %.9g, \"resident_before\": %ld, "
      "\"resident_bytes\": %ld}\n",
      created - start, added - start, before, resident_bytes());
  tenon_tensor_release(a);
  session_close(s);
  return 0;
}
