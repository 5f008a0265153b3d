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

#include <tenon/client.h>

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
  tn_client* c;
  options o;
  const recipe* recipe;
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

static tenon_loader* open_loader(const run* r, tenon_dataset* set, uint32_t flags) {
  const recipe* p = r->recipe;
  tenon_transform* list[] = {
      tn_transform(r->c, "tenon.normalise",
                   TN_NAMED({"scale", tn_float(p->ink)}, {"mean", tn_floats(&p->mean, 1)},
                            {"deviation", tn_floats(&p->deviation, 1)})),
      tn_transform(r->c, "tenon.flatten", TN_NONE)};
  tenon_loader* loader = tn_loader(r->c, set, flags ? p->batch : 256, (uint64_t)r->o.seed, flags,
                                   (uint32_t)r->o.workers);
  tn_transforms(r->c, loader, list, 2);
  return loader;
}

static tenon_layer* new_model(const run* r, int64_t inputs) {
  tenon_layer* model = tn_layer(r->c, "tenon.sequential", TN_NONE);
  for (int i = 0; i < r->recipe->n_layers; ++i) {
    const int64_t outputs = r->recipe->sizes[i];
    if (i > 0) tn_add(r->c, model, "tenon.activation", TN_NAMED({"op", tn_text("tenon.relu")}));
    tn_add(r->c, model, "tenon.linear",
           TN_NAMED({"inputs", tn_int(inputs)}, {"outputs", tn_int(outputs)}));
    inputs = outputs;
  }
  return model;
}

static void open_run(run* r) {
  tn_client* c = r->c;
  char shipped[EXAMPLE_PATH_BYTES];
  const char* folder = r->o.data ? r->o.data : shipped_data("digits", shipped);
  tenon_dataset* train = open_images(c, folder, "train");
  tenon_dataset* test = open_images(c, folder, "t10k");
  const int64_t pixels = pixels_of(c, train);
  const recipe* p = r->recipe = pixels == 64 ? &digits : &mnist;
  if (r->o.epochs == 0) r->o.epochs = p->epochs;
  r->train = open_loader(r, train, TENON_LOADER_SHUFFLE);
  r->test = open_loader(r, test, 0);
  r->model = new_model(r, pixels);
  const tn_option hypers[] = {{"lr", tn_float(p->lr)}, {"momentum", tn_float(p->momentum)}};
  const tn_named named = {hypers, p->momentum > 0 ? 2 : 1};
  r->optimizer = tn_optimizer(c, p->optimizer, r->model, named);
  const tn_option period = {"period", tn_int(r->o.epochs)};
  const tn_named cosine = {&period, strcmp(p->schedule, "tenon.cosine") == 0};
  r->schedule = tn_schedule(c, p->schedule, p->lr, cosine);
  r->history = tn_history(c);
  if (r->o.events) {
    tn_check(c, tenon_history_set_events(c->context, r->history, r->o.events, TENON_NUL));
  }
}

// ---- Checkpoints --------------------------------------------------------------------------------

static void set_value(const run* r, const char* name, tenon_value value) {
  tn_check(r->c, tenon_checkpoint_set_value(r->c->context, r->checkpoint, name, TENON_NUL, &value));
}
static tenon_value value_of(const run* r, const char* name) {
  tenon_value value = tn_none();
  tn_check(r->c, tenon_checkpoint_get_value(r->c->context, r->checkpoint, name, TENON_NUL, &value));
  return value;
}

static void save(const run* r) {
  if (!r->o.checkpoint) return;
  set_value(r, "step", tn_int(r->step));
  set_value(r, "loss_sum", tn_float(r->loss_sum));
  tn_save(r->c, r->checkpoint, r->o.checkpoint);
}

// What a run consists of, put back from the file, if there is one.
static void resume(run* r) {
  tn_client* c = r->c;
  tenon_context* cx = c->context;
  tenon_checkpoint* all = r->checkpoint = tn_checkpoint(c);
  tn_check(c, tenon_checkpoint_set_layer(cx, all, "model", TENON_NUL, r->model));
  tn_check(c, tenon_checkpoint_set_optimizer(cx, all, "optimizer.0", TENON_NUL, r->optimizer));
  tn_check(c, tenon_checkpoint_set_schedule(cx, all, "schedule", TENON_NUL, r->schedule));
  tn_check(c, tenon_checkpoint_set_loader(cx, all, "loader", TENON_NUL, r->train));
  set_value(r, "step", tn_int(0));
  set_value(r, "loss_sum", tn_float(0));
  if (!r->o.checkpoint || !tn_resume(c, all, r->o.checkpoint)) return;
  r->step = value_of(r, "step").as.i64;
  r->loss_sum = value_of(r, "loss_sum").as.f64;
  printf("goes on at step %lld, epoch %lld\n", (long long)r->step,
         (long long)tn_place(c, r->train).epoch + 1);
}

// ---- Training -----------------------------------------------------------------------------------

static double accuracy_of(const run* r) {
  tn_client* c = r->c;
  tenon_tensor* xy[2];
  double right = 0;
  tn_check(c, tenon_layer_set_training(c->context, r->model, 0));
  tn_check(c, tenon_grad_begin(c->context, TENON_GRAD_DISABLED));
  tn_check(c, tenon_loader_begin(c->context, r->test, 0, 0));
  const size_t region = tn_begin(c);
  for (; tn_next(c, r->test, xy, 2) > 0; tn_end(c, region)) {
    const tenon_value logits = tn_value(tn_forward(c, r->model, xy[0]));
    tenon_tensor* guess =
        tn_call(c, "tenon.argmax", TN_ARGS(logits), TN_NAMED({"axis", tn_int(1)}));
    right += tn_item(c, tn_call1(c, "tenon.sum", tn_call2(c, "tenon.eq", guess, xy[1])));
  }
  tn_check(c, tenon_grad_end(c->context));
  tn_check(c, tenon_layer_set_training(c->context, r->model, 1));
  const int64_t samples = tn_place(c, r->test).length;
  return samples ? right / (double)samples : 0;
}

// The rest of the epoch; 0 if the run is to stop within it.
static int train_epoch(run* r) {
  tn_client* c = r->c;
  const size_t epoch = tn_begin(c);
  const tenon_loader_info start = tn_place(c, r->train);
  int64_t done = start.position, n = 0;
  char label[64];
  snprintf(label, sizeof label, "epoch %lld/%lld", (long long)start.epoch + 1,
           (long long)r->o.epochs);
  tenon_progress* progress = tn_progress(c, label, start.length);
  tenon_tensor* xy[2];
  const size_t region = tn_begin(c);
  for (; (n = tn_next(c, r->train, xy, 2)) > 0; tn_end(c, region)) {
    tenon_tensor* logits = tn_forward(c, r->model, xy[0]);
    tenon_tensor* loss = tn_call2(c, "tenon.softmax_cross_entropy", logits, xy[1]);
    tn_backward(c, loss);
    tn_step(c, r->optimizer);
    r->step++;
    done += n;
    r->loss_sum += tn_item(c, loss) * (double)n;
    if (r->step % 10 == 0) tn_note(c, r->history, "loss", r->step, tn_item(c, loss));
    tn_show(c, progress, done, "loss", r->loss_sum / (double)done);
    if (r->o.stop && r->step >= r->o.stop) break;
  }
  tn_end(c, epoch);
  return n == 0;
}

// Returns the accuracy after the last epoch, -1 where the run was stopped before.
static double train(run* r) {
  tn_client* c = r->c;
  double accuracy = -1;
  for (tenon_loader_info at; at = tn_place(c, r->train), at.epoch < r->o.epochs;) {
    if (at.position == 0) {
      const double lr = tn_advance(c, r->schedule);
      tn_set(c, r->optimizer, "lr", tn_float(lr));
      tn_note(c, r->history, "learning rate", r->step, lr);
    }
    const double start = clock_seconds();
    if (!train_epoch(r)) {
      save(r);
      return -1;
    }
    accuracy = accuracy_of(r);
    tn_note(c, r->history, "test accuracy", r->step, accuracy);
    printf("epoch %2lld  loss %.4f  test accuracy %.4f  %.2f s\n", (long long)at.epoch + 1,
           r->loss_sum / (double)at.length, accuracy, clock_seconds() - start);
    fflush(stdout);
    r->loss_sum = 0;
    tn_check(c, tenon_loader_begin(c->context, r->train, at.epoch + 1, 0));
    save(r);
  }
  return accuracy;
}

// FNV-1a over the bits of all parameters.
static uint64_t hash_of(const run* r) {
  tn_client* c = r->c;
  uint64_t hash = 14695981039346656037u;
  tenon_tensor* param = NULL;
  for (uint32_t i = 0; tenon_layer_get_parameter(c->context, r->model, i, NULL, &param) == TENON_OK;
       ++i) {
    tenon_tensor_info info = {.struct_size = sizeof info};
    tn_check(c, tenon_tensor_get_info(c->context, param, &info));
    const size_t bytes = (size_t)info.elements * sizeof(float);
    unsigned char* values = malloc(bytes);
    if (!values) tn_check(c, TENON_E_MEMORY);
    tn_check(c, tenon_tensor_get_data(c->context, param, values, bytes));
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
  tn_client client;
  run r = {.c = &client, .o = options_read(argc, argv)};
  tn_open(r.c, r.o.threads, (uint64_t)r.o.seed);
  open_run(&r);
  resume(&r);
  const double accuracy = train(&r);
  if (accuracy >= 0) printf("test accuracy: %.4f\n", accuracy);
  if (r.o.curve) tn_draw(r.c, r.history, r.o.curve, "Training", "step");
  printf("step %lld, weights %016llx\n", (long long)r.step, (unsigned long long)hash_of(&r));
  const int failed =
      accuracy >= 0 && r.o.epochs >= r.recipe->epochs && accuracy < r.recipe->accuracy;
  if (failed) {
    fprintf(stderr, "error: test accuracy %.4f, expected at least %.2f\n", accuracy,
            r.recipe->accuracy);
  }
  tn_close(r.c);
  return failed;
}
