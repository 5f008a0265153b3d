// SPDX-License-Identifier: Apache-2.0
// tests/command/plugins/hostile.opens_libraries/opens_libraries.c: opens, in init, the libraries
// whose paths TENON_TEST_HOSTILE holds, separated by ':'.
#define HOSTILE_NAME "opens_libraries"
#include <dlfcn.h>

#include "tests/command/hostile_plugin.h"

static tenon_status misbehave(enum moment moment) {
  if (moment != AT_INIT) return TENON_OK;
  char paths[4096] = "";
  strncpy(paths, getenv("TENON_TEST_HOSTILE"), sizeof paths - 1);
  char* rest = NULL;
  for (char* path = strtok_r(paths, ":", &rest); path != NULL; path = strtok_r(NULL, ":", &rest)) {
    if (dlopen(path, RTLD_NOW | RTLD_LOCAL) == NULL) return TENON_E_IO;
  }
  return TENON_OK;
}
