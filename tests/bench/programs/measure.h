// SPDX-License-Identifier: Apache-2.0
// tests/bench/programs/measure.h: the time, and the memory this process has in use. Its includer
// defines _POSIX_C_SOURCE.
#pragma once

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static inline double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline long resident_bytes(void) {
  FILE* file = fopen("/proc/self/statm", "r");
  long all = 0, resident = 0;
  if (file && fscanf(file, "%ld %ld", &all, &resident) != 2) resident = 0;
  if (file) fclose(file);
  return resident * sysconf(_SC_PAGESIZE);
}
