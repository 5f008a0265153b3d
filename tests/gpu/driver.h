// SPDX-License-Identifier: Apache-2.0
// tests/gpu/driver.h: what gpu_check and gpu_bench share: their options, a context on the device
// they are told, and parts that each run in a process of their own, so that one that dies, or loses
// its device, tells about itself alone.
//
// Needs _POSIX_C_SOURCE 200809L before the first #include of the program.
#pragma once

#include <stdarg.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tenon/client.h>
#include "../bench/programs/measure.h"

#define DRIVER_SKIPPED 77

typedef struct driver_options {
  const char* device;  // kind
  const char* data;    // folder with mnist/; NULL: the shipped digits
  const char* json;    // file that figures are added to; NULL: none
  const char* only;    // the part to run; NULL: all
  int quick;           // small sizes, for a test of the program itself
} driver_options;

typedef struct driver_part {
  const char* name;
  void (*run)(tn_client* s, const driver_options* options, const tenon_device* device);
} driver_part;

static inline driver_options driver_options_read(int argc, char** argv) {
  driver_options o = {.device = "cuda", .data = getenv("TENON_DATA")};
  for (int i = 1; i < argc; ++i) {
    const char** text = !strcmp(argv[i], "--device") ? &o.device
                        : !strcmp(argv[i], "--data") ? &o.data
                        : !strcmp(argv[i], "--json") ? &o.json
                        : !strcmp(argv[i], "--only") ? &o.only
                                                     : NULL;
    if (!strcmp(argv[i], "--quick")) {
      o.quick = 1;
    } else if (text && i + 1 < argc) {
      *text = argv[++i];
    } else {
      fprintf(stderr,
              "usage: %s [--device KIND] [--data DIR] [--json FILE] [--only PART] [--quick]\n",
              argv[0]);
      exit(2);
    }
  }
  return o;
}

// Ends the part as failed.
static inline void driver_fail(const char* format, ...) {
  va_list values;
  va_start(values, format);
  vfprintf(stderr, format, values);
  va_end(values);
  fputc('\n', stderr);
  exit(1);
}

// Ends the part as not for this device.
static inline void driver_skip(const char* why) {
  printf("  not on this device: %s\n", why);
  exit(DRIVER_SKIPPED);
}

static inline const char* driver_message(tn_client* s) {
  tenon_error error = {.struct_size = sizeof error};
  return tenon_context_get_error(s->context, &error) == TENON_OK ? error.message : "no words";
}

// A client whose context is on the device. Ends the process as skipped if there is none.
static inline void driver_open(tn_client* s, const driver_options* o, tenon_device* out_device) {
  tn_open(s, 0, 20261122);
  if (tenon_device_find(s->context, o->device, TENON_NUL, 0, out_device) != TENON_OK) {
    driver_skip(driver_message(s));
  }
  tn_check(s, tenon_context_set_device(s->context, out_device));
}

static inline int driver_child(const driver_part* part, const driver_options* o) {
  tn_client run, *s = &run;
  tenon_device device;
  driver_open(s, o, &device);
  part->run(s, o, &device);
  tn_close(s);
  return 0;
}

// Runs the parts asked for. Returns the program's status: 1 when one failed, 77 when all were
// skipped. Nothing may be opened before: a device does not survive a fork.
static inline int driver_run(const driver_part* parts, int count, const driver_options* o) {
  int failed = 0, done = 0, known = 0;
  for (int i = 0; i < count; ++i) {
    if (o->only && strcmp(o->only, parts[i].name) != 0) continue;
    known = 1;
    fflush(NULL);
    const double start = now();
    int status = 0;
    const pid_t child = fork();
    if (child == 0) exit(driver_child(&parts[i], o));
    if (child < 0 || waitpid(child, &status, 0) < 0) driver_fail("no process for a part");
    const int is_skipped = WIFEXITED(status) && WEXITSTATUS(status) == DRIVER_SKIPPED;
    const int is_good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    done += is_good;
    failed += !is_good && !is_skipped;
    printf("%-10s %-7s %6.1f s%s\n", parts[i].name,
           is_good      ? "ok"
           : is_skipped ? "skipped"
                        : "FAILED",
           now() - start, WIFSIGNALED(status) ? "  (it died)" : "");
  }
  if (!known) driver_fail("there is no part '%s'", o->only);
  return failed ? 1 : done ? 0 : DRIVER_SKIPPED;
}
