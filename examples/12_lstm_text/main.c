// SPDX-License-Identifier: Apache-2.0
// examples/12_lstm_text/main.c: an LSTM learns to write as a text does: rows of a text that are
// read side by side, a window at a time, with a state that is carried from window to window, and
// text drawn byte by byte.
//
// Without --data it learns the shipped beginning of a play. Tokens are bytes.
#define _POSIX_C_SOURCE 200809L

#include <tenon/client.h>

#include "../common/clock.h"
#include "../common/paths.h"

#define BYTES 256
#define WIDTH 64
#define HIDDEN 128
#define WINDOW 32
#define ROWS 32
#define STEPS 400

// What an LSTM remembers; of NULL nothing.
typedef struct state {
  tenon_tensor *h, *c;
} state;

typedef struct run {
  tn_client* c;
  const char* data;
  int64_t steps, seed, threads, write, reset;
  tenon_layer *model, *embedding, *lstm, *head;
  tenon_optimizer* adam;
} run;

// Rows of a text, one below the other.
typedef struct rows {
  tenon_tensor* tokens;  // i64 [ROWS,length]
  int64_t length;
} rows;

// ---- The text -----------------------------------------------------------------------------------

static void fail(const char* path, const char* what) {
  fprintf(stderr, "error: %s: %s\n", path, what);
  exit(1);
}

static char* read_file(const char* path, int64_t* bytes) {
  FILE* file = fopen(path, "rb");
  if (!file) fail(path, "cannot be opened");
  char* text = NULL;
  int64_t room = 0;
  *bytes = 0;
  do {
    room += 1 << 20;
    text = realloc(text, (size_t)room);
    if (!text) fail(path, "out of memory");
    *bytes += (int64_t)fread(text + *bytes, 1, (size_t)(room - *bytes), file);
  } while (*bytes == room);
  if (ferror(file)) fail(path, "cannot be read");
  fclose(file);
  return text;
}

static tenon_tensor* tensor_of(tn_client* c, const int64_t* shape, const int64_t* tokens) {
  tenon_tensor* made = NULL;
  const uint64_t bytes = (uint64_t)(shape[0] * shape[1]) * sizeof *tokens;
  tn_check(c, tenon_tensor_create_from(c->context, TENON_DTYPE_I64, NULL, 2, shape, tokens, bytes,
                                       &made));
  return tn_keep(c, made);
}

static rows rows_of(tn_client* c, const char* text, int64_t bytes) {
  rows made = {.length = bytes / ROWS};
  const int64_t shape[2] = {ROWS, made.length};
  int64_t* tokens = calloc((size_t)(ROWS * made.length) + 1, sizeof *tokens);
  if (!tokens) fail("the text", "out of memory");
  for (int64_t i = 0; i < ROWS * made.length; ++i) tokens[i] = (unsigned char)text[i];
  made.tokens = tensor_of(c, shape, tokens);
  free(tokens);
  return made;
}

static tenon_tensor* columns(tn_client* c, const rows* r, int64_t from) {
  return tn_call(
      c, "tenon.slice", TN_ARGS(tn_value(r->tokens)),
      TN_NAMED({"axis", tn_int(1)}, {"start", tn_int(from)}, {"stop", tn_int(from + WINDOW)}));
}

// ---- The model ----------------------------------------------------------------------------------

static tenon_layer* added(run* r, const char* name, const char* kind, tn_named options) {
  tenon_layer* layer = tn_layer(r->c, kind, options);
  tn_check(r->c, tenon_layer_set_child(r->c->context, r->model, name, TENON_NUL, layer));
  return layer;
}

static void new_model(run* r) {
  r->model = tn_layer(r->c, "tenon.sequential", TN_NONE);
  r->embedding = added(r, "embedding", "tenon.embedding",
                       TN_NAMED({"rows", tn_int(BYTES)}, {"width", tn_int(WIDTH)}));
  r->lstm = added(
      r, "lstm", "tenon.lstm",
      TN_NAMED({"inputs", tn_int(WIDTH)}, {"hidden", tn_int(HIDDEN)}, {"batch_first", tn_bool(1)}));
  r->head = added(r, "head", "tenon.linear",
                  TN_NAMED({"inputs", tn_int(HIDDEN)}, {"outputs", tn_int(BYTES)}));
}

// Scores [B,T,BYTES] of the byte after each token; `s` becomes the state after the last.
static tenon_tensor* scores_of(const run* r, tenon_tensor* tokens, state* s) {
  tn_client* c = r->c;
  const tenon_value inputs[3] = {tn_value(tn_forward(c, r->embedding, tokens)),
                                 s->h ? tn_value(s->h) : tn_none(),
                                 s->c ? tn_value(s->c) : tn_none()};
  tenon_tensor* outputs[3] = {NULL, NULL, NULL};
  tn_check(c, tenon_layer_call(c->context, r->lstm, inputs, 3, outputs, 3));
  for (int i = 0; i < 3; ++i) tn_keep(c, outputs[i]);
  *s = (state){outputs[1], outputs[2]};
  return tn_forward(c, r->head, outputs[0]);
}

// Of the bytes after each of the columns [at, at + WINDOW).
static tenon_tensor* loss_of(const run* r, const rows* text, int64_t at, state* s) {
  const int64_t shape[2] = {ROWS * WINDOW, BYTES};
  tenon_tensor* scores =
      tn_call(r->c, "tenon.reshape", TN_ARGS(tn_value(scores_of(r, columns(r->c, text, at), s))),
              TN_NAMED({"shape", tn_ints(shape, 2)}));
  tenon_tensor* targets =
      tn_call(r->c, "tenon.reshape", TN_ARGS(tn_value(columns(r->c, text, at + 1))),
              TN_NAMED({"shape", tn_ints(shape, 1)}));
  return tn_call2(r->c, "tenon.softmax_cross_entropy", scores, targets);
}

// ---- States that outlive a region ---------------------------------------------------------------

static void forget(state* s) {
  tenon_tensor_release(s->h);
  tenon_tensor_release(s->c);
  *s = (state){NULL, NULL};
}

// Puts `after` in place of what was kept, without its history: gradients end with the window.
static void carry(tn_client* c, state* kept, const state* after) {
  state next = {NULL, NULL};
  tn_check(c, tenon_tensor_create_detached(c->context, after->h, &next.h));
  tn_check(c, tenon_tensor_create_detached(c->context, after->c, &next.c));
  forget(kept);
  *kept = next;
}

// ---- Training -----------------------------------------------------------------------------------

static void evaluating(const run* r, int begins) {
  tenon_context* context = r->c->context;
  tn_check(r->c, tenon_layer_set_training(context, r->model, !begins));
  tn_check(r->c, begins ? tenon_grad_begin(context, TENON_GRAD_DISABLED) : tenon_grad_end(context));
}

// The mean loss of all windows, with the state carried.
static double validate(const run* r, const rows* text) {
  state kept = {NULL, NULL};
  double sum = 0;
  int64_t windows = 0;
  evaluating(r, 1);
  for (int64_t at = 0; at + WINDOW < text->length; at += WINDOW, ++windows) {
    const size_t region = tn_begin(r->c);
    state after = kept;
    sum += tn_item(r->c, loss_of(r, text, at, &after));
    carry(r->c, &kept, &after);
    tn_end(r->c, region);
  }
  evaluating(r, 0);
  forget(&kept);
  return sum / (double)windows;
}

static void train(const run* r, const rows* text) {
  state kept = {NULL, NULL};
  tenon_progress* progress = tn_progress(r->c, "training", r->steps);
  int64_t at = 0;
  for (int64_t done = 1; done <= r->steps; ++done) {
    const size_t region = tn_begin(r->c);
    state after = r->reset ? (state){NULL, NULL} : kept;
    tenon_tensor* loss = loss_of(r, text, at, &after);
    tn_backward(r->c, loss);
    tn_step(r->c, r->adam);
    carry(r->c, &kept, &after);
    tn_show(r->c, progress, done, "loss", tn_item(r->c, loss));
    tn_end(r->c, region);
    at += WINDOW;
    if (at + WINDOW < text->length) continue;
    at = 0;
    forget(&kept);
  }
  forget(&kept);
}

// ---- Writing ------------------------------------------------------------------------------------

// Draws from the likeliest 20 after the last of n tokens.
static int64_t next_token(const run* r, const int64_t* tokens, int64_t n, state* s) {
  tn_client* c = r->c;
  const int64_t shape[2] = {1, n}, lines[2] = {n, BYTES};
  tenon_tensor* scores = scores_of(r, tensor_of(c, shape, tokens), s);
  scores = tn_call(c, "tenon.reshape", TN_ARGS(tn_value(scores)),
                   TN_NAMED({"shape", tn_ints(lines, 2)}));
  scores = tn_call(c, "tenon.slice", TN_ARGS(tn_value(scores)),
                   TN_NAMED({"axis", tn_int(0)}, {"start", tn_int(n - 1)}, {"stop", tn_int(n)}));
  return (int64_t)tn_item(c,
                          tn_call(c, "tenon.sample", TN_ARGS(tn_value(scores)),
                                  TN_NAMED({"temperature", tn_float(0.7)}, {"top_k", tn_int(20)})));
}

// The beginning is read once; then the state knows it, and each byte that is drawn is read alone.
static void write_text(const run* r, const char* beginning) {
  int64_t tokens[64], n = 0;
  for (; beginning[n]; ++n) tokens[n] = (unsigned char)beginning[n];
  fputs(beginning, stdout);
  state kept = {NULL, NULL};
  evaluating(r, 1);
  for (int64_t i = 0; i < r->write; ++i) {
    const size_t region = tn_begin(r->c);
    state after = kept;
    tokens[0] = next_token(r, tokens, n, &after);
    n = 1;
    putchar((int)tokens[0]);
    carry(r->c, &kept, &after);
    tn_end(r->c, region);
  }
  evaluating(r, 0);
  forget(&kept);
  putchar('\n');
}

// ---- The command line ---------------------------------------------------------------------------

static int usage(const char* program) {
  fprintf(stderr,
          "usage: %s [--data FILE] [--steps N] [--write N] [--reset 0|1] [--seed N] [--threads N]\n"
          "  --data     a text (default: the beginning of a play by Shakespeare)\n"
          "  --steps    of training, %d windows of %d bytes each (default %d)\n"
          "  --write    bytes to write afterwards (default 300)\n"
          "  --reset    does each window begin without a state? (default 0: it is carried)\n"
          "  --threads  compute threads (default: as many as the process may use)\n",
          program, ROWS, WINDOW, STEPS);
  return 2;
}

static int64_t* number_option(run* r, const char* name) {
  if (strcmp(name, "--steps") == 0) return &r->steps;
  if (strcmp(name, "--write") == 0) return &r->write;
  if (strcmp(name, "--reset") == 0) return &r->reset;
  if (strcmp(name, "--seed") == 0) return &r->seed;
  if (strcmp(name, "--threads") == 0) return &r->threads;
  return NULL;
}

static int read_options(run* r, int argc, char** argv) {
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) return 0;
    if (strcmp(argv[i], "--data") == 0) {
      r->data = argv[i + 1];
      continue;
    }
    int64_t* to = number_option(r, argv[i]);
    char* end = NULL;
    const long long number = strtoll(argv[i + 1], &end, 10);
    if (!to || *end || end == argv[i + 1] || number < 0) return 0;
    *to = number;
  }
  return 1;
}

int main(int argc, char** argv) {
  tn_client client;
  run r = {.c = &client, .steps = STEPS, .write = 300};
  if (!read_options(&r, argc, argv)) return usage(argv[0]);
  tn_open(&client, r.threads, (uint64_t)r.seed);
  char shipped[EXAMPLE_PATH_BYTES], path[EXAMPLE_PATH_BYTES];
  const char* file =
      r.data ? r.data : join_path(path, shipped_data("text", shipped), "coriolanus.txt");
  int64_t bytes = 0;
  char* text = read_file(file, &bytes);
  const int64_t held_out = bytes / 10;
  const rows training = rows_of(&client, text, bytes - held_out);
  const rows others = rows_of(&client, text + bytes - held_out, held_out);
  free(text);
  if (others.length <= WINDOW) fail(file, "the text is too short");
  new_model(&r);
  r.adam = tn_optimizer(&client, "tenon.adam", r.model, TN_NAMED({"lr", tn_float(5e-3)}));
  const double start = clock_seconds();
  train(&r, &training);
  const double loss = validate(&r, &others);
  printf("%lld steps: validation loss %.3f, %.1f s\n", (long long)r.steps, loss,
         clock_seconds() - start);
  write_text(&r, "MENENIUS:\n");
  const int failed = !r.data && r.steps >= STEPS && loss > 2.0;
  if (failed) fprintf(stderr, "error: expected a loss of at most 2.0\n");
  tn_close(&client);
  return failed;
}
