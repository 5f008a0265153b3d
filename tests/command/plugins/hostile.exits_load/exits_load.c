// SPDX-License-Identifier: Apache-2.0
// tests/command/plugins/hostile.exits_load/exits_load.c: ends the process from a static
// constructor.
#define HOSTILE_NAME "exits_load"
#include "tests/command/hostile_plugin.h"

static tenon_status misbehave(enum moment moment) {
  if (moment == AT_LOAD) exit(3);
  return TENON_OK;
}
