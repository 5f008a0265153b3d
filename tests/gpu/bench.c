// SPDX-License-Identifier: Apache-2.0
// tests/gpu/bench.c: bin/gpu_bench: what a device takes for a product with its epilogue, attention,
// a training step, the replay of a plan, an optimizer's step, elementwise ops and norms, beside the
// targets.
//
// usage    gpu_bench [--device KIND] [--json FILE] [--only PART] [--quick]
// --json   adds a line {"name", "seconds"} for each row, which peers.py compares
// Rows that are bounded by memory are shown as a share of what a copy on the same device reaches in
// the same process. Times are by the host's clock, around calls and the wait for the device; the
// median of rounds counts. Inputs are random. With --quick sizes are small and nothing is judged.
// Exit status: 0 all rows were measured, 1 one was not, 77 there is no such device.
#define _POSIX_C_SOURCE 200809L

#include "../bench/programs/mlp_network.h"
#include "driver.h"

#define ROUNDS 5

// ---- Time ---------------------------------------------------------------------------------------

typedef struct timer {
  tn_client* s;
  const driver_options* o;
  const tenon_device* device;
} timer;

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median_of(double* numbers, int count) {
  qsort(numbers, (size_t)count, sizeof *numbers, by_size);
  return numbers[count / 2];
}

// Seconds of `calls` calls and the wait for what they enqueued.
static double seconds_of_calls(const timer* t, void (*body)(void*), void* user, int64_t calls) {
  const double start = now();
  for (int64_t i = 0; i < calls; ++i) body(user);
  tn_check(t->s, tenon_device_wait(t->s->context, t->device));
  return now() - start;
}

// Seconds of one call: as many in a row as hide the wait behind them.
static double seconds_of(const timer* t, void (*body)(void*), void* user) {
  const double least = t->o->quick ? 0 : 0.02;
  double each[ROUNDS];
  int64_t calls = 1;
  seconds_of_calls(t, body, user, 2);
  while (seconds_of_calls(t, body, user, calls) < least) calls *= 2;
  for (int i = 0; i < ROUNDS; ++i) {
    each[i] = seconds_of_calls(t, body, user, calls) / (double)calls;
  }
  return median_of(each, ROUNDS);
}

// ---- Rows of the table --------------------------------------------------------------------------

// `target` is in words; met is 1, 0, or -1 if nothing is judged here.
static void print_row(const timer* t, const char* name, double seconds, const char* figure,
                      const char* target, int met) {
  const char* verdict = met < 0 || t->o->quick ? "-" : met ? "met" : "not met";
  printf("%-36s %11.2f us  %-22s %-24s %s\n", name, seconds * 1e6, figure, target, verdict);
  fflush(stdout);
  if (!t->o->json) return;
  FILE* file = fopen(t->o->json, "a");
  if (!file) driver_fail("%s cannot be written", t->o->json);
  fprintf(file, "{\"name\": \"%s\", \"seconds\": %.9g, \"figure\": \"%s\"}\n", name, seconds,
          figure);
  fclose(file);
}

// A row of `bytes` read and written, beside the bytes a copy moves in a second.
static void print_share(const timer* t, const char* name, double seconds, double bytes, double copy,
                        double target) {
  char figure[64], words[64];
  const double share = bytes / seconds / copy;
  snprintf(figure, sizeof figure, "%.1f %% of copy", 100 * share);
  snprintf(words, sizeof words, ">= %.0f %% of copy", 100 * target);
  print_row(t, name, seconds, figure, words, share >= target);
}

// ---- Calls of ops -------------------------------------------------------------------------------

// An op that writes into a tensor there is, so that nothing is allocated.
typedef struct op_run {
  tn_client* s;
  const tenon_op* op;
  tenon_value inputs[3], attrs[1];
  uint32_t n_inputs, n_attrs;
  tenon_tensor* out;
} op_run;

static void run_op(void* user) {
  op_run* r = user;
  tn_check(r->s, tenon_op_call_into(r->s->context, r->op, r->inputs, r->n_inputs, r->attrs,
                                    r->n_attrs, &r->out, 1));
}

// Negative, with a line that says why, where the device has no kernel: others are still measured.
static double seconds_of_op(const timer* t, const char* name, op_run* r) {
  const tenon_status status = tenon_op_call_into(r->s->context, r->op, r->inputs, r->n_inputs,
                                                 r->attrs, r->n_attrs, &r->out, 1);
  if (status == TENON_E_NO_KERNEL) {
    printf("%-36s not measured: %s\n", name, driver_message(r->s));
    return -1;
  }
  tn_check(r->s, status);
  return seconds_of(t, run_op, r);
}

typedef struct plan_run {
  tn_client* s;
  tenon_plan* plan;
} plan_run;

static void run_plan(void* user) {
  const plan_run* r = user;
  tn_check(r->s, tenon_plan_run(r->s->context, r->plan));
}

static tenon_tensor* random_on(tn_client* s, tenon_dtype dtype, int64_t rows, int64_t columns,
                               double bound) {
  uint32_t state = (uint32_t)(rows * 31 + columns);
  const int64_t shape[] = {rows, columns};
  return tn_keep(s, random_tensor(s, dtype, rows ? shape : shape + 1, rows ? 2 : 1, bound, &state));
}

// Bytes that a copy on the device reads and writes in a second.
static double copy_bandwidth(const timer* t) {
  const int64_t side = t->o->quick ? 64 : 16384;
  op_run copy = {.s = t->s, .op = mlp_find(t->s, "tenon.copy"), .n_inputs = 1};
  copy.inputs[0] = tn_value(random_on(t->s, TENON_DTYPE_F32, side, side, 1));
  copy.out = random_on(t->s, TENON_DTYPE_F32, side, side, 1);
  const double bytes = 2.0 * 4 * (double)side * (double)side;
  const double seconds = seconds_of(t, run_op, &copy);
  char figure[64];
  snprintf(figure, sizeof figure, "%.0f GB/s", bytes / seconds / 1e9);
  print_row(t, "copy", seconds, figure, "", -1);
  tn_end(t->s, 0);
  return bytes / seconds;
}

// ---- G1: products -------------------------------------------------------------------------------

static void bench_products(tn_client* s, const driver_options* o, const tenon_device* device) {
  const timer t = {s, o, device};
  int missing = 0;
  const int64_t sides[] = {o->quick ? 32 : 4096, o->quick ? 64 : 8192};
  for (int i = 0; i < 2; ++i) {
    const int64_t n = sides[i];
    op_run r = {.s = s, .op = mlp_find(s, "tenon.linear"), .n_inputs = 3, .n_attrs = 1};
    r.inputs[0] = tn_value(random_on(s, TENON_DTYPE_BF16, n, n, 1));
    r.inputs[1] = tn_value(random_on(s, TENON_DTYPE_BF16, n, n, 0.02));
    r.inputs[2] = tn_value(random_on(s, TENON_DTYPE_BF16, 0, n, 1));
    r.attrs[0] = tn_text("gelu_tanh");
    r.out = random_on(s, TENON_DTYPE_BF16, n, n, 1);
    char name[64], figure[64];
    snprintf(name, sizeof name, "G1 bf16 linear+gelu %lld^3", (long long)n);
    const double seconds = seconds_of_op(&t, name, &r);
    snprintf(figure, sizeof figure, "%.1f TFLOP/s", 2e-12 * (double)(n * n * n) / seconds);
    if (seconds > 0) print_row(&t, name, seconds, figure, "peers.py", -1);
    missing += seconds < 0;
    tn_end(s, 0);
  }
  if (missing) exit(1);
}

// ---- G2: a training step ------------------------------------------------------------------------

typedef struct step_run {
  tn_client* s;
  mlp_network net;
  tenon_plan* plan;
  int64_t next;
} step_run;

static void run_step(void* user) {
  step_run* r = user;
  mlp_run(r->s, &r->net, r->plan, r->next++, 1);
}

static void bench_step(tn_client* s, const driver_options* o, const tenon_device* device) {
  const timer t = {s, o, device};
  const int64_t batches[] = {64, o->quick ? 128 : 1024};
  for (int i = 0; i < 2; ++i) {
    step_run r = {.s = s, .net = mlp_create(s, batches[i], "tenon.sgd")};
    char name[64];
    snprintf(name, sizeof name, "G2 step of batch %lld, eager", (long long)batches[i]);
    print_row(&t, name, seconds_of(&t, run_step, &r), "", "", -1);
    tenon_tensor* loss = NULL;
    r.plan = mlp_capture(s, &r.net, &loss);
    const double seconds = seconds_of(&t, run_step, &r);
    snprintf(name, sizeof name, "G2 step of batch %lld, replayed", (long long)batches[i]);
    print_row(&t, name, seconds, "", "<= 15 us", seconds <= 15e-6);
    if (!isfinite(tn_item(s, loss))) driver_fail("the loss is not finite");
    tenon_plan_release(r.plan);
    tn_end(s, 0);
    mlp_release(&r.net);
  }
}

// ---- G3: what a replay costs the host -----------------------------------------------------------

// A chain of small products, which no pass makes one launch of.
static tenon_plan* chain_plan(tn_client* s, int64_t length) {
  tenon_tensor* x = random_on(s, TENON_DTYPE_F32, 32, 32, 1);
  tenon_tensor* w = random_on(s, TENON_DTYPE_F32, 32, 32, 0.3);
  const tenon_op* matmul = mlp_find(s, "tenon.matmul");
  tenon_plan* plan = NULL;
  tn_check(s, tenon_capture_begin(s->context, NULL, 0));
  for (int64_t i = 0; i < length; ++i) {
    const tenon_value inputs[] = {tn_value(x), tn_value(w)};
    tenon_tensor* y = NULL;
    tn_check(s, tenon_op_call(s->context, matmul, inputs, 2, NULL, 0, &y, 1));
    if (i > 0) tenon_tensor_release(x);
    x = y;
  }
  tn_check(s, tenon_capture_end(s->context, &plan));
  tn_keep(s, x);
  return plan;
}

// The calls alone: the wait for what they enqueued is outside.
static double host_seconds(const timer* t, plan_run* r) {
  const int64_t calls = 16;
  double each[4 * ROUNDS];
  for (int i = 0; i < 4 * ROUNDS; ++i) {
    seconds_of_calls(t, run_plan, r, 1);
    const double start = now();
    for (int64_t j = 0; j < calls; ++j) run_plan(r);
    each[i] = (now() - start) / (double)calls;
  }
  seconds_of_calls(t, run_plan, r, 1);
  return median_of(each, 4 * ROUNDS);
}

static void bench_replay(tn_client* s, const driver_options* o, const tenon_device* device) {
  const timer t = {s, o, device};
  const int64_t lengths[] = {10, 100, 1000};
  for (int i = 0; i < (o->quick ? 2 : 3); ++i) {
    plan_run r = {s, chain_plan(s, lengths[i])};
    const double seconds = host_seconds(&t, &r);
    char name[64];
    snprintf(name, sizeof name, "G3 replay of %lld launches, host", (long long)lengths[i]);
    print_row(&t, name, seconds, "", "<= 4 us", seconds <= 4e-6);
    tenon_plan_release(r.plan);
    tn_end(s, 0);
  }
}

// ---- G5: AdamW over the parameters of GPT-2 -----------------------------------------------------

typedef struct optimizer_run {
  tn_client* s;
  tenon_optimizer* optimizer;
} optimizer_run;

static void run_optimizer(void* user) {
  const optimizer_run* r = user;
  tn_check(r->s, tenon_optimizer_run(r->s->context, r->optimizer, 0));
}

#define GPT_LAYERS 12
#define GPT_TENSORS (4 + 12 * GPT_LAYERS)

// Shapes of GPT-2 124M of width `d`, rows 0: a vector. Returns how many elements they have.
static int64_t gpt_shapes(int64_t d, int64_t shapes[GPT_TENSORS][2]) {
  const int64_t ends[][2] = {{d == 768 ? 50257 : 500, d}, {1024, d}, {0, d}, {0, d}};
  const int64_t layer[][2] = {{0, d}, {0, d}, {d, 3 * d}, {0, 3 * d}, {d, d},     {0, d},
                              {0, d}, {0, d}, {d, 4 * d}, {0, 4 * d}, {4 * d, d}, {0, d}};
  int64_t total = 0;
  for (int i = 0; i < GPT_TENSORS; ++i) {
    const int64_t* from = i < 4 ? ends[i] : layer[(i - 4) % 12];
    shapes[i][0] = from[0];
    shapes[i][1] = from[1];
    total += (from[0] ? from[0] : 1) * from[1];
  }
  return total;
}

static void bench_optimizer(tn_client* s, const driver_options* o, const tenon_device* device) {
  const timer t = {s, o, device};
  const double copy = copy_bandwidth(&t);
  static int64_t shapes[GPT_TENSORS][2];
  tenon_tensor* params[GPT_TENSORS];
  const int64_t count = gpt_shapes(o->quick ? 16 : 768, shapes);
  for (int i = 0; i < GPT_TENSORS; ++i) {
    params[i] = tn_own(s, random_on(s, TENON_DTYPE_F32, shapes[i][0], shapes[i][1], 0.1));
    tn_check(s, tenon_tensor_set_requires_grad(s->context, params[i], 1));
    tenon_tensor* grad = random_on(s, TENON_DTYPE_F32, shapes[i][0], shapes[i][1], 1);
    tn_check(s, tenon_tensor_set_grad(s->context, params[i], grad));
    tn_end(s, 0);
  }
  optimizer_run r = {.s = s};
  tn_check(s, tenon_optimizer_create(s->context, "tenon.adamw", TENON_NUL, params, GPT_TENSORS,
                                     NULL, NULL, 0, &r.optimizer));
  // Reads parameter, gradient and two moments; writes all but the gradient.
  const double bytes = 7.0 * 4 * (double)count;
  print_share(&t, "G5 AdamW of GPT-2 124M, eager", seconds_of(&t, run_optimizer, &r), bytes, copy,
              0.9);
  plan_run p = {.s = s};
  tn_check(s, tenon_capture_begin(s->context, NULL, 0));
  run_optimizer(&r);
  tn_check(s, tenon_capture_end(s->context, &p.plan));
  print_share(&t, "G5 AdamW of GPT-2 124M, replayed", seconds_of(&t, run_plan, &p), bytes, copy,
              0.9);
  tenon_plan_release(p.plan);
  tenon_optimizer_release(r.optimizer);
  for (int i = 0; i < GPT_TENSORS; ++i) tenon_tensor_release(params[i]);
}

// ---- G6: elementwise ops, norms, softmax --------------------------------------------------------

typedef struct streamed {
  const char* op;
  uint32_t n_tensors;  // operands of the output's shape
  uint32_t n_vectors;  // behind them: of its last dimension
} streamed;

static void bench_streams(tn_client* s, const driver_options* o, const tenon_device* device) {
  static const streamed ops[] = {
      {"tenon.add", 2, 0},      {"tenon.mul", 2, 0},     {"tenon.relu", 1, 0},
      {"tenon.gelu", 1, 0},     {"tenon.exp", 1, 0},     {"tenon.layer_norm", 1, 2},
      {"tenon.rms_norm", 1, 1}, {"tenon.softmax", 1, 0}, {"tenon.log_softmax", 1, 0}};
  const timer t = {s, o, device};
  const double copy = copy_bandwidth(&t);
  int missing = 0;
  const int64_t rows = o->quick ? 16 : 16384, columns = o->quick ? 64 : 4096;
  for (size_t i = 0; i < 2 * sizeof ops / sizeof *ops; ++i) {
    const streamed* each = &ops[i / 2];
    const tenon_dtype dtype = i % 2 ? TENON_DTYPE_BF16 : TENON_DTYPE_F32;
    op_run r = {.s = s, .op = mlp_find(s, each->op), .n_inputs = each->n_tensors + each->n_vectors};
    for (uint32_t j = 0; j < r.n_inputs; ++j) {
      const int64_t own_rows = j < each->n_tensors ? rows : 0;
      r.inputs[j] = tn_value(random_on(s, dtype, own_rows, columns, 2));
    }
    r.out = random_on(s, dtype, rows, columns, 1);
    char name[64];
    snprintf(name, sizeof name, "G6 %s %s", each->op + 6, i % 2 ? "bf16" : "f32");
    const double bytes = (each->n_tensors + 1.0) * (double)(rows * columns) * (i % 2 ? 2 : 4);
    const double seconds = seconds_of_op(&t, name, &r);
    if (seconds > 0) print_share(&t, name, seconds, bytes, copy, 0.88);
    missing += seconds < 0;
    tn_end(s, 0);
  }
  if (missing) exit(1);
}

// ---- Attention ----------------------------------------------------------------------------------

static void bench_attention(tn_client* s, const driver_options* o, const tenon_device* device) {
  const timer t = {s, o, device};
  const int64_t heads = o->quick ? 2 : 12, positions = o->quick ? 20 : 1024, depth = 64;
  const int64_t shape[] = {1, heads, positions, depth};
  int missing = 0;
  for (int causal = 0; causal < 2; ++causal) {
    op_run r = {.s = s, .op = mlp_find(s, "tenon.attention"), .n_inputs = 3, .n_attrs = 1};
    uint32_t state = 1;
    for (int i = 0; i < 3; ++i) {
      r.inputs[i] = tn_value(tn_keep(s, random_tensor(s, TENON_DTYPE_BF16, shape, 4, 1, &state)));
    }
    r.out = tn_keep(s, random_tensor(s, TENON_DTYPE_BF16, shape, 4, 1, &state));
    r.attrs[0] = tn_bool(causal);
    char name[64], figure[64];
    snprintf(name, sizeof name, "attention bf16 %lldx%lldx%lld%s", (long long)heads,
             (long long)positions, (long long)depth, causal ? ", causal" : "");
    const double seconds = seconds_of_op(&t, name, &r);
    const double products = 2.0 * (double)(heads * positions * positions * depth);
    snprintf(figure, sizeof figure, "%.1f TFLOP/s", 2e-12 * products / seconds);
    if (seconds > 0) print_row(&t, name, seconds, figure, "peers.py", -1);
    missing += seconds < 0;
    tn_end(s, 0);
  }
  if (missing) exit(1);
}

int main(int argc, char** argv) {
  static const driver_part parts[] = {{"step", bench_step},         {"replay", bench_replay},
                                      {"products", bench_products}, {"attention", bench_attention},
                                      {"streams", bench_streams},   {"optimizer", bench_optimizer}};
  const driver_options o = driver_options_read(argc, argv);
  return driver_run(parts, sizeof parts / sizeof *parts, &o);
}
