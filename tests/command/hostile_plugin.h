// SPDX-License-Identifier: Apache-2.0
// tests/command/hostile_plugin.h: a small plugin in order, and a chance to misbehave. A file that
// includes this defines HOSTILE_NAME first and `misbehave` afterwards; the plugin is then
// "hostile.<name>" with one op of that name, a kernel for "cpu", and one sample.
//
// `tenon manifest` opens the plugin while it is built, so `misbehave` is only called where the
// environment has TENON_TEST_HOSTILE.
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/plugin.h>

enum moment { AT_LOAD, AT_INIT, AT_LAUNCH, AT_RELEASE };

static tenon_status misbehave(enum moment moment);

static tenon_status reach(enum moment moment) {
  return getenv("TENON_TEST_HOSTILE") == NULL ? TENON_OK : misbehave(moment);
}

// Writes to a bad address. Sanitizers would see it before the machine does.
__attribute__((no_sanitize("address", "thread", "undefined"))) static inline void crash(void) {
  int* volatile address = (int*)(uintptr_t)64;
  *address = 1;
}

#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

static tenon_status launch(tenon_call* call, const tenon_launch* args) {
  (void)call;
  const tenon_view* x = &args->views[0];
  memcpy(args->views[1].data, x->data, (size_t)x->shape[0] * sizeof(float));
  return reach(AT_LAUNCH);
}

static const tenon_op_desc op = {
    .struct_size = sizeof(tenon_op_desc),
    .name = TEXT("hostile." HOSTILE_NAME),
    .schema = TEXT(HOSTILE_NAME "(x: T[N]) -> T[N] where T: float"),
    .doc = TEXT("A copy."),
    .revision = 1,
    .shape_rule = TENON_SHAPE_SAME_AS_0,
};
static const tenon_op_desc* const ops[] = {&op};
static const tenon_ops_table ops_table = {sizeof(tenon_ops_table), 1, ops};

static const tenon_slot_rule slots[] = {{TENON_SLOT_IN, TENON_LAYOUT_CONTIGUOUS, 0, 0},
                                        {TENON_SLOT_OUT, TENON_LAYOUT_CONTIGUOUS, 0, 0}};
static const tenon_dtype rows[] = {TENON_DTYPE_F32};
static const tenon_kernel_desc kernel = {
    .struct_size = sizeof(tenon_kernel_desc),
    .flags = TENON_KERNEL_CANONICAL,
    .op = TEXT("hostile." HOSTILE_NAME),
    .device = TEXT("cpu"),
    .revision = 1,
    .slots = slots,
    .dtype_rows = rows,
    .n_slots = 2,
    .n_rows = 1,
    .n_variables = 1,
    .launch = launch,
};
static const tenon_kernel_desc* const kernels[] = {&kernel};
static const tenon_kernels_table kernels_table = {sizeof(tenon_kernels_table), 1, kernels};

static const tenon_sample samples[] = {
    {.op = TEXT("hostile." HOSTILE_NAME), .text = TEXT("f32[3]"), .expect = TENON_OK}};
static const tenon_selftest_table selftest_table = {sizeof(tenon_selftest_table), 1, samples};

static tenon_status init(const tenon_host* host, void** out_self, tenon_diag* diag) {
  (void)host;
  (void)diag;
  *out_self = NULL;
  return reach(AT_INIT);
}

static void release(void* self) {
  (void)self;
  (void)reach(AT_RELEASE);
}

static int is(const char* id, uint64_t length, const char* name) {
  return length == strlen(name) && memcmp(id, name, length) == 0;
}

static const void* get_interface(void* self, const char* id, uint64_t id_length) {
  (void)self;
  if (is(id, id_length, "tenon.ops/1")) return &ops_table;
  if (is(id, id_length, "tenon.kernels/1")) return &kernels_table;
  if (is(id, id_length, "tenon.selftest/1")) return &selftest_table;
  return NULL;
}

__attribute__((constructor)) static void load(void) { (void)reach(AT_LOAD); }

TENON_EXPORT tenon_status tenon_plugin_query_v0(const tenon_host* host, tenon_plugin* out,
                                                tenon_diag* diag);
tenon_status tenon_plugin_query_v0(const tenon_host* host, tenon_plugin* out, tenon_diag* diag) {
  (void)host;
  (void)diag;
  out->struct_size = sizeof *out;
  out->built_major = TENON_ABI_MAJOR;
  out->built_minor = TENON_ABI_MINOR;
  out->required_minor = TENON_ABI_MINOR;
  out->fingerprint = (tenon_fingerprint)TENON_FINGERPRINT_BUILT;
  out->id = (tenon_string)TEXT("hostile." HOSTILE_NAME);
  out->version = (tenon_string)TEXT("1.0");
  out->license = (tenon_string)TEXT("Apache-2.0");
  out->init = init;
  out->release = release;
  out->get_interface = get_interface;
  return TENON_OK;
}
