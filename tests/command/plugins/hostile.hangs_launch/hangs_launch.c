// SPDX-License-Identifier: Apache-2.0
// tests/command/plugins/hostile.hangs_launch/hangs_launch.c: waits for ever in its kernel.
#define HOSTILE_NAME "hangs_launch"
#include "tests/command/hostile_plugin.h"

#include <unistd.h>

static tenon_status misbehave(enum moment moment) {
  if (moment == AT_LAUNCH) {
    for (;;) pause();
  }
  return TENON_OK;
}
