// SPDX-License-Identifier: Apache-2.0
// tests/bench/programs/mlp.c: one training step of the network 784-128-32-10 (relu, softmax
// cross-entropy), eager or replayed from a plan. Prints the seconds of a step, and the resident
// bytes of the process beyond those of its images and labels.
//
// usage    bench_mlp --batch N --optimizer sgd|adam|adamw --mode eager|captured --threads N
//                    --steps N
#define _POSIX_C_SOURCE 200809L

#include "measure.h"
#include "mlp_network.h"

typedef struct options {
  int64_t batch, threads, steps;
  const char* optimizer;
  int captured;
} options;

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

int main(int argc, char** argv) {
  const options o = read_options(argc, argv);
  tn_client run, *s = &run;
  tn_open(s, o.threads, 20261121);
  mlp_network net = mlp_create(s, o.batch, o.optimizer);
  tenon_tensor* loss = NULL;
  tenon_plan* plan = o.captured ? mlp_capture(s, &net, &loss) : NULL;
  // The first tenth warms up.
  double seconds = 0;
  for (int64_t part = 0, steps = o.steps / 10 + 1; part < 2; ++part, steps = o.steps) {
    const double start = now();
    mlp_run(s, &net, plan, 0, steps);
    seconds = (now() - start) / (double)steps;
  }
  tn_end(s, 0);
  const double last = tn_item(s, mlp_step(s, &net, net.images[0], net.labels[0]));
  const long data = (long)(MLP_BATCHES * o.batch) * (mlp_sizes[0] * (long)sizeof(float) + 8);
  printf("{\"seconds\": %.9g, \"resident_bytes\": %ld, \"loss\": %.9g}\n", seconds,
         resident_bytes() - data, last);
  tenon_plan_release(plan);
  tn_end(s, 0);
  mlp_release(&net);
  tn_close(s);
  return isfinite(last) ? 0 : 1;
}
