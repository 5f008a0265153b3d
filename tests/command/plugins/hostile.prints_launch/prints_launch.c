// SPDX-License-Identifier: Apache-2.0
// tests/command/plugins/hostile.prints_launch/prints_launch.c: prints to stderr in its kernel.
#define HOSTILE_NAME "prints_launch"
#include "tests/command/hostile_plugin.h"

#include <stdio.h>

static tenon_status misbehave(enum moment moment) {
  if (moment == AT_LAUNCH) fputs("launched!\n", stderr);
  return TENON_OK;
}
