// SPDX-License-Identifier: Apache-2.0
// examples/08_mnist/main.c: a training run as one is really made: layers, a loader that reads
// ahead, a schedule, a progress line, curves, and checkpoints from which it goes on with the same
// bits.
//
// Without --data it learns the shipped 8x8 digits with Adam along a cosine; on images of another
// size (MNIST) it trains 784-128-32-10 with SGD and momentum for 15 epochs. With --checkpoint FILE
// the run is saved after each epoch, and after --stop N steps, where it ends; started again with
// the same options it goes on from there. The last line is a hash of all weights: it is the same,
// however often the run was stopped.
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <tenon/ext/draft/checkpoints.h>
#include <tenon/ext/draft/progress.h>

#include "../common/clock.h"
#include "../common/images.h"

enum { CLASSES = 10, MAX_LAYERS = 3 };

typedef struct recipe {
  int64_t sizes[MAX_LAYERS];  // outputs of each layer
  int n_layers;
  double ink, mean, deviation;  // an input is (pixel / ink - mean) / deviation
  const char* optimizer;
  double lr, momentum;  // momentum 0: the optimizer has none
  const char* schedule;
  int64_t batch, epochs;
  double accuracy;  // what the run must reach
} recipe;

static const recipe digits = {{128, CLASSES}, 2,  16, 0,   1, "tenon.adam", 0.01, 0,
                              "tenon.cosine", 32, 20, 0.95};
static const recipe mnist = {{128, 32, CLASSES}, 3,  255, 0.1307, 0.3081, "tenon.sgd", 0.01, 0.9,
                             "tenon.constant",   64, 15,  0.97};

typedef struct options {
  const char *data, *checkpoint, *curve, *events;
  int64_t epochs, seed, threads, workers, stop;
} options;

typedef struct run {
  session* s;
  options o;
  const recipe* recipe;
  tenon_dataset *train_set, *test_set;
  tenon_loader *train, *test;
  tenon_layer* model;
  tenon_optimizer* optimizer;
  tenon_schedule* schedule;
  tenon_history* history;
  tenon_checkpoint* checkpoint;
  int64_t step;
  double loss_sum;  // of this epoch, over samples
} run;

// ---- Making all of it ---------------------------------------------------------------------------

static tenon_transform* new_transform(run* r, const char* name, const tenon_string* names,
                                      const tenon_value* values, uint32_t n) {
  tenon_transform* made = NULL;
  session_check(r->s,
                tenon_transform_create(r->s->context, name, TENON_NUL, names, values, n, &made));
  return made;
}

static void open_loader(run* r, tenon_dataset* dataset, uint32_t flags, tenon_loader** out_loader) {
  session* s = r->s;
  const tenon_string names[] = {{"scale", 5}, {"mean", 4}, {"deviation", 9}};
  const tenon_value values[] = {float_value(r->recipe->ink), floats_value(&r->recipe->mean, 1),
                                floats_value(&r->recipe->deviation, 1)};
  tenon_transform* transforms[] = {new_transform(r, "tenon.normalise", names, values, 3),
                                   new_transform(r, "tenon.flatten", NULL, NULL, 0)};
  const uint32_t fields[] = {0, 0};
  const int64_t batch = flags ? r->recipe->batch : 256;
  session_check(
      s, tenon_loader_create(s->context, dataset, batch, (uint64_t)r->o.seed, flags, out_loader));
  session_check(s, tenon_loader_set_transforms(s->context, *out_loader, transforms, fields, 2));
  session_check(s, tenon_loader_set_workers(s->context, *out_loader, (uint32_t)r->o.workers));
  for (int i = 0; i < 2; ++i) tenon_transform_release(transforms[i]);
}

// Where the training is.
static tenon_loader_info place_of(run* r) {
  tenon_loader_info info = {.struct_size = sizeof info};
  session_check(r->s, tenon_loader_get_info(r->s->context, r->train, &info));
  return info;
}

// Adds a layer to the model.
static void add_layer(run* r, const char* name, const tenon_string* names,
                      const tenon_value* values, uint32_t n) {
  tenon_layer* layer = NULL;
  tenon_context* cx = r->s->context;
  session_check(r->s, tenon_layer_create(cx, name, TENON_NUL, NULL, names, values, n, &layer));
  session_check(r->s, tenon_layer_set_child(cx, r->model, "", 0, layer));
  tenon_layer_release(layer);
}

static void new_model(run* r, int64_t pixels) {
  tenon_context* cx = r->s->context;
  session_check(
      r->s, tenon_layer_create(cx, "tenon.sequential", TENON_NUL, NULL, NULL, NULL, 0, &r->model));
  int64_t inputs = pixels;
  for (int i = 0; i < r->recipe->n_layers; ++i) {
    const tenon_string op = {"op", 2};
    const tenon_value relu = text_value("tenon.relu");
    if (i > 0) add_layer(r, "tenon.activation", &op, &relu, 1);
    const tenon_string names[] = {{"inputs", 6}, {"outputs", 7}};
    const tenon_value sizes[] = {int_value(inputs), int_value(r->recipe->sizes[i])};
    add_layer(r, "tenon.linear", names, sizes, 2);
    inputs = r->recipe->sizes[i];
  }
}

static void new_optimizer(run* r) {
  tenon_context* cx = r->s->context;
  const tenon_string names[] = {{"lr", 2}, {"momentum", 8}};
  const tenon_value values[] = {float_value(r->recipe->lr), float_value(r->recipe->momentum)};
  session_check(r->s, tenon_optimizer_create_for_layer(
                          cx, r->recipe->optimizer, TENON_NUL, r->model, names, values,
                          r->recipe->momentum > 0 ? 2 : 1, &r->optimizer));
  const tenon_string period = {"period", 6};
  const tenon_value epochs = int_value(r->o.epochs);
  const uint32_t n = strcmp(r->recipe->schedule, "tenon.cosine") == 0;
  session_check(r->s, tenon_schedule_create(cx, r->recipe->schedule, TENON_NUL, r->recipe->lr,
                                            &period, &epochs, n, &r->schedule));
}

static void open_run(run* r) {
  session* s = r->s;
  char shipped[EXAMPLE_PATH_BYTES];
  const char* folder = r->o.data ? r->o.data : shipped_data("digits", shipped);
  r->train_set = open_images(s, folder, "train-images-idx3-ubyte", "train-labels-idx1-ubyte");
  r->test_set = open_images(s, folder, "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte");
  tenon_meta image;
  session_check(s, tenon_dataset_get_field(s->context, r->train_set, 0, &image, NULL));
  int64_t pixels = 1;
  for (int32_t d = 0; d < image.rank; ++d) pixels *= image.shape[d];
  r->recipe = pixels == 64 ? &digits : &mnist;
  if (r->o.epochs == 0) r->o.epochs = r->recipe->epochs;
  open_loader(r, r->train_set, TENON_LOADER_SHUFFLE, &r->train);
  open_loader(r, r->test_set, 0, &r->test);
  new_model(r, pixels);
  new_optimizer(r);
  session_check(s, tenon_history_create(s->context, &r->history));
  if (r->o.events) {
    session_check(s, tenon_history_set_events(s->context, r->history, r->o.events, TENON_NUL));
  }
}

static void close_run(run* r) {
  tenon_checkpoint_release(r->checkpoint);
  tenon_history_release(r->history);
  tenon_schedule_release(r->schedule);
  tenon_optimizer_release(r->optimizer);
  tenon_layer_release(r->model);
  tenon_loader_release(r->train);
  tenon_loader_release(r->test);
  tenon_dataset_release(r->train_set);
  tenon_dataset_release(r->test_set);
}

// ---- Checkpoints --------------------------------------------------------------------------------

static void set_value(run* r, const char* name, const tenon_value* value) {
  session_check(r->s,
                tenon_checkpoint_set_value(r->s->context, r->checkpoint, name, TENON_NUL, value));
}

static void save(run* r) {
  if (!r->o.checkpoint) return;
  const tenon_value step = int_value(r->step), loss_sum = float_value(r->loss_sum);
  set_value(r, "step", &step);
  set_value(r, "loss_sum", &loss_sum);
  session_check(r->s,
                tenon_checkpoint_save(r->s->context, r->checkpoint, r->o.checkpoint, TENON_NUL));
}

// What a run consists of, put back from the file, if there is one.
static void resume(run* r) {
  session* s = r->s;
  tenon_context* cx = s->context;
  session_check(s, tenon_checkpoint_create(cx, &r->checkpoint));
  tenon_checkpoint* all = r->checkpoint;
  session_check(s, tenon_checkpoint_set_layer(cx, all, "model", TENON_NUL, r->model));
  session_check(s, tenon_checkpoint_set_optimizer(cx, all, "optimizer.0", TENON_NUL, r->optimizer));
  session_check(s, tenon_checkpoint_set_schedule(cx, all, "schedule", TENON_NUL, r->schedule));
  session_check(s, tenon_checkpoint_set_loader(cx, all, "loader", TENON_NUL, r->train));
  tenon_value step = int_value(0), loss_sum = float_value(0);
  set_value(r, "step", &step);
  set_value(r, "loss_sum", &loss_sum);
  if (!r->o.checkpoint) return;
  uint32_t loaded = 0;
  session_check(s, tenon_checkpoint_load(cx, all, r->o.checkpoint, TENON_NUL,
                                         TENON_CHECKPOINT_IF_THERE, &loaded));
  if (!loaded) return;
  session_check(s, tenon_checkpoint_get_value(cx, all, "step", TENON_NUL, &step));
  session_check(s, tenon_checkpoint_get_value(cx, all, "loss_sum", TENON_NUL, &loss_sum));
  r->step = step.as.i64;
  r->loss_sum = loss_sum.as.f64;
  printf("goes on at step %lld, epoch %lld\n", (long long)r->step,
         (long long)place_of(r).epoch + 1);
}

// ---- Training -----------------------------------------------------------------------------------

static tenon_tensor* logits_of(run* r, tenon_tensor* images) {
  const tenon_value input = tensor_value(images);
  tenon_tensor* logits = NULL;
  session_check(r->s, tenon_layer_call(r->s->context, r->model, &input, 1, &logits, 1));
  return session_keep(r->s, logits);
}

// The next batch; 0 at the end of the epoch.
static int64_t next_batch(run* r, tenon_loader* loader, tenon_tensor* fields[2]) {
  int64_t n = 0;
  session_check(r->s, tenon_loader_run(r->s->context, loader, fields, 2, &n));
  for (int i = 0; n && i < 2; ++i) session_keep(r->s, fields[i]);
  return n;
}

static void note(run* r, const char* name, double value) {
  session_check(r->s,
                tenon_history_set(r->s->context, r->history, name, TENON_NUL, r->step, value));
}

static double accuracy_of(run* r) {
  session* s = r->s;
  tenon_tensor* fields[2];
  double right = 0;
  int64_t samples = 0, n = 0;
  session_check(s, tenon_layer_set_training(s->context, r->model, 0));
  session_check(s, tenon_grad_begin(s->context, TENON_GRAD_DISABLED));
  session_check(s, tenon_loader_begin(s->context, r->test, 0, 0));
  while ((n = next_batch(r, r->test, fields)) > 0) {
    samples += n;
    tenon_tensor* guess = call_with(s, "tenon.argmax", logits_of(r, fields[0]), int_value(1));
    right += item_of(s, call1(s, "tenon.sum", call2(s, "tenon.eq", guess, fields[1])));
    session_clear(s);
  }
  session_check(s, tenon_grad_end(s->context));
  session_check(s, tenon_layer_set_training(s->context, r->model, 1));
  return samples ? right / (double)samples : 0;
}

// The rest of the epoch; 0 if the run is to stop within it.
static int train_epoch(run* r) {
  session* s = r->s;
  const tenon_loader_info start = place_of(r);
  int64_t done = start.position;
  char label[64];
  snprintf(label, sizeof label, "epoch %lld/%lld", (long long)start.epoch + 1,
           (long long)r->o.epochs);
  tenon_progress* progress = NULL;
  session_check(s, tenon_progress_create(s->context, label, TENON_NUL, start.length, 0, &progress));
  tenon_tensor* fields[2];
  int64_t n = 0;
  while ((n = next_batch(r, r->train, fields)) > 0) {
    tenon_tensor* loss =
        call2(s, "tenon.softmax_cross_entropy", logits_of(r, fields[0]), fields[1]);
    session_check(s, tenon_backward_run(s->context, &loss, NULL, 1, 0));
    session_check(s, tenon_optimizer_run(s->context, r->optimizer, TENON_OPTIMIZER_CLEAR_GRAD));
    r->step++;
    done += n;
    r->loss_sum += item_of(s, loss) * (double)n;
    if (r->step % 10 == 0) note(r, "loss", item_of(s, loss));
    session_check(s, tenon_progress_run(s->context, progress, done, "loss", TENON_NUL,
                                        r->loss_sum / (double)done));
    session_clear(s);
    if (r->o.stop && r->step >= r->o.stop) break;
  }
  tenon_progress_release(progress);
  return n == 0;
}

// Returns the accuracy after the last epoch, -1 where the run was stopped before.
static double train(run* r) {
  session* s = r->s;
  double accuracy = -1;
  for (tenon_loader_info at = place_of(r); at.epoch < r->o.epochs; at = place_of(r)) {
    if (at.position == 0) {
      double lr = 0;
      session_check(s, tenon_schedule_run(s->context, r->schedule, NULL, &lr));
      const tenon_value rate = float_value(lr);
      session_check(s, tenon_optimizer_set(s->context, r->optimizer, "lr", TENON_NUL, &rate));
      note(r, "learning rate", lr);
    }
    const double start = clock_seconds();
    if (!train_epoch(r)) {
      save(r);
      return -1;
    }
    accuracy = accuracy_of(r);
    note(r, "test accuracy", accuracy);
    printf("epoch %2lld  loss %.4f  test accuracy %.4f  %.2f s\n", (long long)at.epoch + 1,
           r->loss_sum / (double)at.length, accuracy, clock_seconds() - start);
    fflush(stdout);
    r->loss_sum = 0;
    session_check(s, tenon_loader_begin(s->context, r->train, at.epoch + 1, 0));
    save(r);
  }
  return accuracy;
}

// FNV-1a over the bits of all parameters.
static uint64_t hash_of(run* r) {
  uint64_t hash = 14695981039346656037u;
  tenon_tensor* param = NULL;
  for (uint32_t i = 0;
       tenon_layer_get_parameter(r->s->context, r->model, i, NULL, &param) == TENON_OK; ++i) {
    tenon_tensor_info info = {.struct_size = sizeof info};
    session_check(r->s, tenon_tensor_get_info(r->s->context, param, &info));
    const size_t bytes = (size_t)info.elements * sizeof(float);
    unsigned char* values = malloc(bytes);
    if (!values) session_check(r->s, TENON_E_MEMORY);
    session_check(r->s, tenon_tensor_get_data(r->s->context, param, values, bytes));
    for (size_t k = 0; k < bytes; ++k) hash = (hash ^ values[k]) * 1099511628211u;
    free(values);
  }
  return hash;
}

static void usage(const char* program, int status) {
  fprintf(status ? stderr : stdout,
          "usage: %s [options]\n\n"
          "  --data DIR        folder with the four idx files of MNIST, or of a set like it\n"
          "  --epochs N        passes over the training set\n"
          "  --seed N          start of all random numbers (default 0)\n"
          "  --threads N       compute threads (default: as many as the process may use)\n"
          "  --workers N       threads that read ahead (default 2; 0: none)\n"
          "  --checkpoint FILE save the run there, and go on from there\n"
          "  --stop N          end after step N, saved\n"
          "  --curve FILE      write loss and accuracy as a picture (SVG)\n"
          "  --events DIR      write an event file of TensorBoard into this folder\n",
          program);
  exit(status);
}

static options options_read(int argc, char** argv) {
  options o = {.workers = 2};
  const struct {
    const char* name;
    const char** text;
    int64_t* number;
    int64_t least;
  } known[] = {{"--data", &o.data, NULL, 0},       {"--checkpoint", &o.checkpoint, NULL, 0},
               {"--curve", &o.curve, NULL, 0},     {"--events", &o.events, NULL, 0},
               {"--epochs", NULL, &o.epochs, 1},   {"--seed", NULL, &o.seed, 0},
               {"--threads", NULL, &o.threads, 1}, {"--workers", NULL, &o.workers, 0},
               {"--stop", NULL, &o.stop, 1}};
  for (int i = 1; i < argc; i += 2) {
    if (strcmp(argv[i], "--help") == 0) usage(argv[0], 0);
    size_t k = 0;
    while (k < sizeof known / sizeof *known && strcmp(argv[i], known[k].name) != 0) ++k;
    if (k == sizeof known / sizeof *known || i + 1 == argc) usage(argv[0], 2);
    if (known[k].text) {
      *known[k].text = argv[i + 1];
      continue;
    }
    char* end = NULL;
    *known[k].number = strtoll(argv[i + 1], &end, 10);
    if (*end || end == argv[i + 1] || *known[k].number < known[k].least) usage(argv[0], 2);
  }
  return o;
}

int main(int argc, char** argv) {
  session base;
  run r = {.s = &base, .o = options_read(argc, argv)};
  session_open(r.s, r.o.threads, r.o.seed);
  open_run(&r);
  resume(&r);
  const double accuracy = train(&r);
  int failed = 0;
  if (accuracy >= 0) printf("test accuracy: %.4f\n", accuracy);
  if (r.o.curve) {
    session_check(&base, tenon_history_save(base.context, r.history, r.o.curve, TENON_NUL,
                                            "Training", TENON_NUL, "step", TENON_NUL));
  }
  printf("step %lld, weights %016llx\n", (long long)r.step, (unsigned long long)hash_of(&r));
  if (accuracy >= 0 && r.o.epochs >= r.recipe->epochs && accuracy < r.recipe->accuracy) {
    fprintf(stderr, "error: test accuracy %.4f, expected at least %.2f\n", accuracy,
            r.recipe->accuracy);
    failed = 1;
  }
  close_run(&r);
  session_close(r.s);
  return failed;
}
