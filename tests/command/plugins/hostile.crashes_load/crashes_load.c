// SPDX-License-Identifier: Apache-2.0
// tests/command/plugins/hostile.crashes_load/crashes_load.c: writes to a bad address when it is
// loaded.
#define HOSTILE_NAME "crashes_load"
#include "tests/command/hostile_plugin.h"

static tenon_status misbehave(enum moment moment) {
  if (moment == AT_LOAD) crash();
  return TENON_OK;
}
