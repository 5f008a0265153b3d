// SPDX-License-Identifier: Apache-2.0
// tests/command/plugins/hostile.prints_load/prints_load.c: prints when it is loaded.
#define HOSTILE_NAME "prints_load"
#include "tests/command/hostile_plugin.h"

#include <stdio.h>

static tenon_status misbehave(enum moment moment) {
  if (moment == AT_LOAD) puts("hello from a constructor\nand more");
  return TENON_OK;
}
