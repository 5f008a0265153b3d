// SPDX-License-Identifier: Apache-2.0
// tests/command/plugins/hostile.leaks_thread/leaks_thread.c: starts a thread in init and leaves it
// behind.
#define HOSTILE_NAME "leaks_thread"
#include "tests/command/hostile_plugin.h"

#include <pthread.h>
#include <unistd.h>

static void* wait(void* nothing) {
  (void)nothing;
  while (1) pause();
  return NULL;
}

static void start(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, wait, NULL);
}

static tenon_status misbehave(enum moment moment) {
  if (moment == AT_INIT) start();
  return TENON_OK;
}
