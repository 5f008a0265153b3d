// SPDX-License-Identifier: Apache-2.0
// tests/command/plugins/hostile.crashes_release/crashes_release.c: writes to a bad address in
// release.
#define HOSTILE_NAME "crashes_release"
#include "tests/command/hostile_plugin.h"

static tenon_status misbehave(enum moment moment) {
  if (moment == AT_RELEASE) crash();
  return TENON_OK;
}
