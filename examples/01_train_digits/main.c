// SPDX-License-Identifier: Apache-2.0
// examples/01_train_digits/main.c: a small network learns to read handwritten digits.
//
// Everything it uses is a plugin found at run time: the dataset, the ops, the kernels, the
// optimizer. Without --data it trains 64-128-10 on the shipped 8x8 digits with Adam, at a learning
// rate that falls to 0; on images of another size (MNIST) 784-128-32-10 with SGD and momentum.
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <tenon/client.h>

#include "../common/clock.h"
#include "../common/images.h"
#include "args.h"
#include "report.h"

#define CLASSES 10
#define MAX_LAYERS 3

typedef struct recipe {
  int64_t sizes[MAX_LAYERS];  // outputs of each layer, the last one CLASSES
  int n_layers;
  double ink, mean, deviation;  // an input is (pixel / ink - mean) / deviation
  const char* optimizer;
  double momentum;
  double lr;
  int lr_falls;  // in a straight line to 0?
  int64_t batch, epochs;
} recipe;

static const recipe digits = {{128, CLASSES}, 2, 16, 0, 1, "tenon.adam", 0, 0.01, 1, 32, 25};
static const recipe mnist = {
    {128, 32, CLASSES}, 3, 255, 0.1307, 0.3081, "tenon.sgd", 0.9, 0.01, 0, 64, 5};

typedef struct network {
  const recipe* recipe;
  const char* activation;
  int64_t pixels;
  tenon_tensor* params[2 * MAX_LAYERS];  // weight [in, out] and bias [out] of each layer
  op_notes* notes;                       // of the ops it calls, for --json; else NULL
} network;

// A parameter that starts uniform in [-1/sqrt(fan_in), 1/sqrt(fan_in)), as PyTorch's Linear does.
static tenon_tensor* new_parameter(tn_client* c, const network* net, const int64_t* shape,
                                   uint32_t rank, int64_t fan_in) {
  const double bound = 1 / sqrt((double)fan_in);
  tenon_tensor* parameter =
      call_noted(c, net->notes, "tenon.uniform", TN_NO_INPUTS,
                 TN_NAMED({"shape", tn_ints(shape, rank)}, {"low", tn_float(-bound)},
                          {"high", tn_float(bound)}));
  tn_check(c, tenon_tensor_set_requires_grad(c->context, parameter, 1));
  return parameter;
}

static void fill_network(tn_client* c, network* net) {
  int64_t in = net->pixels;
  for (int i = 0; i < net->recipe->n_layers; ++i) {
    const int64_t shape[] = {in, net->recipe->sizes[i]};
    net->params[2 * i] = new_parameter(c, net, shape, 2, in);
    net->params[2 * i + 1] = new_parameter(c, net, shape + 1, 1, in);
    in = net->recipe->sizes[i];
  }
}

// name(x), name(a, b)
static tenon_tensor* call1(tn_client* c, const network* net, const char* name, tenon_tensor* x) {
  return call_noted(c, net->notes, name, TN_ARGS(tn_value(x)), TN_NONE);
}
static tenon_tensor* call2(tn_client* c, const network* net, const char* name, tenon_tensor* a,
                           tenon_value b) {
  return call_noted(c, net->notes, name, TN_ARGS(tn_value(a), b), TN_NONE);
}
// name(x, *, attribute)
static tenon_tensor* call_with(tn_client* c, const network* net, const char* name, tenon_tensor* x,
                               tn_named attribute) {
  return call_noted(c, net->notes, name, TN_ARGS(tn_value(x)), attribute);
}

// images [n, height, width] -> logits [n, CLASSES]
static tenon_tensor* forward(tn_client* c, const network* net, tenon_tensor* images) {
  const int64_t flat[] = {-1, net->pixels};
  const tn_named f32 = TN_NAMED({"dtype", tn_dtype(TENON_DTYPE_F32)});
  tenon_tensor* x = call_with(c, net, "tenon.cast", images, f32);
  x = call_with(c, net, "tenon.reshape", x, TN_NAMED({"shape", tn_ints(flat, 2)}));
  x = call2(c, net, "tenon.div", x, tn_float(net->recipe->ink));
  x = call2(c, net, "tenon.sub", x, tn_float(net->recipe->mean));
  x = call2(c, net, "tenon.div", x, tn_float(net->recipe->deviation));
  for (int i = 0; i < net->recipe->n_layers; ++i) {
    if (i > 0) x = call1(c, net, net->activation, x);
    x = call2(c, net, "tenon.matmul", x, tn_value(net->params[2 * i]));
    x = call2(c, net, "tenon.add", x, tn_value(net->params[2 * i + 1]));
  }
  return x;
}

// Share of samples whose largest logit is the label's.
static double accuracy_of(tn_client* c, const network* net, tenon_loader* loader) {
  double right = 0;
  tenon_tensor* xy[2];
  tn_check(c, tenon_loader_begin(c->context, loader, 0, 0));
  tn_check(c, tenon_grad_begin(c->context, TENON_GRAD_DISABLED));
  const size_t region = tn_begin(c);
  for (; tn_next(c, loader, xy, 2) > 0; tn_end(c, region)) {
    tenon_tensor* guess =
        call_with(c, net, "tenon.argmax", forward(c, net, xy[0]), TN_NAMED({"axis", tn_int(1)}));
    tenon_tensor* hits = call2(c, net, "tenon.eq", guess, tn_value(xy[1]));
    right += tn_item(c, call1(c, net, "tenon.sum", hits));
  }
  tn_check(c, tenon_grad_end(c->context));
  const int64_t samples = tn_place(c, loader).length;
  return samples ? right / (double)samples : 0;
}

// One pass over the training set; returns the mean loss.
static double train_epoch(tn_client* c, const network* net, tenon_optimizer* optimizer,
                          tenon_loader* loader, int64_t epoch, int64_t epochs) {
  const size_t all = tn_begin(c);
  char label[64];
  snprintf(label, sizeof label, "epoch %lld/%lld", (long long)epoch + 1, (long long)epochs);
  tenon_progress* progress = tn_progress(c, label, tn_place(c, loader).length);
  tn_check(c, tenon_loader_begin(c->context, loader, epoch, 0));
  double loss_sum = 0;
  int64_t done = 0;
  tenon_tensor* xy[2];
  const size_t region = tn_begin(c);
  for (int64_t n; (n = tn_next(c, loader, xy, 2)) > 0; tn_end(c, region)) {
    tenon_tensor* logits = forward(c, net, xy[0]);
    tenon_tensor* loss = call2(c, net, "tenon.softmax_cross_entropy", logits, tn_value(xy[1]));
    tn_backward(c, loss);
    tn_step(c, optimizer);
    loss_sum += tn_item(c, loss) * (double)n;
    done += n;
    tn_show(c, progress, done, "loss", loss_sum / (double)done);
  }
  tn_end(c, all);
  return done ? loss_sum / (double)done : 0;
}

// Of tensors that are no layer's.
static tenon_optimizer* new_optimizer(tn_client* c, network* net, double lr) {
  const recipe* r = net->recipe;
  const tenon_string names[] = {{"lr", 2}, {"momentum", 8}};
  const tenon_value values[] = {tn_float(lr), tn_float(r->momentum)};
  tenon_optimizer* made = NULL;
  tn_check(c, tenon_optimizer_create(c->context, r->optimizer, TENON_NUL, net->params,
                                     2 * (uint32_t)r->n_layers, names, values,
                                     r->momentum > 0 ? 2 : 1, &made));
  return tn_hold(c, TN_OPTIMIZER, made);
}

int main(int argc, char** argv) {
  const example_args args =
      example_args_read(argc, argv, "Trains a small network on handwritten digits.");
  char shipped[EXAMPLE_PATH_BYTES];
  const char* folder = args.data ? args.data : shipped_data("digits", shipped);
  tn_client client, *c = &client;
  tn_open(c, args.threads, (uint64_t)args.seed);

  tenon_dataset* train = open_images(c, folder, "train");
  tenon_dataset* test = open_images(c, folder, "t10k");
  op_notes notes = {0};
  network net = {.activation = args.activation ? args.activation : "tenon.relu",
                 .pixels = pixels_of(c, train),
                 .notes = args.json ? &notes : NULL};
  net.recipe = net.pixels == 64 ? &digits : &mnist;
  fill_network(c, &net);
  const double lr = args.lr > 0 ? args.lr : net.recipe->lr;
  const int64_t epochs = args.epochs > 0 ? args.epochs : net.recipe->epochs;
  tenon_optimizer* optimizer = new_optimizer(c, &net, lr);
  tenon_loader* batches =
      tn_loader(c, train, net.recipe->batch, (uint64_t)args.seed, TENON_LOADER_SHUFFLE, 0);
  tenon_loader* test_batches = tn_loader(c, test, 256, 0, 0, 0);
  epoch_result* results = calloc((size_t)epochs, sizeof *results);
  if (!results) tn_check(c, TENON_E_MEMORY);

  printf("%lld training samples, %lld test samples, %s\n", (long long)tn_place(c, batches).length,
         (long long)tn_place(c, test_batches).length, net.recipe->optimizer);
  for (int64_t epoch = 0; epoch < epochs; ++epoch) {
    const double start = clock_seconds();
    const double left = 1 - (double)epoch / (double)epochs;
    tn_set(c, optimizer, "lr", tn_float(net.recipe->lr_falls ? lr * left : lr));
    results[epoch].loss = train_epoch(c, &net, optimizer, batches, epoch, epochs);
    results[epoch].accuracy = accuracy_of(c, &net, test_batches);
    results[epoch].seconds = clock_seconds() - start;
    show_epoch(epoch + 1, results[epoch]);
  }
  if (args.json) write_report(c, args.json, results, epochs, &notes);
  printf("test accuracy: %.4f\n", results[epochs - 1].accuracy);

  free(results);
  release_notes(&notes);
  tn_close(c);
  return 0;
}
