// SPDX-License-Identifier: Apache-2.0
// tests/gpu/check_transfers.c: copies between a device and the host keep every bit, whatever the
// dtype and the strides, and gradients cross.
#define _POSIX_C_SOURCE 200809L

#include "../bench/programs/random_tensor.h"
#include "checks.h"

typedef struct layout {
  const char* name;
  int64_t shape[3], strides[3], offset;
} layout;

// Windows on a row-major tensor of 12 x 10 x 8.
static const layout layouts[] = {
    {"row-major", {12, 10, 8}, {80, 8, 1}, 0}, {"transposed", {8, 10, 12}, {1, 8, 80}, 0},
    {"stepped", {6, 5, 4}, {160, 16, 2}, 81},  {"reversed", {12, 10, 8}, {-80, -8, -1}, 959},
    {"a column", {12, 10, 1}, {80, 8, 1}, 5},  {"repeated", {12, 10, 8}, {0, 8, 0}, 80}};
static const int64_t whole[] = {12, 10, 8};

typedef struct element {
  const char* name;
  tenon_dtype dtype;
  uint64_t bytes;
} element;
static const element elements[] = {{"bool", TENON_DTYPE_BOOL, 1}, {"u8", TENON_DTYPE_U8, 1},
                                   {"i8", TENON_DTYPE_I8, 1},     {"i16", TENON_DTYPE_I16, 2},
                                   {"i32", TENON_DTYPE_I32, 4},   {"i64", TENON_DTYPE_I64, 8},
                                   {"f16", TENON_DTYPE_F16, 2},   {"bf16", TENON_DTYPE_BF16, 2},
                                   {"f32", TENON_DTYPE_F32, 4},   {"f64", TENON_DTYPE_F64, 8}};

// Any bits, not a number among them; of bool its two values.
static tenon_tensor* pattern(tn_client* s, const element* e, const tenon_device* device,
                             uint32_t state) {
  unsigned char data[960 * 8];
  tenon_tensor* made = NULL;
  for (size_t i = 0; i < sizeof data; ++i) {
    const uint32_t drawn = next_random(&state) >> 16;
    data[i] = (unsigned char)(e->dtype == TENON_DTYPE_BOOL ? drawn % 2 : drawn);
  }
  tn_check(s, tenon_tensor_create_from(s->context, e->dtype, device, 3, whole, data, 960 * e->bytes,
                                       &made));
  return tn_keep(s, made);
}

static tenon_tensor* window_on(tn_client* s, tenon_tensor* base, const layout* l) {
  tenon_tensor* view = NULL;
  tn_check(s,
           tenon_tensor_create_view(s->context, base, 3, l->shape, l->strides, l->offset, &view));
  return tn_keep(s, view);
}

// Out and back, from a window here and from the same window there, and into it.
static void check_layout(tn_client* s, const element* e, const layout* l, const tenon_device* host,
                         const tenon_device* device) {
  const uint64_t bytes = (uint64_t)elements_of(l->shape, 3) * e->bytes;
  tenon_tensor* base = pattern(s, e, host, 1);
  tenon_tensor* base_there = copy_to(s, device, base);
  tenon_tensor *here = window_on(s, base, l), *there = window_on(s, base_there, l);
  void* expected = bytes_of(s, here, bytes);
  tenon_tensor* sent = copy_to(s, device, here);
  expect_bytes(s, sent, expected, bytes, e->name, l->name);
  expect_bytes(s, copy_to(s, host, sent), expected, bytes, e->name, l->name);
  expect_bytes(s, there, expected, bytes, e->name, l->name);
  expect_bytes(s, copy_to(s, host, there), expected, bytes, e->name, l->name);
  free(expected);
  if (l->strides[0] != 0) {  // one that does not overlap itself is written
    void* fresh = bytes_of(s, pattern(s, e, host, 2), 960 * e->bytes);
    tn_check(s, tenon_tensor_set_data(s->context, here, fresh, bytes));
    tn_check(s, tenon_tensor_set_data(s->context, there, fresh, bytes));
    free(fresh);
    expected = bytes_of(s, base, 960 * e->bytes);
    expect_bytes(s, base_there, expected, 960 * e->bytes, e->name, l->name);
    free(expected);
  }
  tn_end(s, 0);
}

void check_transfers(tn_client* s, const driver_options* o, const tenon_device* device) {
  (void)o;
  const tenon_device host = host_of(s);
  const size_t n_elements = sizeof elements / sizeof *elements;
  const size_t n_layouts = sizeof layouts / sizeof *layouts;
  for (size_t i = 0; i < n_elements; ++i) {
    for (size_t j = 0; j < n_layouts; ++j) {
      check_layout(s, &elements[i], &layouts[j], &host, device);
    }
  }
  printf("  %zu dtypes in %zu layouts, out and back\n", n_elements, n_layouts);
  // Gradients cross: d sum(x * x) / dx, computed there, collected here.
  const float numbers[] = {1, -2, 3, 0.5f}, expected[] = {2, -4, 6, 1};
  const int64_t four = 4;
  tenon_tensor *x = NULL, *grad = NULL;
  tn_check(s, tenon_tensor_create_from(s->context, TENON_DTYPE_F32, &host, 1, &four, numbers,
                                       sizeof numbers, &x));
  tn_check(s, tenon_tensor_set_requires_grad(s->context, tn_keep(s, x), 1));
  tenon_tensor* there =
      tn_call(s, "tenon.to", TN_ARGS(tn_value(x)),
              TN_NAMED({"kind", tn_int(device->kind)}, {"index", tn_int(device->index)}));
  tenon_tensor* sum = tn_call1(s, "tenon.sum", tn_call2(s, "tenon.mul", there, there));
  tn_check(s, tenon_backward_run(s->context, &sum, NULL, 1, 0));
  tn_check(s, tenon_tensor_get_grad(s->context, x, &grad));
  expect_bytes(s, grad, expected, sizeof expected, "the gradient", "x");
}
