// SPDX-License-Identifier: Apache-2.0
// tests/command/plugins/hostile.sets_locale/sets_locale.c: changes the locale when it is loaded.
#define HOSTILE_NAME "sets_locale"
#include "tests/command/hostile_plugin.h"

#include <locale.h>

static tenon_status misbehave(enum moment moment) {
  if (moment == AT_LOAD) setlocale(LC_ALL, "C.UTF-8");
  return TENON_OK;
}
