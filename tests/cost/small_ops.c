// SPDX-License-Identifier: Apache-2.0
// tests/cost/small_ops.c: runs one small piece of work `count` times, for instructions.py to count
// its instructions: small_ops <plugin folder> <work> <count>, where "step148" is a step of an
// optimizer over 148 tensors
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/tenon.h>

enum { SIZE = 64 };

enum { MOST_PARAMETERS = 1024 };

static tenon_runtime* runtime;
static tenon_context* context;
static const tenon_op *add, *mul, *sum;
static tenon_tensor *a, *b, *out;
static tenon_optimizer* adamw;

static void must(tenon_status status) {
  if (status == TENON_OK) return;
  fprintf(stderr, "%s\n", tenon_status_get_name(status));
  exit(1);
}

static void open_session(const char* plugins) {
  const tenon_string path = {plugins, TENON_NUL};
  tenon_runtime_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.flags = TENON_RUNTIME_NO_DEFAULT_PATHS;
  options.paths = &path;
  options.n_paths = 1;
  must(tenon_runtime_create(&options, NULL, &runtime));
  must(tenon_context_create(runtime, NULL, &context));
  // Faster kernels must not hide what the core costs, nor slower ones show.
  must(tenon_runtime_set_pin(context, NULL, 0, "tenon.ref", TENON_NUL));
  must(tenon_op_find(context, "tenon.add", TENON_NUL, 0, &add));
  must(tenon_op_find(context, "tenon.mul", TENON_NUL, 0, &mul));
  must(tenon_op_find(context, "tenon.sum", TENON_NUL, 0, &sum));
}

static tenon_tensor* make(void) {
  float values[SIZE];
  const int64_t shape = SIZE;
  tenon_tensor* made = NULL;
  for (int i = 0; i < SIZE; ++i) values[i] = 0.25f * (float)i - 3.0f;
  must(tenon_tensor_create_from(context, TENON_DTYPE_F32, NULL, 1, &shape, values, sizeof values,
                                &made));
  return made;
}

static tenon_value operand(tenon_tensor* tensor) {
  tenon_value value;
  memset(&value, 0, sizeof value);
  value.tag = TENON_VALUE_TENSOR;
  value.as.tensor = tensor;
  return value;
}

static tenon_tensor* call(const tenon_op* op, const tenon_value* inputs, uint32_t count) {
  tenon_tensor* made = NULL;
  must(tenon_op_call(context, op, inputs, count, NULL, 0, &made, 1));
  return made;
}

static void write_into(void) {
  const tenon_value in[2] = {operand(a), operand(b)};
  must(tenon_op_call_into(context, add, in, 2, NULL, 0, &out, 1));
}

static void return_new(void) {
  const tenon_value in[2] = {operand(a), operand(b)};
  tenon_tensor_release(call(add, in, 2));
}

static void go_backward(void) {
  const tenon_value in[2] = {operand(a), operand(b)};
  tenon_tensor* product = call(mul, in, 2);
  const tenon_value factor = operand(product);
  tenon_tensor* total = call(sum, &factor, 1);
  must(tenon_backward_run(context, &total, NULL, 1, 0));
  must(tenon_tensor_set_grad(context, a, NULL));
  tenon_tensor_release(total);
  tenon_tensor_release(product);
}

// One launch over lists of so many small tensors.
static void make_optimizer(uint32_t count) {
  tenon_tensor* parameters[MOST_PARAMETERS] = {NULL};
  if (count == 0 || count > MOST_PARAMETERS) exit(2);
  for (uint32_t i = 0; i < count; ++i) {
    tenon_tensor* const gradient = make();
    parameters[i] = make();
    must(tenon_tensor_set_requires_grad(context, parameters[i], 1));
    must(tenon_tensor_set_grad(context, parameters[i], gradient));
    tenon_tensor_release(gradient);
  }
  must(tenon_optimizer_create(context, "tenon.adamw", TENON_NUL, parameters, count, NULL, NULL, 0,
                              &adamw));
  for (uint32_t i = 0; i < count; ++i) tenon_tensor_release(parameters[i]);
}

enum { LAUNCHES = 100 };

static tenon_plan* plan;

static void capture(void) {
  must(tenon_capture_begin(context, NULL, 0));
  for (int i = 0; i < LAUNCHES; ++i) write_into();
  must(tenon_capture_end(context, &plan));
}

static void replay(void) { must(tenon_plan_run(context, plan)); }

static void step(void) { must(tenon_optimizer_run(context, adamw, 0)); }

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const char* work = argv[2];
  const long count = atol(argv[3]);
  const int steps = strncmp(work, "step", 4) == 0;
  const int wants_gradient = strcmp(work, "recorded") == 0 || strcmp(work, "backward") == 0;
  const int replays = strcmp(work, "replayed") == 0;
  void (*body)(void) = strcmp(work, "out") == 0        ? write_into
                       : replays                       ? replay
                       : strcmp(work, "backward") == 0 ? go_backward
                       : steps                         ? step
                                                       : return_new;
  open_session(argv[1]);
  a = make();
  b = make();
  out = make();
  if (wants_gradient) must(tenon_tensor_set_requires_grad(context, a, 1));
  if (steps) make_optimizer((uint32_t)atol(work + 4));
  if (replays) capture();
  for (long i = 0; i < count; ++i) body();
  tenon_plan_release(plan);
  if (adamw) tenon_optimizer_release(adamw);
  tenon_tensor_release(a);
  tenon_tensor_release(b);
  tenon_tensor_release(out);
  tenon_context_release(context);
  tenon_runtime_release(runtime);
  return 0;
}
