// SPDX-License-Identifier: Apache-2.0
// tests/command/plugins/hostile.keeps_file/keeps_file.c: opens a file when it is loaded and keeps
// it.
#define HOSTILE_NAME "keeps_file"
#include "tests/command/hostile_plugin.h"

#include <fcntl.h>

static tenon_status misbehave(enum moment moment) {
  if (moment == AT_LOAD && open("/dev/zero", O_RDONLY | O_CLOEXEC) < 0) return TENON_E_IO;
  return TENON_OK;
}
