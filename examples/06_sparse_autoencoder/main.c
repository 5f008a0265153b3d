// SPDX-License-Identifier: Apache-2.0
// examples/06_sparse_autoencoder/main.c: a sparse autoencoder with a weight of unusual strides.
//
// Data: each of 2,048 rows is the sum of 16 of 1,536 random unit vectors in 384 dimensions, with
// weights from 0.5 to 1.5. The autoencoder is to find these directions: 384 -> 1,536, of which the
// 64 largest stay, -> 384. Its encoder starts as the decoder's transpose, a clone that keeps the
// strides (1, 1536). Elsewhere such a parameter has been trained wrongly, in silence; so the
// program trains twice, with and without these strides, and ends with status 1 unless every weight
// has moved, the loss has fallen by 60 % and both runs have the same bits. With --by-ops Adam is
// written here, in ops.
//
// Source: L. Gao et al., "Scaling and evaluating sparse autoencoders", 2024, TopK.
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <tenon/ext/draft/progress.h>

#include "../common/session.h"

enum { WIDTH = 384, FEATURES = 1536, ACTIVE = 16, KEPT = 64, BATCHES = 8, BATCH = 256, PARAMS = 4 };
#define RATE 1e-3

typedef struct options {
  int64_t steps;
  int by_ops;
  int gaps;  // between the columns of the strided encoder: strides (1, 1537)
  const char* curve;
} options;

typedef struct model {
  // encoder [FEATURES, WIDTH], its bias [FEATURES], decoder [WIDTH, FEATURES], its bias [WIDTH]
  tenon_tensor* params[PARAMS];
  tenon_tensor* means[PARAMS];  // Adam's state, with --by-ops
  tenon_tensor* squares[PARAMS];
  tenon_optimizer* optimizer;  // without
} model;

// ---- Data ---------------------------------------------------------------------------------------

static tenon_tensor* drawn(session* s, const char* name, int64_t rows, int64_t columns, double a,
                           double b) {
  const int64_t shape[] = {rows, columns};
  const tenon_value attrs[] = {ints_value(shape, 2), float_value(a), float_value(b),
                               dtype_value(TENON_DTYPE_F32)};
  return call(s, name, NULL, 0, attrs, 4);
}

// Rows of length 1.
static tenon_tensor* unit_vectors(session* s, int64_t rows) {
  tenon_tensor* v = drawn(s, "tenon.normal", rows, WIDTH, 0, 1);
  const int64_t last = -1;
  const tenon_value attrs[] = {ints_value(&last, 1), {.tag = TENON_VALUE_BOOL, .as.i64 = 1}};
  tenon_value x = tensor_value(v);
  return call2(s, "tenon.div", v, call(s, "tenon.norm", &x, 1, attrs, 2));
}

// The `k` largest of each row, and where they are.
static void top(session* s, tenon_tensor* x, int64_t k, tenon_tensor* out[2]) {
  const tenon_op* op = NULL;
  const tenon_value input = tensor_value(x), attr = int_value(k);
  session_check(s, tenon_op_find(s->context, "tenon.topk", TENON_NUL, 0, &op));
  session_check(s, tenon_op_call(s->context, op, &input, 1, &attr, 1, out, 2));
  session_keep(s, out[0]);
  session_keep(s, out[1]);
}

static tenon_tensor* zeros(session* s, int64_t rows, int64_t columns) {
  const int64_t shape[] = {rows, columns};
  const tenon_value attrs[] = {ints_value(shape, 2), float_value(0), dtype_value(TENON_DTYPE_F32)};
  return call(s, "tenon.full", NULL, 0, attrs, 3);
}

// [BATCH, FEATURES], 0 except for `values` at `places`.
static tenon_tensor* spread(session* s, tenon_tensor* places, tenon_tensor* values) {
  const tenon_value inputs[] = {tensor_value(zeros(s, BATCH, FEATURES)), tensor_value(places),
                                tensor_value(values)};
  const tenon_value axis = int_value(1);
  return call(s, "tenon.scatter", inputs, 3, &axis, 1);
}

static tenon_tensor* batch(session* s, tenon_tensor* directions) {
  tenon_tensor* picked[2];
  top(s, drawn(s, "tenon.uniform", BATCH, FEATURES, 0, 1), ACTIVE, picked);
  tenon_tensor* weights = drawn(s, "tenon.uniform", BATCH, ACTIVE, 0.5, 1.5);
  return call2(s, "tenon.matmul", spread(s, picked[1], weights), directions);
}

// ---- The model ----------------------------------------------------------------------------------

static tenon_tensor* transposed(session* s, tenon_tensor* x) {
  return call1(s, "tenon.transpose", x);
}

// A tensor of its own with these values, where they lie.
static tenon_tensor* leaf(session* s, tenon_tensor* values, uint32_t trained) {
  tenon_tensor* made = NULL;
  session_check(s, tenon_tensor_create_detached(s->context, values, &made));
  session_check(s, tenon_tensor_set_requires_grad(s->context, made, trained));
  return made;
}

// A copy in memory of its own; TENON_CLONE_PRESERVE keeps the strides.
static tenon_tensor* cloned(session* s, tenon_tensor* x, uint32_t layout) {
  tenon_tensor* made = NULL;
  session_check(s, tenon_tensor_create_clone(s->context, x, layout, &made));
  return session_keep(s, made);
}

// The transpose of [WIDTH, FEATURES]: one row to the next is one element.
static tenon_tensor* turned(session* s, tenon_tensor* x, const options* o) {
  if (o->gaps) {
    tenon_tensor* wide[] = {x, zeros(s, WIDTH, 1)};
    const tenon_value both = {.tag = TENON_VALUE_TENSOR_LIST, .count = 2, .as.tensors = wide};
    const tenon_value axis = int_value(1);
    const tenon_value input = tensor_value(call(s, "tenon.concat", &both, 1, &axis, 1));
    const tenon_value part[] = {int_value(1), int_value(0), int_value(FEATURES)};
    x = call(s, "tenon.slice", &input, 1, part, 3);
  }
  return transposed(s, x);
}

// Zeros for what Adam keeps of a parameter: they lie as it does.
static tenon_tensor* new_state(session* s, tenon_tensor* parameter) {
  tenon_tensor* state = leaf(s, cloned(s, parameter, TENON_CLONE_PRESERVE), 0);
  const tenon_op* sub = NULL;
  const tenon_value both[] = {tensor_value(state), tensor_value(state)};
  session_check(s, tenon_op_find(s->context, "tenon.sub", TENON_NUL, 0, &sub));
  session_check(s, tenon_op_call_into(s->context, sub, both, 2, NULL, 0, &state, 1));
  return state;
}

static model new_model(session* s, int strided, const options* o) {
  model m = {0};
  // As PyTorch's Linear begins.
  const double bound = 1 / sqrt(FEATURES);
  tenon_tensor* decoder = drawn(s, "tenon.uniform", WIDTH, FEATURES, -bound, bound);
  const uint32_t layout = strided ? TENON_CLONE_PRESERVE : TENON_CLONE_ROW_MAJOR;
  tenon_tensor* encoder = cloned(s, turned(s, decoder, o), layout);
  tenon_tensor* values[] = {encoder, zeros(s, 1, FEATURES), decoder, zeros(s, 1, WIDTH)};
  for (int i = 0; i < PARAMS; ++i) {
    m.params[i] = leaf(s, values[i], 1);
    if (o->by_ops) m.means[i] = new_state(s, m.params[i]);
    if (o->by_ops) m.squares[i] = new_state(s, m.params[i]);
  }
  const tenon_string lr = {"lr", 2};
  const tenon_value rate = float_value(RATE);
  if (!o->by_ops) {
    session_check(s, tenon_optimizer_create(s->context, "tenon.adam", TENON_NUL, m.params, PARAMS,
                                            &lr, &rate, 1, &m.optimizer));
  }
  session_clear(s);
  return m;
}

static void release_model(model* m) {
  tenon_optimizer_release(m->optimizer);
  for (int i = 0; i < PARAMS; ++i) {
    tenon_tensor_release(m->params[i]);
    tenon_tensor_release(m->means[i]);
    tenon_tensor_release(m->squares[i]);
  }
}

// The mean square of what is lost on the way.
static tenon_tensor* loss_of(session* s, const model* m, tenon_tensor* x) {
  tenon_tensor* y = call2(s, "tenon.matmul", x, transposed(s, m->params[0]));
  tenon_tensor* kept[2];
  top(s, call2(s, "tenon.add", y, m->params[1]), KEPT, kept);
  y = spread(s, kept[1], call1(s, "tenon.relu", kept[0]));
  y = call2(s, "tenon.matmul", y, transposed(s, m->params[2]));
  y = call2(s, "tenon.add", y, m->params[3]);
  return call1(s, "tenon.mean", call1(s, "tenon.square", call2(s, "tenon.sub", y, x)));
}

// ---- Training -----------------------------------------------------------------------------------

// x = name(x, a, b, value), in place.
static void add_scaled(session* s, const char* name, tenon_tensor* x, tenon_tensor* a,
                       tenon_tensor* b, double value) {
  const tenon_op* op = NULL;
  const tenon_value inputs[] = {tensor_value(x), tensor_value(a), tensor_value(b)};
  const tenon_value attr = float_value(value);
  session_check(s, tenon_op_find(s->context, name, TENON_NUL, 0, &op));
  session_check(s, tenon_op_call_into(s->context, op, inputs, 3, &attr, 1, &x, 1));
}

// x = name(x, number), in place.
static void scale(session* s, const char* name, tenon_tensor* x, double number) {
  const tenon_op* op = NULL;
  const tenon_value inputs[] = {tensor_value(x), float_value(number)};
  session_check(s, tenon_op_find(s->context, name, TENON_NUL, 0, &op));
  session_check(s, tenon_op_call_into(s->context, op, inputs, 2, NULL, 0, &x, 1));
}

// Adam as many programs write it: D. P. Kingma, J. Ba, 2015, algorithm 1.
static void step_by_ops(session* s, model* m, int64_t t) {
  const double beta1 = 0.9, beta2 = 0.999;
  const double size = RATE / (1 - pow(beta1, (double)t));
  const double bias = sqrt(1 - pow(beta2, (double)t));
  session_check(s, tenon_grad_begin(s->context, TENON_GRAD_DISABLED));
  for (int i = 0; i < PARAMS; ++i) {
    tenon_tensor* g = NULL;
    session_check(s, tenon_tensor_get_grad(s->context, m->params[i], &g));
    scale(s, "tenon.mul", m->means[i], beta1);
    add_scaled(s, "tenon.addcmul", m->means[i], g, call_number(s, "tenon.pow", g, 0), 1 - beta1);
    scale(s, "tenon.mul", m->squares[i], beta2);
    add_scaled(s, "tenon.addcmul", m->squares[i], g, g, 1 - beta2);
    tenon_tensor* root = call1(s, "tenon.sqrt", m->squares[i]);
    root = call_number(s, "tenon.add", call_number(s, "tenon.div", root, bias), 1e-8);
    add_scaled(s, "tenon.addcdiv", m->params[i], m->means[i], root, -size);
    session_check(s, tenon_tensor_set_grad(s->context, m->params[i], NULL));
  }
  session_check(s, tenon_grad_end(s->context));
}

typedef struct result {
  double first, last;  // the loss
  int64_t still;       // weights that have not moved
  float* values[PARAMS];
} result;

static size_t count_of(int i) {
  return i == 1 ? FEATURES : i == 3 ? WIDTH : (size_t)FEATURES * WIDTH;
}

static float* values_of(session* s, tenon_tensor* x, int i) {
  float* values = malloc(count_of(i) * sizeof *values);
  if (!values) session_check(s, TENON_E_MEMORY);
  session_check(s, tenon_tensor_get_data(s->context, x, values, count_of(i) * sizeof *values));
  return values;
}

// One step after the other; notes the losses.
static void run_steps(session* s, model* m, tenon_tensor* const* batches, const char* name,
                      const options* o, tenon_history* history, result* r) {
  tenon_progress* progress = NULL;
  session_check(s, tenon_progress_create(s->context, name, TENON_NUL, o->steps, 0, &progress));
  for (int64_t t = 1; t <= o->steps; ++t) {
    tenon_tensor* loss = loss_of(s, m, batches[t % BATCHES]);
    session_check(s, tenon_backward_run(s->context, &loss, NULL, 1, 0));
    if (o->by_ops) {
      step_by_ops(s, m, t);
    } else {
      session_check(s, tenon_optimizer_run(s->context, m->optimizer, TENON_OPTIMIZER_CLEAR_GRAD));
    }
    r->last = item_of(s, loss);
    if (t == 1) r->first = r->last;
    session_check(s, tenon_history_set(s->context, history, name, TENON_NUL, t, r->last));
    session_check(s, tenon_progress_run(s->context, progress, t, "loss", TENON_NUL, r->last));
    session_clear(s);
  }
  tenon_progress_release(progress);
}

// The same data and the same first weights each time.
static result train(session* s, int strided, const options* o, tenon_history* history) {
  const char* name = !strided ? "contiguous" : o->gaps ? "strides (1, 1537)" : "strides (1, 1536)";
  session_check(s, tenon_context_set_seed(s->context, 0, 0));
  tenon_tensor* directions = unit_vectors(s, FEATURES);
  tenon_tensor* batches[BATCHES];
  for (int i = 0; i < BATCHES; ++i) batches[i] = session_own(s, batch(s, directions));
  model m = new_model(s, strided, o);
  float* before[PARAMS];
  for (int i = 0; i < PARAMS; ++i) before[i] = values_of(s, m.params[i], i);
  result r = {0};
  run_steps(s, &m, batches, name, o, history, &r);
  for (int i = 0; i < PARAMS; ++i) {
    r.values[i] = values_of(s, m.params[i], i);
    for (size_t k = 0; k < count_of(i); ++k) r.still += r.values[i][k] == before[i][k];
    free(before[i]);
  }
  release_model(&m);
  for (int i = 0; i < BATCHES; ++i) tenon_tensor_release(batches[i]);
  printf("%-17s  loss %.6f to %.6f (%+.1f %%), %lld weights did not move\n", name, r.first, r.last,
         100 * (r.last / r.first - 1), (long long)r.still);
  return r;
}

static options options_read(int argc, char** argv) {
  options o = {.steps = 100};
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--by-ops") == 0) {
      o.by_ops = 1;
    } else if (strcmp(argv[i], "--gaps") == 0) {
      o.gaps = 1;
    } else if (strcmp(argv[i], "--steps") == 0 && i + 1 < argc && atoll(argv[i + 1]) > 0) {
      o.steps = atoll(argv[++i]);
    } else if (strcmp(argv[i], "--curve") == 0 && i + 1 < argc) {
      o.curve = argv[++i];
    } else {
      fprintf(stderr, "usage: %s [--steps N] [--by-ops] [--gaps] [--curve FILE.svg]\n", argv[0]);
      exit(strcmp(argv[i], "--help") == 0 ? 0 : 2);
    }
  }
  return o;
}

int main(int argc, char** argv) {
  const options o = options_read(argc, argv);
  session run, *s = &run;
  session_open(s, 0, 0);
  tenon_history* history = NULL;
  session_check(s, tenon_history_create(s->context, &history));
  result strided = train(s, 1, &o, history), plain = train(s, 0, &o, history);
  int same = 1;
  for (int i = 0; i < PARAMS; ++i) {
    same &= memcmp(strided.values[i], plain.values[i], count_of(i) * sizeof(float)) == 0;
    free(strided.values[i]);
    free(plain.values[i]);
  }
  const int moved = strided.still == 0 && plain.still == 0;
  const int learned = strided.last <= 0.4 * strided.first && plain.last <= 0.4 * plain.first;
  printf("%s bits with and without strides\n", same ? "the same" : "OTHER");
  if (!moved) printf("some weights did NOT move\n");
  if (!learned) printf("the loss has NOT fallen by 60 %%\n");
  if (o.curve) {
    session_check(s, tenon_history_save(s->context, history, o.curve, TENON_NUL,
                                        "Sparse autoencoder", TENON_NUL, "step", TENON_NUL));
  }
  tenon_history_release(history);
  session_close(s);
  return same && moved && learned ? 0 : 1;
}
