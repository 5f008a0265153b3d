// SPDX-License-Identifier: Apache-2.0
// tests/command/plugins/hostile.crashes_init/crashes_init.c: writes to a bad address in init.
#define HOSTILE_NAME "crashes_init"
#include "tests/command/hostile_plugin.h"

static tenon_status misbehave(enum moment moment) {
  if (moment == AT_INIT) crash();
  return TENON_OK;
}
