// SPDX-License-Identifier: Apache-2.0
// tests/command/plugins/hostile.trusts_memory/trusts_memory.c: does not look at what malloc
// returns.
#define HOSTILE_NAME "trusts_memory"
#include "tests/command/hostile_plugin.h"

static tenon_status misbehave(enum moment moment) {
  if (moment != AT_LAUNCH) return TENON_OK;
  char* volatile lost = malloc(40);
  if (lost == NULL) crash();
  free(lost);
  return TENON_OK;
}
