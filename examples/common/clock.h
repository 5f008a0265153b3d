// SPDX-License-Identifier: Apache-2.0
// examples/common/clock.h: seconds.
//
// Needs _POSIX_C_SOURCE 200809L before the first #include of the program.
#ifndef EXAMPLES_COMMON_CLOCK_H
#define EXAMPLES_COMMON_CLOCK_H

#include <time.h>

// Seconds since some moment that stays the same for the process.
static inline double clock_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

#endif  // EXAMPLES_COMMON_CLOCK_H
