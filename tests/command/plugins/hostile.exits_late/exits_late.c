// SPDX-License-Identifier: Apache-2.0
// tests/command/plugins/hostile.exits_late/exits_late.c: leaves an exit handler that changes the
// exit status.
#define HOSTILE_NAME "exits_late"
#include "tests/command/hostile_plugin.h"

#include <unistd.h>

static void end(void) { _exit(7); }

static tenon_status misbehave(enum moment moment) {
  if (moment == AT_LOAD) atexit(end);
  return TENON_OK;
}
