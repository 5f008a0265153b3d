// SPDX-License-Identifier: Apache-2.0
// examples/common/paths.h: finds the data that the repository ships, from where the program lies.
//
// Needs _POSIX_C_SOURCE 200809L before the first #include of the program.
#ifndef EXAMPLES_COMMON_PATHS_H
#define EXAMPLES_COMMON_PATHS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXAMPLE_PATH_BYTES 4096

// `first`/`second` in `out`; ends the program if it does not fit.
static inline const char* join_path(char* out, const char* first, const char* second) {
  const int length = snprintf(out, EXAMPLE_PATH_BYTES, "%s/%s", first, second);
  if (length < 0 || length >= EXAMPLE_PATH_BYTES) {
    fprintf(stderr, "error: the path %s/%s is too long\n", first, second);
    exit(1);
  }
  return out;
}

// The folder of shipped data called `name`, which lies beside the program's own folder, in a build
// tree and after installing alike. Ends the program if there is none.
static inline const char* shipped_data(const char* name, char* out) {
  char program[EXAMPLE_PATH_BYTES] = ".";
  char place[EXAMPLE_PATH_BYTES];
  struct stat status;
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length > 0) {
    program[length] = '\0';
    *strrchr(program, '/') = '\0';
  }
  join_path(out, join_path(place, program, "../share/tenon/data"), name);
  if (stat(out, &status) == 0 && S_ISDIR(status.st_mode)) return out;
  fprintf(stderr, "error: there is no folder %s; name one with --data\n", out);
  exit(1);
}

#endif  // EXAMPLES_COMMON_PATHS_H
