// SPDX-License-Identifier: Apache-2.0
// tests/gpu/check.c: bin/gpu_check: does a device do what the host does? Training to the same
// accuracy, copies bit for bit, a model that moves, a replayed step, calls that must fail.
//
// usage    gpu_check [--device KIND] [--data DIR] [--only PART] [--quick]
// --data   a folder with mnist/ (default $TENON_DATA); without one: the shipped 8x8 digits
// Exit status: 0 all parts are good, 1 one is not, 77 there is no such device.
#define _POSIX_C_SOURCE 200809L

#include "../bench/programs/mlp_network.h"
#include "checks.h"

// Steps run from a plan leave the parameters that eager steps leave.
static void check_replay(tn_client* s, const driver_options* o, const tenon_device* device) {
  (void)device;
  const int64_t steps = o->quick ? 4 : 200;
  mlp_network eager = mlp_create(s, 64, "tenon.adam"), captured = mlp_create(s, 64, "tenon.adam");
  tenon_tensor* loss = NULL;
  tenon_plan* plan = mlp_capture(s, &captured, &loss);
  mlp_run(s, &captured, plan, 0, steps);
  mlp_run(s, &eager, NULL, 0, 2);
  mlp_step(s, &eager, eager.images[0], eager.labels[0]);
  mlp_run(s, &eager, NULL, 0, steps);
  double apart = 0;
  for (int i = 0; i < 2 * MLP_LAYERS; ++i) {
    apart = fmax(apart, difference_of(s, eager.params[i], captured.params[i]));
  }
  printf("  after %lld steps parameters are %.2g apart\n", (long long)steps, apart);
  tenon_plan_release(plan);
  tn_end(s, 0);
  mlp_release(&eager);
  mlp_release(&captured);
  if (!(apart <= 1e-3)) driver_fail("a replayed step is another than an eager one");
}

// ---- Calls that must fail -----------------------------------------------------------------------

static void expect_status(tn_client* s, const char* what, tenon_status status,
                          tenon_status wanted) {
  if (status != wanted) {
    driver_fail("%s: expected %s, found %s: %s", what, tenon_status_get_name(wanted),
                tenon_status_get_name(status), status ? driver_message(s) : "");
  }
  printf("  %s: %s\n", what, driver_message(s));
}

// The device still computes.
static void expect_alive(tn_client* s, const tenon_device* device) {
  const float numbers[] = {1, 2}, twice[] = {2, 4};
  const int64_t two = 2;
  tenon_tensor* x = NULL;
  tn_check(s, tenon_tensor_create_from(s->context, TENON_DTYPE_F32, device, 1, &two, numbers,
                                       sizeof numbers, &x));
  tn_keep(s, x);
  expect_bytes(s, tn_call2(s, "tenon.add", x, x), twice, sizeof twice, "a sum", "two numbers");
}

// A row number that the table does not have: refused by the call, or by the next wait.
static void check_index(tn_client* s, const tenon_device* device) {
  const int64_t shape[] = {4, 3}, count = 2, rows[] = {1, 1000000};
  uint32_t state = 3;
  tenon_tensor *table = random_tensor(s, TENON_DTYPE_F32, shape, 2, 1, &state), *indices = NULL;
  tn_keep(s, table);
  tn_check(s, tenon_tensor_create_from(s->context, TENON_DTYPE_I64, device, 1, &count, rows,
                                       sizeof rows, &indices));
  tn_keep(s, indices);
  const tenon_op* op = NULL;
  tenon_tensor* out = NULL;
  tn_check(s, tenon_op_find(s->context, "tenon.embedding", TENON_NUL, 0, &op));
  const tenon_value inputs[] = {tn_value(table), tn_value(indices)};
  tenon_status status = tenon_op_call(s->context, op, inputs, 2, NULL, 0, &out, 1);
  if (status == TENON_OK) {
    tn_keep(s, out);
    status = tenon_device_wait(s->context, device);
  }
  if (status == TENON_E_NO_KERNEL) {
    printf("  no kernel for tenon.embedding here: a row out of range is not tried\n");
    return;
  }
  const char* words = status ? driver_message(s) : "nothing";
  if (status == TENON_OK || !strstr(words, "tenon.embedding")) {
    driver_fail("a row out of range: expected an error that names tenon.embedding, found %s",
                words);
  }
  printf("  a row out of range: %s\n", words);
}

static void check_faults(tn_client* s, const driver_options* o, const tenon_device* device) {
  const tenon_device host = host_of(s);
  const int64_t shape[] = {2, 3}, most = INT64_C(1) << 56;
  tenon_device none;
  uint32_t state = 7;
  tenon_tensor* there = tn_keep(s, random_tensor(s, TENON_DTYPE_F32, shape, 2, 1, &state));
  tenon_tensor* here = copy_to(s, &host, there);
  const tenon_value pair[] = {tn_value(here), tn_value(there)};
  tenon_tensor* out = NULL;
  expect_status(s, "an index that does not exist",
                tenon_device_find(s->context, o->device, TENON_NUL, 99, &none), TENON_E_DEVICE);
  if (device->kind != host.kind) {
    expect_status(s, "operands on two devices",
                  tenon_op_call(s->context, mlp_find(s, "tenon.add"), pair, 2, NULL, 0, &out, 1),
                  TENON_E_DEVICE);
  }
  const tenon_value same[] = {tn_value(there), tn_value(there)};
  expect_status(s, "shapes that do not fit",
                tenon_op_call(s->context, mlp_find(s, "tenon.matmul"), same, 2, NULL, 0, &out, 1),
                TENON_E_SHAPE);
  expect_status(s, "more memory than there is",
                tenon_tensor_create(s->context, TENON_DTYPE_F32, device, 1, &most, &out),
                TENON_E_MEMORY);
  expect_alive(s, device);
  check_index(s, device);
}

int main(int argc, char** argv) {
  static const driver_part parts[] = {{"transfers", check_transfers},
                                      {"moving", check_moving},
                                      {"replay", check_replay},
                                      {"faults", check_faults},
                                      {"training", check_training}};
  const driver_options o = driver_options_read(argc, argv);
  return driver_run(parts, sizeof parts / sizeof *parts, &o);
}
