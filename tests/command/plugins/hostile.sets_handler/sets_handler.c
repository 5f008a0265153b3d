// SPDX-License-Identifier: Apache-2.0
// tests/command/plugins/hostile.sets_handler/sets_handler.c: sets a signal handler in init.
#define HOSTILE_NAME "sets_handler"
#include "tests/command/hostile_plugin.h"

#include <signal.h>

static tenon_status misbehave(enum moment moment) {
  if (moment == AT_INIT) signal(SIGUSR1, SIG_IGN);
  return TENON_OK;
}
