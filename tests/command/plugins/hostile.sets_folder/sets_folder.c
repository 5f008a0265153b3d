// SPDX-License-Identifier: Apache-2.0
// tests/command/plugins/hostile.sets_folder/sets_folder.c: changes the current directory in init.
#define HOSTILE_NAME "sets_folder"
#include "tests/command/hostile_plugin.h"

#include <unistd.h>

static tenon_status misbehave(enum moment moment) {
  return moment == AT_INIT && chdir("/") != 0 ? TENON_E_IO : TENON_OK;
}
