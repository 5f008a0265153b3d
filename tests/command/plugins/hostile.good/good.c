// SPDX-License-Identifier: Apache-2.0
// tests/command/plugins/hostile.good/good.c: does nothing wrong, so that the others' faults are
// their own.
#define HOSTILE_NAME "good"
#include "tests/command/hostile_plugin.h"

static tenon_status misbehave(enum moment moment) {
  (void)moment;
  return TENON_OK;
}
