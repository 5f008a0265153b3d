// SPDX-License-Identifier: Apache-2.0
// tests/gpu/check_training.c: a model moves to a device and back, and learns there what it learns
// on the host.
#define _POSIX_C_SOURCE 200809L

#include "../../examples/common/images.h"
#include "../bench/programs/random_tensor.h"
#include "checks.h"

// ---- Layers on a device -------------------------------------------------------------------------

#define MODEL_LAYERS 3
#define MODEL_SIZES (MODEL_LAYERS + 1)

typedef struct recipe {
  int64_t sizes[MODEL_SIZES];
  double ink, mean, deviation;  // an input is (pixel / ink - mean) / deviation
  double lr;
  int64_t batch, epochs;
  double apart;  // how far apart accuracies may be
} recipe;

static const recipe mnist = {{784, 128, 32, 10}, 255, 0.1307, 0.3081, 0.01, 64, 15, 0.004};
static const recipe digits = {{64, 128, 32, 10}, 16, 0, 1, 0.05, 32, 10, 0.02};

typedef struct model {
  tenon_layer* all;
  tenon_tensor* params[2 * MODEL_LAYERS];  // borrowed
} model;

static tenon_layer* layer_of(tn_client* s, const char* name, const tenon_device* device,
                             const tenon_string* names, const tenon_value* values, uint32_t n) {
  tenon_layer* layer = NULL;
  tn_check(s, tenon_layer_create(s->context, name, TENON_NUL, device, names, values, n, &layer));
  return layer;
}

static void add_layer(tn_client* s, const model* m, tenon_layer* layer) {
  tn_check(s, tenon_layer_set_child(s->context, m->all, "", 0, layer));
  tenon_layer_release(layer);
}

// linear, relu, linear, relu, linear, with PyTorch's default initial values.
static model new_model(tn_client* s, const tenon_device* device, const int64_t* sizes) {
  model m = {.all = layer_of(s, "tenon.sequential", device, NULL, NULL, 0)};
  const tenon_string names[] = {{"inputs", 6}, {"outputs", 7}};
  const tenon_string op[] = {{"op", 2}};
  for (int i = 0; i < MODEL_LAYERS; ++i) {
    const tenon_value values[] = {tn_int(sizes[i]), tn_int(sizes[i + 1])};
    const tenon_value relu[] = {tn_text("tenon.relu")};
    if (i > 0) add_layer(s, &m, layer_of(s, "tenon.activation", device, op, relu, 1));
    add_layer(s, &m, layer_of(s, "tenon.linear", device, names, values, 2));
  }
  for (uint32_t i = 0; i < 2 * MODEL_LAYERS; ++i) {
    tn_check(s, tenon_layer_get_tensor(s->context, m.all, i, NULL, NULL, &m.params[i]));
  }
  return m;
}

// The same values in another model, wherever that is.
static void move_model(tn_client* s, const model* from, const model* to) {
  for (uint32_t i = 0; i < 2 * MODEL_LAYERS; ++i) {
    const char* name = NULL;
    tn_check(s, tenon_layer_get_tensor(s->context, from->all, i, &name, NULL, NULL));
    tn_check(s, tenon_layer_set_tensor(s->context, to->all, name, TENON_NUL, from->params[i]));
  }
}

static tenon_tensor* forward(tn_client* s, const model* m, tenon_tensor* x) {
  const tenon_value input = tn_value(x);
  tenon_tensor* out = NULL;
  tn_check(s, tenon_layer_call(s->context, m->all, &input, 1, &out, 1));
  return tn_keep(s, out);
}

// ---- A model that moves -------------------------------------------------------------------------

// A layer is made where it will be, from random numbers; a device need not have those.
static void expect_draws(tn_client* s, const tenon_device* device) {
  tenon_layer* layer = NULL;
  const tenon_string names[] = {{"inputs", 6}, {"outputs", 7}};
  const tenon_value values[] = {tn_int(2), tn_int(3)};
  const tenon_status status =
      tenon_layer_create(s->context, "tenon.linear", TENON_NUL, device, names, values, 2, &layer);
  if (status == TENON_E_NO_KERNEL) driver_skip(driver_message(s));
  tn_check(s, status);
  tenon_layer_release(layer);
}

void check_moving(tn_client* s, const driver_options* o, const tenon_device* device) {
  expect_draws(s, device);
  const tenon_device host = host_of(s);
  uint32_t state = 5;
  const int64_t shape[] = {o->quick ? 8 : 512, mnist.sizes[0]};
  tn_check(s, tenon_context_set_device(s->context, NULL));
  tenon_tensor* x = tn_keep(s, random_tensor(s, TENON_DTYPE_F32, shape, 2, 1, &state));
  const tenon_device* places[] = {&host, device, &host};
  model models[3];
  for (int i = 0; i < 3; ++i) {
    models[i] = new_model(s, places[i], mnist.sizes);
    if (i > 0) move_model(s, &models[i - 1], &models[i]);
  }
  for (int i = 0; i < 2 * MODEL_LAYERS; ++i) {
    const uint64_t bytes = (uint64_t)mnist.sizes[i / 2 + 1] *
                           (i % 2 ? 1 : (uint64_t)mnist.sizes[i / 2]) * sizeof(float);
    void* expected = bytes_of(s, models[0].params[i], bytes);
    expect_bytes(s, models[1].params[i], expected, bytes, "a parameter", "the moved model");
    expect_bytes(s, models[2].params[i], expected, bytes, "a parameter", "the model moved back");
    free(expected);
  }
  tenon_tensor* here = forward(s, &models[0], x);
  const double apart = difference_of(s, here, forward(s, &models[1], copy_to(s, device, x)));
  printf("  outputs are %.2g apart\n", apart);
  if (!(apart <= 1e-4)) driver_fail("the moved model computes something else");
  for (int i = 0; i < 3; ++i) tenon_layer_release(models[i].all);
}

// ---- Training -----------------------------------------------------------------------------------

typedef struct trainer {
  const recipe* recipe;
  const tenon_device* device;
  tenon_tensor* params[2 * MODEL_LAYERS];
  tenon_loader* loaders[2];  // to learn from, to be judged by
} trainer;

// A batch on the device: images [n, pixels] and their labels; 0 at the end of the epoch.
static int64_t next_batch(tn_client* s, trainer* t, int which, tenon_tensor** out_images,
                          tenon_tensor** out_labels) {
  tenon_tensor* fields[2];
  int64_t n = 0;
  tn_check(s, tenon_loader_run(s->context, t->loaders[which], fields, 2, &n));
  if (n == 0) return 0;
  const int64_t flat[] = {n, t->recipe->sizes[0]};
  tenon_tensor* x = copy_to(s, t->device, tn_keep(s, fields[0]));
  *out_labels = copy_to(s, t->device, tn_keep(s, fields[1]));
  x = tn_call(s, "tenon.cast", TN_ARGS(tn_value(x)),
              TN_NAMED({"dtype", tn_dtype(TENON_DTYPE_F32)}));
  x = tn_call(s, "tenon.reshape", TN_ARGS(tn_value(x)), TN_NAMED({"shape", tn_ints(flat, 2)}));
  x = tn_call(s, "tenon.div", TN_ARGS(tn_value(x), tn_float(t->recipe->ink)), TN_NONE);
  x = tn_call(s, "tenon.sub", TN_ARGS(tn_value(x), tn_float(t->recipe->mean)), TN_NONE);
  *out_images =
      tn_call(s, "tenon.div", TN_ARGS(tn_value(x), tn_float(t->recipe->deviation)), TN_NONE);
  return n;
}

// By ops, so that a device that cannot draw a layer's first numbers is checked too.
static tenon_tensor* logits_of(tn_client* s, const trainer* t, tenon_tensor* x) {
  for (int i = 0; i < MODEL_LAYERS; ++i) {
    if (i > 0) x = tn_call1(s, "tenon.relu", x);
    x = tn_call(s, "tenon.linear",
                TN_ARGS(tn_value(x), tn_value(t->params[2 * i]), tn_value(t->params[2 * i + 1])),
                TN_NONE);
  }
  return x;
}

static void train(tn_client* s, trainer* t, int64_t epochs) {
  tenon_optimizer* optimizer = NULL;
  const tenon_string names[] = {{"lr", 2}, {"momentum", 8}};
  const tenon_value values[] = {tn_float(t->recipe->lr), tn_float(0.9)};
  tn_check(s, tenon_optimizer_create(s->context, "tenon.sgd", TENON_NUL, t->params,
                                     2 * MODEL_LAYERS, names, values, 2, &optimizer));
  for (int64_t epoch = 0; epoch < epochs; ++epoch) {
    tn_check(s, tenon_loader_begin(s->context, t->loaders[0], epoch, 0));
    tenon_tensor *x = NULL, *y = NULL;
    const size_t region = tn_begin(s);
    while (next_batch(s, t, 0, &x, &y) > 0) {
      tenon_tensor* loss = tn_call2(s, "tenon.softmax_cross_entropy", logits_of(s, t, x), y);
      tn_check(s, tenon_backward_run(s->context, &loss, NULL, 1, 0));
      tn_check(s, tenon_optimizer_run(s->context, optimizer, TENON_OPTIMIZER_CLEAR_GRAD));
      tn_end(s, region);
    }
  }
  tenon_optimizer_release(optimizer);
}

static double accuracy_of(tn_client* s, trainer* t) {
  double right = 0;
  int64_t samples = 0, n = 0;
  tn_check(s, tenon_loader_begin(s->context, t->loaders[1], 0, 0));
  tn_check(s, tenon_grad_begin(s->context, TENON_GRAD_DISABLED));
  tenon_tensor *x = NULL, *y = NULL;
  const size_t region = tn_begin(s);
  while ((n = next_batch(s, t, 1, &x, &y)) > 0) {
    samples += n;
    tenon_tensor* guess = tn_call(s, "tenon.argmax", TN_ARGS(tn_value(logits_of(s, t, x))),
                                  TN_NAMED({"axis", tn_int(1)}));
    tenon_tensor* hits = tn_call2(s, "tenon.eq", guess, y);
    hits = tn_call(s, "tenon.cast", TN_ARGS(tn_value(hits)),
                   TN_NAMED({"dtype", tn_dtype(TENON_DTYPE_F32)}));
    right += tn_item(s, tn_call1(s, "tenon.sum", hits));
    tn_end(s, region);
  }
  tn_check(s, tenon_grad_end(s->context));
  return samples ? right / (double)samples : 0;
}

static tenon_dataset* open_set(tn_client* s, const driver_options* o, int which,
                               const recipe** out_recipe) {
  char folder[EXAMPLE_PATH_BYTES];
  const int has_mnist = o->data && !o->quick;
  if (has_mnist) {
    join_path(folder, o->data, "mnist");
  } else {
    shipped_data("digits", folder);
  }
  *out_recipe = has_mnist ? &mnist : &digits;
  return open_images(s, folder, which == 0 ? "train" : "t10k");
}

// The same initial weights and batches on the host and on the device.
void check_training(tn_client* s, const driver_options* o, const tenon_device* device) {
  const tenon_device host = host_of(s);
  trainer on_host = {.device = &host}, there = {.device = device};
  for (int i = 0; i < 2; ++i) {
    tenon_dataset* const set = open_set(s, o, i, &on_host.recipe);
    there.recipe = on_host.recipe;
    for (int side = 0; side < 2; ++side) {
      trainer* t = side ? &there : &on_host;
      tn_check(s, tenon_loader_create(s->context, set, i ? 256 : t->recipe->batch, 0,
                                      i ? 0 : TENON_LOADER_SHUFFLE, &t->loaders[i]));
    }
  }
  tn_check(s, tenon_context_set_device(s->context, NULL));
  const model first = new_model(s, &host, on_host.recipe->sizes);
  for (int i = 0; i < 2 * MODEL_LAYERS; ++i) {
    on_host.params[i] = tn_own(s, copy_to(s, &host, first.params[i]));
    there.params[i] = tn_own(s, copy_to(s, device, first.params[i]));
    tn_check(s, tenon_tensor_set_requires_grad(s->context, on_host.params[i], 1));
    tn_check(s, tenon_tensor_set_requires_grad(s->context, there.params[i], 1));
  }
  tenon_layer_release(first.all);
  const int64_t epochs = o->quick ? 3 : on_host.recipe->epochs;
  double accuracies[2];
  for (int side = 0; side < 2; ++side) {
    trainer* t = side ? &there : &on_host;
    const double start = now();
    train(s, t, epochs);
    accuracies[side] = accuracy_of(s, t);
    printf("  %s: accuracy %.4f after %lld epochs, %.1f s\n", side ? o->device : "host",
           accuracies[side], (long long)epochs, now() - start);
    for (int i = 0; i < 2 * MODEL_LAYERS; ++i) tenon_tensor_release(t->params[i]);
    for (int i = 0; i < 2; ++i) tenon_loader_release(t->loaders[i]);
  }
  const double apart = fabs(accuracies[0] - accuracies[1]);
  if (!(accuracies[0] > 0.7) || !(apart <= on_host.recipe->apart)) {
    driver_fail("accuracies are %.4f and %.4f: expected above 0.7, at most %.4f apart",
                accuracies[0], accuracies[1], on_host.recipe->apart);
  }
}
