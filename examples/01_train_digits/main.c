// SPDX-License-Identifier: Apache-2.0
// examples/01_train_digits/main.c: a small network learns to read handwritten digits.
//
// Everything it uses is a plugin found at run time: the dataset, the ops, the kernels, the
// optimizer. Without --data it trains 64-128-10 on the shipped 8x8 digits with Adam, at a learning
// rate that falls to 0; on images of another size (MNIST) 784-128-32-10 with SGD and momentum.
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <tenon/ext/draft/loaders.h>
#include <tenon/ext/draft/progress.h>

#include "../common/args.h"
#include "../common/clock.h"
#include "../common/images.h"
#include "../common/report.h"

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
} network;

// A parameter that starts uniform in [-1/sqrt(fan_in), 1/sqrt(fan_in)), as PyTorch's Linear does.
static tenon_tensor* new_parameter(session* s, const int64_t* shape, uint32_t rank,
                                   int64_t fan_in) {
  const double bound = 1 / sqrt((double)fan_in);
  const tenon_value attrs[] = {ints_value(shape, rank), float_value(-bound), float_value(bound),
                               dtype_value(TENON_DTYPE_F32)};
  tenon_tensor* parameter = session_own(s, call(s, "tenon.uniform", NULL, 0, attrs, 4));
  session_check(s, tenon_tensor_set_requires_grad(s->context, parameter, 1));
  return parameter;
}

static network new_network(session* s, tenon_dataset* dataset, const char* activation) {
  tenon_meta image;
  session_check(s, tenon_dataset_get_field(s->context, dataset, 0, &image, NULL));
  network net = {.activation = activation ? activation : "tenon.relu", .pixels = 1};
  for (int32_t d = 0; d < image.rank; ++d) net.pixels *= image.shape[d];
  net.recipe = net.pixels == 64 ? &digits : &mnist;
  int64_t in = net.pixels;
  for (int i = 0; i < net.recipe->n_layers; ++i) {
    const int64_t shape[] = {in, net.recipe->sizes[i]};
    net.params[2 * i] = new_parameter(s, shape, 2, in);
    net.params[2 * i + 1] = new_parameter(s, shape + 1, 1, in);
    in = net.recipe->sizes[i];
  }
  session_clear(s);
  return net;
}

// images [n, height, width] -> logits [n, CLASSES]
static tenon_tensor* forward(session* s, const network* net, tenon_tensor* images, int64_t n) {
  const int64_t flat[] = {n, net->pixels};
  tenon_tensor* x = call_with(s, "tenon.cast", images, dtype_value(TENON_DTYPE_F32));
  x = call_with(s, "tenon.reshape", x, ints_value(flat, 2));
  x = call_number(s, "tenon.div", x, net->recipe->ink);
  x = call_number(s, "tenon.sub", x, net->recipe->mean);
  x = call_number(s, "tenon.div", x, net->recipe->deviation);
  for (int i = 0; i < net->recipe->n_layers; ++i) {
    if (i > 0) x = call1(s, net->activation, x);
    x = call2(s, "tenon.matmul", x, net->params[2 * i]);
    x = call2(s, "tenon.add", x, net->params[2 * i + 1]);
  }
  return x;
}

// Share of samples whose largest logit is the label's.
static double accuracy_of(session* s, const network* net, tenon_loader* loader) {
  double right = 0;
  int64_t samples = 0;
  session_check(s, tenon_loader_begin(s->context, loader, 0, 0));
  session_check(s, tenon_grad_begin(s->context, TENON_GRAD_DISABLED));
  for (;;) {
    tenon_tensor* fields[2];
    int64_t n = 0;
    session_check(s, tenon_loader_run(s->context, loader, fields, 2, &n));
    if (n == 0) break;
    tenon_tensor* images = session_keep(s, fields[0]);
    tenon_tensor* labels = session_keep(s, fields[1]);
    tenon_tensor* guess = call_with(s, "tenon.argmax", forward(s, net, images, n), int_value(1));
    tenon_tensor* hits = call2(s, "tenon.eq", guess, labels);
    hits = call_with(s, "tenon.cast", hits, dtype_value(TENON_DTYPE_F32));
    right += item_of(s, call1(s, "tenon.sum", hits));
    samples += n;
    session_clear(s);
  }
  session_check(s, tenon_grad_end(s->context));
  return samples ? right / (double)samples : 0;
}

// One pass over the training set; returns the mean loss.
static double train_epoch(session* s, const network* net, tenon_optimizer* optimizer,
                          tenon_loader* loader, int64_t epoch, int64_t epochs) {
  tenon_loader_info info = {.struct_size = sizeof info};
  session_check(s, tenon_loader_get_info(s->context, loader, &info));
  double loss_sum = 0;
  int64_t done = 0;
  char label[64];
  snprintf(label, sizeof label, "epoch %lld/%lld", (long long)epoch + 1, (long long)epochs);
  tenon_progress* progress = NULL;
  session_check(s, tenon_progress_create(s->context, label, TENON_NUL, info.length, 0, &progress));
  session_check(s, tenon_loader_begin(s->context, loader, epoch, 0));
  for (;;) {
    tenon_tensor* fields[2];
    int64_t n = 0;
    session_check(s, tenon_loader_run(s->context, loader, fields, 2, &n));
    if (n == 0) break;
    tenon_tensor* images = session_keep(s, fields[0]);
    tenon_tensor* labels = session_keep(s, fields[1]);
    tenon_tensor* logits = forward(s, net, images, n);
    tenon_tensor* loss = call2(s, "tenon.softmax_cross_entropy", logits, labels);
    session_check(s, tenon_backward_run(s->context, &loss, NULL, 1, 0));
    session_check(s, tenon_optimizer_run(s->context, optimizer, TENON_OPTIMIZER_CLEAR_GRAD));
    loss_sum += item_of(s, loss) * (double)n;
    done += n;
    session_check(s, tenon_progress_run(s->context, progress, done, "loss", TENON_NUL,
                                        loss_sum / (double)done));
    session_clear(s);
  }
  tenon_progress_release(progress);
  return done ? loss_sum / (double)done : 0;
}

static tenon_optimizer* new_optimizer(session* s, network* net, double lr) {
  const int has_momentum = net->recipe->momentum > 0;
  const tenon_string names[] = {{"lr", 2}, {"momentum", 8}};
  const tenon_value values[] = {float_value(lr), float_value(net->recipe->momentum)};
  tenon_optimizer* optimizer = NULL;
  session_check(s, tenon_optimizer_create(s->context, net->recipe->optimizer, TENON_NUL,
                                          net->params, 2 * (uint32_t)net->recipe->n_layers, names,
                                          values, has_momentum ? 2 : 1, &optimizer));
  return optimizer;
}

int main(int argc, char** argv) {
  const example_args args =
      example_args_read(argc, argv, "Trains a small network on handwritten digits.");
  char shipped[EXAMPLE_PATH_BYTES];
  const char* folder = args.data ? args.data : shipped_data("digits", shipped);
  session run, *s = &run;
  session_open(s, args.threads, args.seed);
  s->explains = args.json != NULL;

  tenon_dataset* train =
      open_images(s, folder, "train-images-idx3-ubyte", "train-labels-idx1-ubyte");
  tenon_dataset* test = open_images(s, folder, "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte");
  network net = new_network(s, train, args.activation);
  const double lr = args.lr > 0 ? args.lr : net.recipe->lr;
  const int64_t epochs = args.epochs > 0 ? args.epochs : net.recipe->epochs;
  tenon_optimizer* optimizer = new_optimizer(s, &net, lr);
  tenon_loader *batches = NULL, *test_batches = NULL;
  session_check(s, tenon_loader_create(s->context, train, net.recipe->batch, (uint64_t)args.seed,
                                       TENON_LOADER_SHUFFLE, &batches));
  session_check(s, tenon_loader_create(s->context, test, 256, 0, 0, &test_batches));
  epoch_result* results = calloc((size_t)epochs, sizeof *results);
  if (!results) session_check(s, TENON_E_MEMORY);

  int64_t lengths[2] = {0, 0};
  session_check(s, tenon_dataset_get_length(s->context, train, &lengths[0]));
  session_check(s, tenon_dataset_get_length(s->context, test, &lengths[1]));
  printf("%lld training samples, %lld test samples, %s\n", (long long)lengths[0],
         (long long)lengths[1], net.recipe->optimizer);
  for (int64_t epoch = 0; epoch < epochs; ++epoch) {
    const double start = clock_seconds();
    const double left = 1 - (double)epoch / (double)epochs;
    const tenon_value rate = float_value(net.recipe->lr_falls ? lr * left : lr);
    session_check(s, tenon_optimizer_set(s->context, optimizer, "lr", TENON_NUL, &rate));
    results[epoch].loss = train_epoch(s, &net, optimizer, batches, epoch, epochs);
    results[epoch].accuracy = accuracy_of(s, &net, test_batches);
    results[epoch].seconds = clock_seconds() - start;
    show_epoch(epoch + 1, results[epoch]);
  }
  if (args.json) write_report(s, args.json, results, epochs);
  printf("test accuracy: %.4f\n", results[epochs - 1].accuracy);

  free(results);
  tenon_loader_release(batches);
  tenon_loader_release(test_batches);
  tenon_optimizer_release(optimizer);
  for (int i = 0; i < 2 * net.recipe->n_layers; ++i) tenon_tensor_release(net.params[i]);
  tenon_dataset_release(train);
  tenon_dataset_release(test);
  session_close(s);
  return 0;
}
