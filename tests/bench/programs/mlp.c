// SPDX-License-Identifier: Apache-2.0
// tests/bench/programs/mlp.c: one training step of the network 784-128-32-10 (relu, softmax
// cross-entropy), eager or replayed from a plan. Prints the seconds of a step, and the resident
// bytes of the process beyond those of its images and labels.
//
// usage    bench_mlp --batch N --optimizer sgd|adam|adamw --mode eager|captured --threads N
//                    --steps N
// Inputs are random and another batch is taken in each step, so that nothing is timed on zeros or
// on numbers that have become subnormal.
#define _POSIX_C_SOURCE 200809L

#include <math.h>

#include "../../../examples/common/session.h"
#include "measure.h"

#define BATCHES 8
#define LAYERS 3

typedef struct options {
  int64_t batch, threads, steps;
  const char* optimizer;
  int captured;
} options;

typedef struct network {
  const tenon_op *matmul, *add, *relu, *loss;
  tenon_tensor* params[2 * LAYERS];
  tenon_tensor* images[BATCHES];
  tenon_tensor* labels[BATCHES];
  tenon_optimizer* optimizer;
} network;

static const int64_t sizes[] = {784, 128, 32, 10};

static void usage(void) {
  fputs(
      "usage: bench_mlp [--batch N] [--optimizer sgd|adam|adamw] [--mode eager|captured]\n"
      "                 [--threads N] [--steps N]\n",
      stderr);
  exit(2);
}

static int64_t positive(const char* text) {
  char* end = NULL;
  const long long number = strtoll(text, &end, 10);
  if (*end || number < 1) usage();
  return number;
}

static options read_options(int argc, char** argv) {
  options o = {.batch = 64, .threads = 1, .steps = 1000, .optimizer = "tenon.sgd"};
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) usage();
    const char* value = argv[i + 1];
    if (!strcmp(argv[i], "--batch")) {
      o.batch = positive(value);
    } else if (!strcmp(argv[i], "--threads")) {
      o.threads = positive(value);
    } else if (!strcmp(argv[i], "--steps")) {
      o.steps = positive(value);
    } else if (!strcmp(argv[i], "--optimizer")) {
      o.optimizer = !strcmp(value, "sgd")     ? "tenon.sgd"
                    : !strcmp(value, "adam")  ? "tenon.adam"
                    : !strcmp(value, "adamw") ? "tenon.adamw"
                                              : NULL;
      if (!o.optimizer) usage();
    } else if (!strcmp(argv[i], "--mode")) {
      o.captured = !strcmp(value, "captured");
      if (!o.captured && strcmp(value, "eager") != 0) usage();
    } else {
      usage();
    }
  }
  return o;
}

static const tenon_op* find(session* s, const char* name) {
  const tenon_op* op = NULL;
  session_check(s, tenon_op_find(s->context, name, TENON_NUL, 0, &op));
  return op;
}

// Uniform in [-bound, bound).
static tenon_tensor* random_tensor(session* s, const int64_t* shape, uint32_t rank, double bound) {
  const tenon_value attrs[] = {ints_value(shape, rank), float_value(-bound), float_value(bound),
                               dtype_value(TENON_DTYPE_F32)};
  tenon_tensor* made = session_own(s, call(s, "tenon.uniform", NULL, 0, attrs, 4));
  session_clear(s);
  return made;
}

static tenon_tensor* random_labels(session* s, int64_t batch, uint32_t* state) {
  int64_t* labels = malloc((size_t)batch * sizeof *labels);
  if (!labels) session_check(s, TENON_E_MEMORY);
  for (int64_t i = 0; i < batch; ++i) {
    *state = *state * 1664525u + 1013904223u;  // Numerical Recipes' generator
    labels[i] = (*state >> 16) % 10;
  }
  tenon_tensor* made = NULL;
  session_check(s, tenon_tensor_create_from(s->context, TENON_DTYPE_I64, NULL, 1, &batch, labels,
                                            (uint64_t)batch * sizeof *labels, &made));
  free(labels);
  return made;
}

static network new_network(session* s, const options* o) {
  network net = {.matmul = find(s, "tenon.matmul"),
                 .add = find(s, "tenon.add"),
                 .relu = find(s, "tenon.relu"),
                 .loss = find(s, "tenon.softmax_cross_entropy")};
  for (int i = 0; i < LAYERS; ++i) {
    const double bound = 1 / sqrt((double)sizes[i]);
    net.params[2 * i] = random_tensor(s, sizes + i, 2, bound);
    net.params[2 * i + 1] = random_tensor(s, sizes + i + 1, 1, bound);
  }
  for (int i = 0; i < 2 * LAYERS; ++i) {
    session_check(s, tenon_tensor_set_requires_grad(s->context, net.params[i], 1));
  }
  uint32_t state = 20261121;
  const int64_t shape[] = {o->batch, sizes[0]};
  for (int i = 0; i < BATCHES; ++i) {
    net.images[i] = random_tensor(s, shape, 2, 1);
    net.labels[i] = random_labels(s, o->batch, &state);
  }
  const tenon_string names[] = {{"lr", 2}};
  const tenon_value values[] = {float_value(1e-3)};
  session_check(s, tenon_optimizer_create(s->context, o->optimizer, TENON_NUL, net.params,
                                          2 * LAYERS, names, values, 1, &net.optimizer));
  return net;
}

static void release_network(network* net) {
  tenon_optimizer_release(net->optimizer);
  for (int i = 0; i < 2 * LAYERS; ++i) tenon_tensor_release(net->params[i]);
  for (int i = 0; i < BATCHES; ++i) {
    tenon_tensor_release(net->images[i]);
    tenon_tensor_release(net->labels[i]);
  }
}

static tenon_tensor* apply(session* s, const tenon_op* op, tenon_tensor* a, tenon_tensor* b) {
  const tenon_value inputs[] = {tensor_value(a), tensor_value(b)};
  tenon_tensor* out = NULL;
  session_check(s, tenon_op_call(s->context, op, inputs, b ? 2 : 1, NULL, 0, &out, 1));
  return session_keep(s, out);
}

// Leaves the loss in the session, for the caller to clear.
static tenon_tensor* step(session* s, const network* net, tenon_tensor* images,
                          tenon_tensor* labels) {
  tenon_tensor* x = images;
  for (int i = 0; i < LAYERS; ++i) {
    if (i > 0) x = apply(s, net->relu, x, NULL);
    x = apply(s, net->matmul, x, net->params[2 * i]);
    x = apply(s, net->add, x, net->params[2 * i + 1]);
  }
  tenon_tensor* loss = apply(s, net->loss, x, labels);
  session_check(s, tenon_backward_run(s->context, &loss, NULL, 1, 0));
  session_check(s, tenon_optimizer_run(s->context, net->optimizer, TENON_OPTIMIZER_CLEAR_GRAD));
  return loss;
}

static void run_eager(session* s, const network* net, int64_t steps) {
  for (int64_t i = 0; i < steps; ++i) {
    step(s, net, net->images[i % BATCHES], net->labels[i % BATCHES]);
    session_clear(s);
  }
}

static void run_plan(session* s, const network* net, tenon_plan* plan, int64_t steps) {
  for (int64_t i = 0; i < steps; ++i) {
    session_check(s, tenon_plan_set(s->context, plan, 0, net->images[i % BATCHES]));
    session_check(s, tenon_plan_set(s->context, plan, 1, net->labels[i % BATCHES]));
    session_check(s, tenon_plan_run(s->context, plan));
  }
}

int main(int argc, char** argv) {
  const options o = read_options(argc, argv);
  session run, *s = &run;
  session_open(s, o.threads, 20261121);
  network net = new_network(s, &o);
  run_eager(s, &net, 2);
  tenon_plan* plan = NULL;
  if (o.captured) {
    tenon_tensor* inputs[] = {net.images[0], net.labels[0]};
    session_check(s, tenon_capture_begin(s->context, inputs, 2));
    step(s, &net, inputs[0], inputs[1]);
    session_check(s, tenon_capture_end(s->context, &plan));
  }
  // The first tenth warms up.
  double seconds = 0;
  for (int64_t part = 0, steps = o.steps / 10 + 1; part < 2; ++part, steps = o.steps) {
    const double start = now();
    if (plan) {
      run_plan(s, &net, plan, steps);
    } else {
      run_eager(s, &net, steps);
    }
    seconds = (now() - start) / (double)steps;
  }
  session_clear(s);
  const double loss = item_of(s, step(s, &net, net.images[0], net.labels[0]));
  const long data = (long)(BATCHES * o.batch) * (sizes[0] * (long)sizeof(float) + 8);
  printf("{\"seconds\": %.9g, \"resident_bytes\": %ld, \"loss\": %.9g}\n", seconds,
         resident_bytes() - data, loss);
  tenon_plan_release(plan);
  session_clear(s);
  release_network(&net);
  session_close(s);
  return isfinite(loss) ? 0 : 1;
}
