// SPDX-License-Identifier: Apache-2.0
// tests/command/plugins/hostile.aborts_init/aborts_init.c: calls abort in init.
#define HOSTILE_NAME "aborts_init"
#include "tests/command/hostile_plugin.h"

static tenon_status misbehave(enum moment moment) {
  if (moment == AT_INIT) abort();
  return TENON_OK;
}
