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
#include <tenon/client.h>

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

// Drawn by an op, whose bounds are `names`.
static tenon_tensor* drawn(tn_client* c, const char* name, int64_t rows, int64_t columns,
                           const char* const names[2], double a, double b) {
  const int64_t shape[] = {rows, columns};
  return tn_call(
      c, name, TN_NO_INPUTS,
      TN_NAMED({"shape", tn_ints(shape, 2)}, {names[0], tn_float(a)}, {names[1], tn_float(b)}));
}
static tenon_tensor* uniform(tn_client* c, int64_t rows, int64_t columns, double low, double high) {
  return drawn(c, "tenon.uniform", rows, columns, (const char* const[]){"low", "high"}, low, high);
}

// Rows of length 1.
static tenon_tensor* unit_vectors(tn_client* c, int64_t rows) {
  tenon_tensor* v =
      drawn(c, "tenon.normal", rows, WIDTH, (const char* const[]){"mean", "std"}, 0, 1);
  const int64_t last = -1;
  tenon_tensor* lengths = tn_call(c, "tenon.norm", TN_ARGS(tn_value(v)),
                                  TN_NAMED({"axes", tn_ints(&last, 1)}, {"keepdims", tn_bool(1)}));
  return tn_call2(c, "tenon.div", v, lengths);
}

// The `k` largest of each row, and where they are.
static void top(tn_client* c, tenon_tensor* x, int64_t k, tenon_tensor* out[2]) {
  tn_call_all(c, "tenon.topk", TN_ARGS(tn_value(x)), TN_NAMED({"k", tn_int(k)}), out, 2);
}

static tenon_tensor* zeros(tn_client* c, int64_t rows, int64_t columns) {
  const int64_t shape[] = {rows, columns};
  return tn_tensor(c, shape, 2, NULL);
}

// [BATCH, FEATURES], 0 except for `values` at `places`.
static tenon_tensor* spread(tn_client* c, tenon_tensor* places, tenon_tensor* values) {
  const tenon_value empty = tn_value(zeros(c, BATCH, FEATURES));
  return tn_call(c, "tenon.scatter", TN_ARGS(empty, tn_value(places), tn_value(values)),
                 TN_NAMED({"axis", tn_int(1)}));
}

static tenon_tensor* batch(tn_client* c, tenon_tensor* directions) {
  tenon_tensor* picked[2];
  top(c, uniform(c, BATCH, FEATURES, 0, 1), ACTIVE, picked);
  tenon_tensor* weights = uniform(c, BATCH, ACTIVE, 0.5, 1.5);
  return tn_call2(c, "tenon.matmul", spread(c, picked[1], weights), directions);
}

// ---- The model ----------------------------------------------------------------------------------

static tenon_tensor* transposed(tn_client* c, tenon_tensor* x) {
  return tn_call1(c, "tenon.transpose", x);
}

// A tensor of its own with these values, where they lie.
static tenon_tensor* leaf(tn_client* c, tenon_tensor* values, uint32_t trained) {
  tenon_tensor* made = NULL;
  tn_check(c, tenon_tensor_create_detached(c->context, values, &made));
  tn_check(c, tenon_tensor_set_requires_grad(c->context, made, trained));
  return tn_keep(c, made);
}

// A copy in memory of its own; TENON_CLONE_PRESERVE keeps the strides.
static tenon_tensor* cloned(tn_client* c, tenon_tensor* x, uint32_t layout) {
  tenon_tensor* made = NULL;
  tn_check(c, tenon_tensor_create_clone(c->context, x, layout, &made));
  return tn_keep(c, made);
}

// The transpose of [WIDTH, FEATURES]: one row to the next is one element.
static tenon_tensor* turned(tn_client* c, tenon_tensor* x, const options* o) {
  if (o->gaps) {
    tenon_tensor* wide[] = {x, zeros(c, WIDTH, 1)};
    const tenon_value both = tn_value(
        tn_call(c, "tenon.concat", TN_ARGS(tn_tensors(wide, 2)), TN_NAMED({"axis", tn_int(1)})));
    x = tn_call(c, "tenon.slice", TN_ARGS(both),
                TN_NAMED({"axis", tn_int(1)}, {"start", tn_int(0)}, {"stop", tn_int(FEATURES)}));
  }
  return transposed(c, x);
}

// Zeros for what Adam keeps of a parameter: they lie as it does.
static tenon_tensor* new_state(tn_client* c, tenon_tensor* parameter) {
  tenon_tensor* state = leaf(c, cloned(c, parameter, TENON_CLONE_PRESERVE), 0);
  tn_call_into(c, "tenon.sub", TN_ARGS(tn_value(state), tn_value(state)), TN_NONE, state);
  return state;
}

static model new_model(tn_client* c, int strided, const options* o) {
  model m = {0};
  // As PyTorch's Linear begins.
  const double bound = 1 / sqrt(FEATURES);
  tenon_tensor* decoder = uniform(c, WIDTH, FEATURES, -bound, bound);
  const uint32_t layout = strided ? TENON_CLONE_PRESERVE : TENON_CLONE_ROW_MAJOR;
  tenon_tensor* encoder = cloned(c, turned(c, decoder, o), layout);
  tenon_tensor* values[] = {encoder, zeros(c, 1, FEATURES), decoder, zeros(c, 1, WIDTH)};
  for (int i = 0; i < PARAMS; ++i) {
    m.params[i] = leaf(c, values[i], 1);
    if (o->by_ops) m.means[i] = new_state(c, m.params[i]);
    if (o->by_ops) m.squares[i] = new_state(c, m.params[i]);
  }
  const tenon_string lr = {"lr", 2};
  const tenon_value rate = tn_float(RATE);
  if (!o->by_ops) {
    tn_check(c, tenon_optimizer_create(c->context, "tenon.adam", TENON_NUL, m.params, PARAMS, &lr,
                                       &rate, 1, &m.optimizer));
    tn_hold(c, TN_OPTIMIZER, m.optimizer);
  }
  return m;
}

// The mean square of what is lost on the way.
static tenon_tensor* loss_of(tn_client* c, const model* m, tenon_tensor* x) {
  tenon_tensor* y = tn_call2(c, "tenon.matmul", x, transposed(c, m->params[0]));
  tenon_tensor* kept[2];
  top(c, tn_call2(c, "tenon.add", y, m->params[1]), KEPT, kept);
  y = spread(c, kept[1], tn_call1(c, "tenon.relu", kept[0]));
  y = tn_call2(c, "tenon.matmul", y, transposed(c, m->params[2]));
  y = tn_call2(c, "tenon.add", y, m->params[3]);
  return tn_call1(c, "tenon.mean", tn_call1(c, "tenon.square", tn_call2(c, "tenon.sub", y, x)));
}

// ---- Training -----------------------------------------------------------------------------------

// name(x, number)
static tenon_tensor* with_number(tn_client* c, const char* name, tenon_tensor* x, double number) {
  return tn_call(c, name, TN_ARGS(tn_value(x), tn_float(number)), TN_NONE);
}
// x = name(x, number), in place.
static void scale(tn_client* c, const char* name, tenon_tensor* x, double number) {
  tn_call_into(c, name, TN_ARGS(tn_value(x), tn_float(number)), TN_NONE, x);
}
// x = name(x, a, b, value), in place.
static void add_scaled(tn_client* c, const char* name, tenon_tensor* x, tenon_tensor* a,
                       tenon_tensor* b, double value) {
  tn_call_into(c, name, TN_ARGS(tn_value(x), tn_value(a), tn_value(b)),
               TN_NAMED({"value", tn_float(value)}), x);
}

// Adam as many programs write it: D. P. Kingma, J. Ba, 2015, algorithm 1.
static void step_by_ops(tn_client* c, const model* m, int64_t t) {
  const double beta1 = 0.9, beta2 = 0.999;
  const double size = RATE / (1 - pow(beta1, (double)t));
  const double bias = sqrt(1 - pow(beta2, (double)t));
  tn_check(c, tenon_grad_begin(c->context, TENON_GRAD_DISABLED));
  for (int i = 0; i < PARAMS; ++i) {
    tenon_tensor* g = NULL;
    tn_check(c, tenon_tensor_get_grad(c->context, m->params[i], &g));
    scale(c, "tenon.mul", m->means[i], beta1);
    add_scaled(c, "tenon.addcmul", m->means[i], g, with_number(c, "tenon.pow", g, 0), 1 - beta1);
    scale(c, "tenon.mul", m->squares[i], beta2);
    add_scaled(c, "tenon.addcmul", m->squares[i], g, g, 1 - beta2);
    tenon_tensor* root = tn_call1(c, "tenon.sqrt", m->squares[i]);
    root = with_number(c, "tenon.add", with_number(c, "tenon.div", root, bias), 1e-8);
    add_scaled(c, "tenon.addcdiv", m->params[i], m->means[i], root, -size);
    tn_check(c, tenon_tensor_set_grad(c->context, m->params[i], NULL));
  }
  tn_check(c, tenon_grad_end(c->context));
}

typedef struct result {
  double first, last;  // the loss
  int64_t still;       // weights that have not moved
  float* values[PARAMS];
} result;

static size_t count_of(int i) {
  return i == 1 ? FEATURES : i == 3 ? WIDTH : (size_t)FEATURES * WIDTH;
}

static float* values_of(tn_client* c, tenon_tensor* x, int i) {
  float* values = malloc(count_of(i) * sizeof *values);
  if (!values) tn_check(c, TENON_E_MEMORY);
  tn_check(c, tenon_tensor_get_data(c->context, x, values, count_of(i) * sizeof *values));
  return values;
}

// One step after the other; notes the losses.
static void run_steps(tn_client* c, const model* m, tenon_tensor* const* batches, const char* name,
                      const options* o, tenon_history* history, result* r) {
  const size_t all = tn_begin(c);
  tenon_progress* progress = tn_progress(c, name, o->steps);
  const size_t region = tn_begin(c);
  for (int64_t t = 1; t <= o->steps; ++t, tn_end(c, region)) {
    tenon_tensor* loss = loss_of(c, m, batches[t % BATCHES]);
    tn_backward(c, loss);
    if (o->by_ops) {
      step_by_ops(c, m, t);
    } else {
      tn_step(c, m->optimizer);
    }
    r->last = tn_item(c, loss);
    if (t == 1) r->first = r->last;
    tn_note(c, history, name, t, r->last);
    tn_show(c, progress, t, "loss", r->last);
  }
  tn_end(c, all);
}

// The same data and the same first weights each time.
static result train(tn_client* c, int strided, const options* o, tenon_history* history) {
  const char* name = !strided ? "contiguous" : o->gaps ? "strides (1, 1537)" : "strides (1, 1536)";
  const size_t region = tn_begin(c);
  tn_check(c, tenon_context_set_seed(c->context, 0, 0));
  tenon_tensor* directions = unit_vectors(c, FEATURES);
  tenon_tensor* batches[BATCHES];
  for (int i = 0; i < BATCHES; ++i) batches[i] = batch(c, directions);
  const model m = new_model(c, strided, o);
  float* before[PARAMS];
  for (int i = 0; i < PARAMS; ++i) before[i] = values_of(c, m.params[i], i);
  result r = {0};
  run_steps(c, &m, batches, name, o, history, &r);
  for (int i = 0; i < PARAMS; ++i) {
    r.values[i] = values_of(c, m.params[i], i);
    for (size_t k = 0; k < count_of(i); ++k) r.still += r.values[i][k] == before[i][k];
    free(before[i]);
  }
  tn_end(c, region);
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
  tn_client client, *c = &client;
  tn_open(c, 0, 0);
  tenon_history* history = tn_history(c);
  result strided = train(c, 1, &o, history), plain = train(c, 0, &o, history);
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
  if (o.curve) tn_draw(c, history, o.curve, "Sparse autoencoder", "step");
  tn_close(c);
  return same && moved && learned ? 0 : 1;
}
