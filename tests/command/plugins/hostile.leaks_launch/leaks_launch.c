// SPDX-License-Identifier: Apache-2.0
// tests/command/plugins/hostile.leaks_launch/leaks_launch.c: every launch allocates a little and
// never frees it.
#define HOSTILE_NAME "leaks_launch"
#include "tests/command/hostile_plugin.h"

static tenon_status misbehave(enum moment moment) {
  if (moment != AT_LAUNCH) return TENON_OK;
  void* volatile lost = malloc(40);
  if (lost == NULL) return TENON_E_MEMORY;
  memset(lost, 1, 40);
  return TENON_OK;
}
