// SPDX-License-Identifier: Apache-2.0
// tests/command/plugins/hostile.hangs_init/hangs_init.c: waits for ever in init.
#define HOSTILE_NAME "hangs_init"
#include "tests/command/hostile_plugin.h"

#include <unistd.h>

static tenon_status misbehave(enum moment moment) {
  if (moment == AT_INIT) {
    for (;;) pause();
  }
  return TENON_OK;
}
