// SPDX-License-Identifier: Apache-2.0
// tests/command/plugins/hostile.sets_float/sets_float.c: makes subnormals zero when it is loaded,
// as -ffast-math does.
#define HOSTILE_NAME "sets_float"
#include "tests/command/hostile_plugin.h"

#include <stdint.h>

static void flush_subnormals(void) {
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#elif defined(__aarch64__)
  __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)1 << 24));
#endif
}

static tenon_status misbehave(enum moment moment) {
  if (moment == AT_LOAD) flush_subnormals();
  return TENON_OK;
}
