// SPDX-License-Identifier: Apache-2.0
// examples/09_short/main.c: a whole training run in short: layers, a loader that reads ahead,
// transforms, a schedule, a progress line, accuracy, and a checkpoint from which it goes on.
//
//   09_short FOLDER EPOCHS RUN     FOLDER has the four idx files, RUN is saved after each epoch
//
// It uses installed headers only: tenon/client.h and what that includes.
#include <tenon/client.h>

static tenon_loader* open_part(tn_client* c, const char* folder, const char* part, uint32_t flags) {
  char images[4096], labels[4096];
  snprintf(images, sizeof images, "%s/%s-images-idx3-ubyte", folder, part);
  snprintf(labels, sizeof labels, "%s/%s-labels-idx1-ubyte", folder, part);
  tenon_dataset* set = tn_dataset(
      c, "tenon.idx", TN_NAMED({"images", tn_text(images)}, {"labels", tn_text(labels)}));
  tenon_transform* list[] = {tn_transform(c, "tenon.normalise", TN_NAMED({"scale", tn_float(16)})),
                             tn_transform(c, "tenon.flatten", TN_NONE)};
  tenon_loader* loader = tn_loader(c, set, 32, 5, flags, 2);
  tn_transforms(c, loader, list, 2);
  return loader;
}

static double accuracy_of(tn_client* c, tenon_layer* model, tenon_loader* test) {
  double right = 0;
  tenon_tensor* xy[2];
  tn_check(c, tenon_loader_begin(c->context, test, 0, 0));
  while (tn_next(c, test, xy, 2) > 0) {
    tenon_tensor* guess = tn_call(c, "tenon.argmax", TN_ARGS(tn_value(tn_forward(c, model, xy[0]))),
                                  TN_NAMED({"axis", tn_int(1)}));
    right += tn_item(c, tn_call1(c, "tenon.sum", tn_call2(c, "tenon.eq", guess, xy[1])));
  }
  return right / (double)tn_place(c, test).length;
}

int main(int argc, char** argv) {
  if (argc != 4) return fprintf(stderr, "usage: %s FOLDER EPOCHS RUN\n", argv[0]), 2;
  tn_client client, *c = &client;
  tn_open(c, 0, 5);
  tenon_loader* train = open_part(c, argv[1], "train", TENON_LOADER_SHUFFLE);
  tenon_loader* test = open_part(c, argv[1], "t10k", 0);
  tenon_layer* model = tn_layer(c, "tenon.sequential", TN_NONE);
  tn_add(c, model, "tenon.linear", TN_NAMED({"inputs", tn_int(64)}, {"outputs", tn_int(128)}));
  tn_add(c, model, "tenon.activation", TN_NAMED({"op", tn_text("tenon.relu")}));
  tn_add(c, model, "tenon.linear", TN_NAMED({"inputs", tn_int(128)}, {"outputs", tn_int(10)}));
  tenon_optimizer* adam = tn_optimizer(c, "tenon.adam", model, TN_NONE);
  tenon_schedule* cosine = tn_schedule(c, "tenon.cosine", 0.01, TN_NAMED({"period", tn_int(20)}));
  tenon_checkpoint* run = tn_checkpoint(c);
  tn_check(c, tenon_checkpoint_set_layer(c->context, run, "model", TENON_NUL, model));
  tn_check(c, tenon_checkpoint_set_optimizer(c->context, run, "optimizer.0", TENON_NUL, adam));
  tn_check(c, tenon_checkpoint_set_schedule(c->context, run, "schedule", TENON_NUL, cosine));
  tn_check(c, tenon_checkpoint_set_loader(c->context, run, "loader", TENON_NUL, train));
  if (tn_resume(c, run, argv[3])) printf("goes on with %s\n", argv[3]);
  for (int64_t epoch = tn_place(c, train).epoch; epoch < atoi(argv[2]); ++epoch) {
    const size_t region = tn_begin(c);
    tenon_progress* progress = tn_progress(c, "training", tn_place(c, train).length);
    tn_set(c, adam, "lr", tn_float(tn_advance(c, cosine)));
    tenon_tensor* xy[2];
    const size_t step = tn_begin(c);
    for (int64_t n, done = 0; (n = tn_next(c, train, xy, 2)) > 0; tn_end(c, step)) {
      tenon_tensor* logits = tn_forward(c, model, xy[0]);
      tenon_tensor* loss = tn_call2(c, "tenon.softmax_cross_entropy", logits, xy[1]);
      tn_backward(c, loss);
      tn_step(c, adam);
      tn_show(c, progress, done += n, "loss", tn_item(c, loss));
    }
    const double accuracy = accuracy_of(c, model, test);
    tn_end(c, region);
    printf("epoch %d: accuracy %.4f\n", (int)epoch + 1, accuracy);
    tn_check(c, tenon_loader_begin(c->context, train, epoch + 1, 0));
    tn_save(c, run, argv[3]);
  }
  tn_close(c);
  return 0;
}
