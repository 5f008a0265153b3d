// SPDX-License-Identifier: Apache-2.0
// examples/11_decoder_text/main.c: a small transformer learns to write as a text does: blocks with
// rotated heads and gated units as layers, windows of a text, a training step that is captured once
// and replayed, and text drawn token by token.
//
// Without --data it learns the shipped beginning of a play. Tokens are bytes.
#define _POSIX_C_SOURCE 200809L

#include <tenon/client.h>

#include "../common/clock.h"
#include "../common/paths.h"

#define BYTES 256
#define WINDOW 64
#define WIDTH 128
#define LAYERS 2
#define BATCH 16
#define STEPS 300

typedef struct run {
  tn_client* c;
  const char* data;
  int64_t steps, seed, threads, write;
  tenon_loader* loader;
  tenon_layer* model;
  tenon_optimizer* adamw;
  tn_captured_step step;
} run;

// ---- The model ----------------------------------------------------------------------------------

static tenon_layer* new_model(tn_client* c) {
  const int64_t width = WIDTH;
  const tenon_value sizes = tn_ints(&width, 1);
  tenon_layer* model = tn_layer(c, "tenon.sequential", TN_NONE);
  const tn_named table =
      TN_NAMED({"rows", tn_int(BYTES)}, {"width", tn_int(WIDTH)}, {"gain", tn_float(0.02)});
  tn_add(c, model, "tenon.embedding", table);
  for (int i = 0; i < LAYERS; ++i) {
    tn_add(c, model, "tenon.transformer_block",
           TN_NAMED({"width", tn_int(WIDTH)}, {"heads", tn_int(WIDTH / 32)},
                    {"hidden", tn_int(3 * WIDTH)}, {"activation", tn_text("swiglu")},
                    {"norm", tn_text("rms")}, {"bias", tn_bool(0)}, {"causal", tn_bool(1)},
                    {"positions", tn_int(WINDOW)}));
  }
  tn_add(c, model, "tenon.rms_norm", TN_NAMED({"sizes", sizes}));
  tn_add(c, model, "tenon.linear",
         TN_NAMED({"inputs", tn_int(WIDTH)}, {"outputs", tn_int(BYTES)}, {"bias", tn_bool(0)}));
  return model;
}

// ---- Training -----------------------------------------------------------------------------------

static tenon_tensor* reshaped(tn_client* c, tenon_tensor* x, const int64_t* shape, uint32_t n) {
  return tn_call(c, "tenon.reshape", TN_ARGS(tn_value(x)), TN_NAMED({"shape", tn_ints(shape, n)}));
}

// xy: tokens and targets, [BATCH,WINDOW]. Captured while it runs for the first time, and replayed
// from then on.
static tenon_tensor* step(tn_client* c, void* user, tenon_tensor* const* xy) {
  const run* r = (const run*)user;
  const int64_t rows[2] = {BATCH * WINDOW, BYTES};
  tenon_tensor* scores = reshaped(c, tn_forward(c, r->model, xy[0]), rows, 2);
  tenon_tensor* targets = reshaped(c, xy[1], rows, 1);
  tenon_tensor* loss = tn_call2(c, "tenon.softmax_cross_entropy", scores, targets);
  tn_backward(c, loss);
  tn_step(c, r->adamw);
  return loss;
}

// The loss, of late.
static double train(run* r) {
  tn_client* c = r->c;
  tenon_schedule* cosine =
      tn_schedule(c, "tenon.cosine", 3e-3, TN_NAMED({"period", tn_int(r->steps)}));
  tenon_progress* progress = tn_progress(c, "training", r->steps);
  const double start = clock_seconds();
  double recent = 0;
  int64_t done = 0;
  for (int64_t epoch = 0; done < r->steps; ++epoch) {
    tenon_tensor* xy[2];
    tn_check(c, tenon_loader_begin(c->context, r->loader, (uint64_t)epoch, 0));
    if (tn_place(c, r->loader).length < BATCH) break;
    while (done < r->steps && tn_next(c, r->loader, xy, 2) == BATCH) {
      tn_set(c, r->adamw, "lr", tn_float(tn_advance(c, cosine)));
      const double loss = tn_item(c, tn_run_step(c, &r->step, 0, xy));
      recent = done ? 0.95 * recent + 0.05 * loss : loss;
      tn_show(c, progress, ++done, "loss", recent);
    }
  }
  printf("%lld steps: loss %.3f, %.1f s\n", (long long)done, recent, clock_seconds() - start);
  return recent;
}

// ---- Writing ------------------------------------------------------------------------------------

// What the model's caches hold: the `kept` tokens before number `next`.
typedef struct memory {
  int64_t kept, next;
} memory;

// The tokens that the model has not seen, [1,T]. A full memory begins again with half a window.
static tenon_tensor* unseen(const run* r, const int64_t* tokens, int64_t n, memory* m) {
  int64_t first = m->next;
  if (m->kept + n - first > WINDOW) {
    tn_check(r->c, tenon_layer_crop_cache(r->c->context, r->model, 0));
    first = n > WINDOW / 2 ? n - WINDOW / 2 : 0;
    m->kept = 0;
  }
  const int64_t shape[2] = {1, n - first};
  tenon_tensor* x = NULL;
  tn_check(r->c, tenon_tensor_create_from(r->c->context, TENON_DTYPE_I64, NULL, 2, shape,
                                          tokens + first, (uint64_t)shape[1] * sizeof *tokens, &x));
  *m = (memory){.kept = m->kept + shape[1], .next = n};
  return tn_keep(r->c, x);
}

// Draws the token after `tokens`, of which there are n, from the likeliest 20.
static int64_t next_token(const run* r, const int64_t* tokens, int64_t n, memory* m) {
  tn_client* c = r->c;
  tenon_tensor* scores = tn_forward(c, r->model, unseen(r, tokens, n, m));
  // The last row's: [1,1,BYTES] as [1,BYTES].
  scores = tn_call(c, "tenon.slice", TN_ARGS(tn_value(scores)),
                   TN_NAMED({"axis", tn_int(1)}, {"start", tn_int(-1)}));
  const int64_t row[2] = {1, BYTES};
  scores = reshaped(c, scores, row, 2);
  return (int64_t)tn_item(c,
                          tn_call(c, "tenon.sample", TN_ARGS(tn_value(scores)),
                                  TN_NAMED({"temperature", tn_float(0.8)}, {"top_k", tn_int(20)})));
}

static void write_text(const run* r, const char* beginning) {
  tn_client* c = r->c;
  const int64_t given = (int64_t)strlen(beginning), total = given + r->write;
  int64_t* tokens = calloc((size_t)total, sizeof *tokens);
  if (!tokens) {
    fprintf(stderr, "error: out of memory\n");
    exit(1);
  }
  for (int64_t i = 0; i < given; ++i) tokens[i] = (unsigned char)beginning[i];
  tn_check(c, tenon_layer_set_training(c->context, r->model, 0));
  tn_check(c, tenon_grad_begin(c->context, TENON_GRAD_DISABLED));
  tn_check(c, tenon_layer_set_cache(c->context, r->model, 1, WINDOW));
  memory m = {0, 0};
  for (int64_t n = given; n < total; ++n) {
    const size_t region = tn_begin(c);
    tokens[n] = next_token(r, tokens, n, &m);
    tn_end(c, region);
  }
  tn_check(c, tenon_grad_end(c->context));
  for (int64_t i = 0; i < total; ++i) putchar((int)tokens[i]);
  putchar('\n');
  free(tokens);
}

// ---- The command line ---------------------------------------------------------------------------

static int usage(const char* program) {
  fprintf(stderr,
          "usage: %s [--data FILE] [--steps N] [--write N] [--seed N] [--threads N]\n"
          "  --data     a text (default: the beginning of a play by Shakespeare)\n"
          "  --steps    of training, %d windows of %d bytes each (default %d)\n"
          "  --write    bytes to write afterwards (default 300)\n"
          "  --threads  compute threads (default: as many as the process may use)\n",
          program, BATCH, WINDOW, STEPS);
  return 2;
}

static int read_options(run* r, int argc, char** argv) {
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) return 0;
    const char *name = argv[i], *value = argv[i + 1];
    if (strcmp(name, "--data") == 0) {
      r->data = value;
      continue;
    }
    char* end = NULL;
    const long long number = strtoll(value, &end, 10);
    if (*end || end == value || number < 0) return 0;
    if (strcmp(name, "--steps") == 0)
      r->steps = number;
    else if (strcmp(name, "--write") == 0)
      r->write = number;
    else if (strcmp(name, "--seed") == 0)
      r->seed = number;
    else if (strcmp(name, "--threads") == 0)
      r->threads = number;
    else
      return 0;
  }
  return 1;
}

int main(int argc, char** argv) {
  tn_client client;
  run r = {.c = &client, .steps = STEPS, .write = 300};
  if (!read_options(&r, argc, argv)) return usage(argv[0]);
  tn_client* c = r.c;
  tn_open(c, (uint32_t)r.threads, (uint64_t)r.seed);
  char shipped[EXAMPLE_PATH_BYTES];
  const char* folder = r.data ? NULL : shipped_data("text", shipped);
  char path[EXAMPLE_PATH_BYTES];
  if (folder) join_path(path, folder, "coriolanus.txt");
  tenon_dataset* text =
      tn_dataset(c, "tenon.text",
                 TN_NAMED({"path", tn_text(folder ? path : r.data)}, {"tokenizer", tn_text("byte")},
                          {"window", tn_int(WINDOW)}, {"stride", tn_int(7)}));
  r.loader =
      tn_loader(c, text, BATCH, (uint64_t)r.seed, TENON_LOADER_SHUFFLE | TENON_LOADER_DROP_LAST, 1);
  r.model = new_model(c);
  r.adamw = tn_optimizer(c, "tenon.adamw", r.model,
                         TN_NAMED({"lr", tn_float(3e-3)}, {"weight_decay", tn_float(0.01)}));
  r.step = tn_step_of(step, &r, 2);
  const double loss = train(&r);
  write_text(&r, "MENENIUS:\n");
  const int failed = !r.data && r.steps >= STEPS && loss > 2.1;
  if (failed) fprintf(stderr, "error: expected a loss of at most 2.1\n");
  tn_release_step(&r.step);
  tn_close(c);
  return failed;
}
