// SPDX-License-Identifier: Apache-2.0
// examples/10_resnet/main.c: a residual network learns images: convolution, batch norm and pooling
// as layers, random crops, a cosine schedule, a checkpoint after each epoch, and a training step
// that is captured once and replayed.
//
// Without --data it learns the shipped 8x8 digits. --data DIR takes the four idx files of MNIST, or
// the six .bin files of CIFAR-10: then the model is twice as wide and flips its images, too. The
// tensors have the names of torchvision's ResNet, so that state dictionaries go either way.
#define _POSIX_C_SOURCE 200809L

#include <tenon/client.h>

#include "../common/clock.h"
#include "../common/images.h"

typedef struct recipe {
  double scale, mean[3], deviation[3];  // an input is (pixel / scale - mean) / deviation
  int64_t channels, size, width;        // of the image, of the first convolution
  int64_t batch, epochs, padding;
  int flips;
  double accuracy;  // what the run must reach
} recipe;

static const recipe digits = {16, {0.3}, {0.38}, 1, 8, 16, 32, 6, 1, 0, 0.95};
static const recipe mnist = {255, {0.1307}, {0.3081}, 1, 28, 32, 128, 5, 2, 0, 0.99};
static const recipe cifar = {
    255, {0.4914, 0.4822, 0.4465}, {0.2470, 0.2435, 0.2616}, 3, 32, 64, 128, 15, 4, 1, 0.85};

typedef struct run {
  tn_client* c;
  const char *data, *checkpoint;
  int64_t epochs, seed, threads, workers;
  const recipe* recipe;
  tenon_loader *train, *test;
  tenon_layer* model;
  tenon_optimizer* sgd;
  tn_captured_step step;
} run;

// ---- The model ----------------------------------------------------------------------------------

static tenon_layer* put(tn_client* c, tenon_layer* in, const char* name, tenon_layer* layer) {
  tn_check(c, tenon_layer_set_child(c->context, in, name, TENON_NUL, layer));
  return layer;
}

static void put_conv(tn_client* c, tenon_layer* in, const char* name, int64_t from, int64_t to,
                     int64_t kernel, int64_t stride) {
  const int64_t sizes[2] = {kernel, kernel}, padding = kernel / 2;
  put(c, in, name,
      tn_layer(c, "tenon.conv",
               TN_NAMED({"in_channels", tn_int(from)}, {"out_channels", tn_int(to)},
                        {"kernel_size", tn_ints(sizes, 2)}, {"stride", tn_ints(&stride, 1)},
                        {"padding", tn_ints(&padding, 1)}, {"bias", tn_bool(0)},
                        {"init", tn_text("kaiming_uniform")}, {"gain", tn_float(1.41421356)})));
}
static void put_norm(tn_client* c, tenon_layer* in, const char* name, int64_t channels) {
  put(c, in, name, tn_layer(c, "tenon.batch_norm", TN_NAMED({"features", tn_int(channels)})));
}
static void put_relu(tn_client* c, tenon_layer* in) {
  put(c, in, "relu", tn_layer(c, "tenon.activation", TN_NAMED({"op", tn_text("tenon.relu")})));
}

// relu(bn(conv(relu(bn(conv(x))))) + x), where a 1x1 convolution makes the shape of x fit.
static void put_block(tn_client* c, tenon_layer* in, const char* name, int64_t from, int64_t to,
                      int64_t stride) {
  const int fits = from == to && stride == 1;
  tenon_layer* stage = put(c, in, name, tn_layer(c, "tenon.sequential", TN_NONE));
  tenon_layer* block =
      put(c, stage, "0",
          tn_layer(c, "tenon.residual",
                   TN_NAMED({"shortcut", tn_bool(!fits)}, {"activation", tn_text("relu")})));
  put_conv(c, block, "conv1", from, to, 3, stride);
  put_norm(c, block, "bn1", to);
  put_relu(c, block);
  put_conv(c, block, "conv2", to, to, 3, 1);
  put_norm(c, block, "bn2", to);
  if (fits) return;
  tenon_layer* shortcut = put(c, block, "downsample", tn_layer(c, "tenon.sequential", TN_NONE));
  put_conv(c, shortcut, "0", from, to, 1, stride);
  put_norm(c, shortcut, "1", to);
}

static tenon_layer* new_model(tn_client* c, const recipe* p) {
  const int64_t one = 1;
  tenon_layer* model = tn_layer(c, "tenon.sequential", TN_NONE);
  put_conv(c, model, "conv1", p->channels, p->width, 3, 1);
  put_norm(c, model, "bn1", p->width);
  put_relu(c, model);
  put_block(c, model, "layer1", p->width, p->width, 1);
  put_block(c, model, "layer2", p->width, 2 * p->width, 2);
  put(c, model, "avgpool",
      tn_layer(c, "tenon.adaptive_avg_pool", TN_NAMED({"output_size", tn_ints(&one, 1)})));
  put(c, model, "flatten", tn_layer(c, "tenon.flatten", TN_NONE));
  put(c, model, "fc",
      tn_layer(c, "tenon.linear",
               TN_NAMED({"inputs", tn_int(2 * p->width)}, {"outputs", tn_int(10)})));
  return model;
}

// ---- Data ---------------------------------------------------------------------------------------

static int is_cifar(const char* folder) {
  char path[EXAMPLE_PATH_BYTES];
  join_path(path, folder, "test_batch.bin");
  FILE* file = fopen(path, "rb");
  return file ? fclose(file), 1 : 0;
}

static tenon_dataset* open_cifar(tn_client* c, const char* folder, int train) {
  char paths[5 * EXAMPLE_PATH_BYTES] = "", path[EXAMPLE_PATH_BYTES], name[32];
  for (int i = 1; i <= (train ? 5 : 1); ++i) {
    snprintf(name, sizeof name, train ? "data_batch_%d.bin" : "test_batch.bin", i);
    join_path(path, folder, name);
    if (i > 1) strcat(paths, "\n");
    strcat(paths, path);
  }
  return tn_dataset(c, "tenon.cifar", TN_NAMED({"paths", tn_text(paths)}));
}

static tenon_loader* open_loader(const run* r, const char* folder, int train) {
  tn_client* c = r->c;
  const recipe* p = r->recipe;
  tenon_dataset* set =
      p == &cifar ? open_cifar(c, folder, train) : open_images(c, folder, train ? "train" : "t10k");
  tenon_transform* list[3];
  size_t n = 0;
  if (train) {
    list[n++] = tn_transform(c, "tenon.crop",
                             TN_NAMED({"height", tn_int(p->size)}, {"width", tn_int(p->size)},
                                      {"padding", tn_int(p->padding)}, {"random", tn_bool(1)}));
  }
  if (train && p->flips) list[n++] = tn_transform(c, "tenon.flip", TN_NONE);
  list[n++] = tn_transform(
      c, "tenon.normalise",
      TN_NAMED({"scale", tn_float(p->scale)}, {"mean", tn_floats(p->mean, (size_t)p->channels)},
               {"deviation", tn_floats(p->deviation, (size_t)p->channels)}));
  tenon_loader* loader = tn_loader(c, set, train ? p->batch : 256, (uint64_t)r->seed,
                                   train ? TENON_LOADER_SHUFFLE : 0, (uint32_t)r->workers);
  tn_transforms(c, loader, list, n);
  return loader;
}

// Images of one channel come as [N,H,W].
static tenon_tensor* with_channels(const run* r, tenon_tensor* images) {
  if (r->recipe->channels > 1) return images;
  const int64_t axis = 1;
  return tn_call(r->c, "tenon.unsqueeze", TN_ARGS(tn_value(images)),
                 TN_NAMED({"axes", tn_ints(&axis, 1)}));
}

// ---- Training -----------------------------------------------------------------------------------

// Captured while it runs for the first time with batches of one size, and replayed from then on.
static tenon_tensor* step(tn_client* c, void* user, tenon_tensor* const* xy) {
  const run* r = (const run*)user;
  tenon_tensor* logits = tn_forward(c, r->model, with_channels(r, xy[0]));
  tenon_tensor* loss = tn_call2(c, "tenon.softmax_cross_entropy", logits, xy[1]);
  tn_backward(c, loss);
  tn_step(c, r->sgd);
  return loss;
}

// The mean loss of an epoch.
static double train_epoch(run* r, int64_t epoch) {
  tn_client* c = r->c;
  char label[64];
  snprintf(label, sizeof label, "epoch %lld/%lld", (long long)epoch + 1, (long long)r->epochs);
  const int64_t length = tn_place(c, r->train).length;
  tenon_progress* progress = tn_progress(c, label, length);
  tenon_tensor* xy[2];
  double sum = 0;
  int64_t done = 0;
  for (int64_t n; (n = tn_next(c, r->train, xy, 2)) > 0;) {
    const double loss = tn_item(c, tn_run_step(c, &r->step, 0, xy));
    done += n;
    sum += loss * (double)n;
    tn_show(c, progress, done, "loss", sum / (double)done);
  }
  return done ? sum / (double)done : 0;
}

static double accuracy_of(const run* r) {
  tn_client* c = r->c;
  tenon_tensor* xy[2];
  double right = 0;
  tn_check(c, tenon_layer_set_training(c->context, r->model, 0));
  tn_check(c, tenon_grad_begin(c->context, TENON_GRAD_DISABLED));
  tn_check(c, tenon_loader_begin(c->context, r->test, 0, 0));
  const size_t region = tn_begin(c);
  for (; tn_next(c, r->test, xy, 2) > 0; tn_end(c, region)) {
    const tenon_value logits = tn_value(tn_forward(c, r->model, with_channels(r, xy[0])));
    tenon_tensor* guess =
        tn_call(c, "tenon.argmax", TN_ARGS(logits), TN_NAMED({"axis", tn_int(1)}));
    right += tn_item(c, tn_call1(c, "tenon.sum", tn_call2(c, "tenon.eq", guess, xy[1])));
  }
  tn_check(c, tenon_grad_end(c->context));
  tn_check(c, tenon_layer_set_training(c->context, r->model, 1));
  return right / (double)tn_place(c, r->test).length;
}

static double train(run* r) {
  tn_client* c = r->c;
  tenon_context* cx = c->context;
  r->sgd = tn_optimizer(c, "tenon.sgd", r->model,
                        TN_NAMED({"lr", tn_float(0.1)}, {"momentum", tn_float(0.9)},
                                 {"weight_decay", tn_float(1e-4)}));
  tenon_schedule* cosine =
      tn_schedule(c, "tenon.cosine", 0.1, TN_NAMED({"period", tn_int(r->epochs)}));
  tenon_checkpoint* saved = tn_checkpoint(c);
  tn_check(c, tenon_checkpoint_set_layer(cx, saved, "model", TENON_NUL, r->model));
  tn_check(c, tenon_checkpoint_set_optimizer(cx, saved, "optimizer.0", TENON_NUL, r->sgd));
  tn_check(c, tenon_checkpoint_set_schedule(cx, saved, "schedule", TENON_NUL, cosine));
  tn_check(c, tenon_checkpoint_set_loader(cx, saved, "loader", TENON_NUL, r->train));
  if (r->checkpoint && tn_resume(c, saved, r->checkpoint)) printf("goes on: %s\n", r->checkpoint);
  double accuracy = 0;
  for (int64_t epoch = tn_place(c, r->train).epoch; epoch < r->epochs; ++epoch) {
    const double lr = tn_advance(c, cosine), start = clock_seconds();
    tn_set(c, r->sgd, "lr", tn_float(lr));
    const double loss = train_epoch(r, epoch);
    accuracy = accuracy_of(r);
    printf("epoch %2lld  loss %.4f  test accuracy %.4f  %.2f s\n", (long long)epoch + 1, loss,
           accuracy, clock_seconds() - start);
    fflush(stdout);
    tn_check(c, tenon_loader_begin(cx, r->train, epoch + 1, 0));
    if (r->checkpoint) tn_save(c, saved, r->checkpoint);
  }
  return accuracy;
}

// ---- The command line ---------------------------------------------------------------------------

static int usage(const char* program) {
  fprintf(stderr,
          "usage: %s [--data DIR] [--epochs N] [--seed N] [--threads N] [--workers N]\n"
          "          [--checkpoint FILE]\n"
          "  --data        folder with the four idx files of MNIST or the six of CIFAR-10\n"
          "  --threads     compute threads (default: as many as the process may use)\n"
          "  --workers     threads that read ahead (default 2)\n"
          "  --checkpoint  save the run there after each epoch, and go on from there\n",
          program);
  return 2;
}

static int read_options(run* r, int argc, char** argv) {
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) return 0;
    const char *name = argv[i], *value = argv[i + 1];
    if (strcmp(name, "--data") == 0) r->data = value;
    if (strcmp(name, "--checkpoint") == 0) r->checkpoint = value;
    if (strcmp(name, "--data") == 0 || strcmp(name, "--checkpoint") == 0) continue;
    char* end = NULL;
    const long long number = strtoll(value, &end, 10);
    if (*end || end == value || number < 0) return 0;
    if (strcmp(name, "--epochs") == 0)
      r->epochs = number;
    else if (strcmp(name, "--seed") == 0)
      r->seed = number;
    else if (strcmp(name, "--threads") == 0)
      r->threads = number;
    else if (strcmp(name, "--workers") == 0)
      r->workers = number;
    else
      return 0;
  }
  return 1;
}

int main(int argc, char** argv) {
  tn_client client;
  run r = {.c = &client, .workers = 2};
  if (!read_options(&r, argc, argv)) return usage(argv[0]);
  tn_open(r.c, (uint32_t)r.threads, (uint64_t)r.seed);
  char shipped[EXAMPLE_PATH_BYTES];
  const char* folder = r.data ? r.data : shipped_data("digits", shipped);
  r.recipe = !r.data ? &digits : is_cifar(folder) ? &cifar : &mnist;
  if (r.epochs == 0) r.epochs = r.recipe->epochs;
  r.train = open_loader(&r, folder, 1);
  r.test = open_loader(&r, folder, 0);
  r.model = new_model(r.c, r.recipe);
  r.step = tn_step_of(step, &r, 2);
  const double accuracy = train(&r);
  printf("test accuracy: %.4f\n", accuracy);
  const int failed = r.epochs >= r.recipe->epochs && accuracy < r.recipe->accuracy;
  if (failed) fprintf(stderr, "error: expected at least %.2f\n", r.recipe->accuracy);
  tn_release_step(&r.step);
  tn_close(r.c);
  return failed;
}
