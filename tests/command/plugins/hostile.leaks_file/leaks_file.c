// SPDX-License-Identifier: Apache-2.0
// tests/command/plugins/hostile.leaks_file/leaks_file.c: opens a file in init and never closes it.
#define HOSTILE_NAME "leaks_file"
#include "tests/command/hostile_plugin.h"

#include <fcntl.h>

static tenon_status misbehave(enum moment moment) {
  if (moment == AT_INIT && open("/dev/zero", O_RDONLY | O_CLOEXEC) < 0) return TENON_E_IO;
  return TENON_OK;
}
