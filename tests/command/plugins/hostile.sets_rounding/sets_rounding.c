// SPDX-License-Identifier: Apache-2.0
// tests/command/plugins/hostile.sets_rounding/sets_rounding.c: changes the rounding of floating
// point in its kernel.
#define HOSTILE_NAME "sets_rounding"
#include "tests/command/hostile_plugin.h"

#include <stdint.h>

static void round_down(void) {
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x2000);
#elif defined(__aarch64__)
  __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)2 << 22));
#endif
}

static tenon_status misbehave(enum moment moment) {
  if (moment == AT_LAUNCH) round_down();
  return TENON_OK;
}
