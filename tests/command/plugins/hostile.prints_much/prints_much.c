// SPDX-License-Identifier: Apache-2.0
// tests/command/plugins/hostile.prints_much/prints_much.c: prints without end when it is loaded.
#define HOSTILE_NAME "prints_much"
#include "tests/command/hostile_plugin.h"

#include <unistd.h>

static tenon_status misbehave(enum moment moment) {
  static const char line[1024] = "again\n";
  while (moment == AT_LOAD && write(STDOUT_FILENO, line, sizeof line) > 0) {
  }
  return TENON_OK;
}
