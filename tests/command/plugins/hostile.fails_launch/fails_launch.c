// SPDX-License-Identifier: Apache-2.0
// tests/command/plugins/hostile.fails_launch/fails_launch.c: reports an error for a sample that
// should work.
#define HOSTILE_NAME "fails_launch"
#include "tests/command/hostile_plugin.h"

static tenon_status misbehave(enum moment moment) {
  return moment == AT_LAUNCH ? TENON_E_DATA : TENON_OK;
}
