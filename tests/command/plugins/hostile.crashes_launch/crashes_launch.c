// SPDX-License-Identifier: Apache-2.0
// tests/command/plugins/hostile.crashes_launch/crashes_launch.c: writes to a bad address in its
// kernel.
#define HOSTILE_NAME "crashes_launch"
#include "tests/command/hostile_plugin.h"

static tenon_status misbehave(enum moment moment) {
  if (moment == AT_LAUNCH) crash();
  return TENON_OK;
}
