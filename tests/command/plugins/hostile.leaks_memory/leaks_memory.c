// SPDX-License-Identifier: Apache-2.0
// tests/command/plugins/hostile.leaks_memory/leaks_memory.c: allocates in init and never frees.
#define HOSTILE_NAME "leaks_memory"
#include "tests/command/hostile_plugin.h"

static tenon_status misbehave(enum moment moment) {
  if (moment != AT_INIT) return TENON_OK;
  void* volatile lost = malloc(64 << 10);
  if (lost == NULL) return TENON_E_MEMORY;
  memset(lost, 1, 64 << 10);
  return TENON_OK;
}
