// SPDX-License-Identifier: Apache-2.0
// tests/command/plugins/hostile.exits_init/exits_init.c: ends the process in init.
#define HOSTILE_NAME "exits_init"
#include "tests/command/hostile_plugin.h"

#include <unistd.h>

static tenon_status misbehave(enum moment moment) {
  if (moment == AT_INIT) _exit(0);
  return TENON_OK;
}
