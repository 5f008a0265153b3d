// SPDX-License-Identifier: Apache-2.0
// tests/command/plugins/hostile.sets_umask/sets_umask.c: changes the umask in its kernel.
#define HOSTILE_NAME "sets_umask"
#include "tests/command/hostile_plugin.h"

#include <sys/stat.h>

static tenon_status misbehave(enum moment moment) {
  if (moment == AT_LAUNCH) umask(0);
  return TENON_OK;
}
