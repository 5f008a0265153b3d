// SPDX-License-Identifier: Apache-2.0
// examples/19_data_parallel/main.c: one training run by several processes, which has the same bits
// for 1, 2, 4 and 8 of them.
//
//   mpirun -n 4 19_data_parallel FOLDER EPOCHS RUN tenon.mpi
//   19_data_parallel FOLDER EPOCHS RUN tenon.self
//
// FOLDER has the four idx files, RUN is saved after each epoch, and a run goes on from there, with
// any number of processes. It uses installed headers only.
#include <tenon/client.h>
#include <tenon/ext/draft/data_parallel.h>

#define SHARDS 8  // of each batch; each process computes SHARDS / size of them
#define ROWS 4    // samples of a shard

// What a process needs to know of the others.
typedef struct team {
  tenon_group* group;
  tenon_group_info info;
  tenon_data_parallel* parallel;
  tenon_data_parallel_info shards;
} team;

static team join(tn_client* c, const char* engine, tenon_layer* model) {
  team t = {0};
  tn_check(c, tenon_group_create(c->context, engine, TENON_NUL, NULL, NULL, 0, 60000, &t.group));
  t.info.struct_size = sizeof t.info;
  tn_check(c, tenon_group_get_info(c->context, t.group, &t.info));
  const tenon_data_parallel_options options = {sizeof options, 0, SHARDS, 0, NULL, 0, 0};
  tn_check(c,
           tenon_data_parallel_create_for_layer(c->context, t.group, model, &options, &t.parallel));
  t.shards.struct_size = sizeof t.shards;
  tn_check(c, tenon_data_parallel_get_info(c->context, t.parallel, &t.shards));
  return t;
}

static tenon_loader* open_part(tn_client* c, const char* folder, const char* part, int64_t batch,
                               uint32_t flags) {
  char images[4096], labels[4096];
  snprintf(images, sizeof images, "%s/%s-images-idx3-ubyte", folder, part);
  snprintf(labels, sizeof labels, "%s/%s-labels-idx1-ubyte", folder, part);
  tenon_dataset* set = tn_dataset(
      c, "tenon.idx", TN_NAMED({"images", tn_text(images)}, {"labels", tn_text(labels)}));
  tenon_transform* list[] = {tn_transform(c, "tenon.normalise", TN_NAMED({"scale", tn_float(16)})),
                             tn_transform(c, "tenon.flatten", TN_NONE)};
  tenon_loader* loader = tn_loader(c, set, batch, 5, flags, 1);
  tn_transforms(c, loader, list, 2);
  return loader;
}

static tenon_layer* new_model(tn_client* c) {
  tenon_layer* model = tn_layer(c, "tenon.sequential", TN_NONE);
  tn_add(c, model, "tenon.linear", TN_NAMED({"inputs", tn_int(64)}, {"outputs", tn_int(128)}));
  tn_add(c, model, "tenon.batch_norm", TN_NAMED({"features", tn_int(128)}));
  tn_add(c, model, "tenon.activation", TN_NAMED({"op", tn_text("tenon.relu")}));
  tn_add(c, model, "tenon.dropout", TN_NAMED({"p", tn_float(0.1)}));
  tn_add(c, model, "tenon.linear", TN_NAMED({"inputs", tn_int(128)}, {"outputs", tn_int(10)}));
  return model;
}

static double accuracy_of(tn_client* c, tenon_layer* model, tenon_loader* test) {
  double right = 0;
  tenon_tensor* xy[2];
  tn_check(c, tenon_loader_begin(c->context, test, 0, 0));
  tn_check(c, tenon_layer_set_training(c->context, model, 0));
  while (tn_next(c, test, xy, 2) > 0) {
    tenon_tensor* guess = tn_call(c, "tenon.argmax", TN_ARGS(tn_value(tn_forward(c, model, xy[0]))),
                                  TN_NAMED({"axis", tn_int(1)}));
    right += tn_item(c, tn_call1(c, "tenon.sum", tn_call2(c, "tenon.eq", guess, xy[1])));
  }
  tn_check(c, tenon_layer_set_training(c->context, model, 1));
  return right / (double)tn_place(c, test).length;
}

// One step: our shards of the batch, and then all processes have its gradients.
static int step(tn_client* c, const team* t, tenon_layer* model, tenon_loader* train,
                tenon_optimizer* adam) {
  const size_t region = tn_begin(c);
  for (int64_t shard = 0; shard < t->shards.n_shards; ++shard) {
    tenon_tensor* xy[2];
    if (tn_next(c, train, xy, 2) == 0) return 0;
    tn_check(c, tenon_data_parallel_begin(c->context, t->parallel, shard));
    tenon_tensor* logits = tn_forward(c, model, xy[0]);
    tenon_tensor* loss = tn_call2(c, "tenon.softmax_cross_entropy", logits, xy[1]);
    tn_check(c, tenon_data_parallel_end(c->context, t->parallel, loss));
  }
  tn_step(c, adam);
  tn_end(c, region);
  return 1;
}

int main(int argc, char** argv) {
  if (argc != 5) return fprintf(stderr, "usage: %s FOLDER EPOCHS RUN ENGINE\n", argv[0]), 2;
  tn_client client, *c = &client;
  tn_open(c, 0, 5);
  tenon_layer* model = new_model(c);
  team t = join(c, argv[4], model);
  tenon_loader* train = open_part(c, argv[1], "train", ROWS, TENON_LOADER_SHUFFLE);
  tenon_loader* test = open_part(c, argv[1], "t10k", 256, 0);
  tn_check(c, tenon_loader_set_share(c->context, train, t.shards.first_shard, t.shards.n_shards,
                                     t.shards.shards));
  tenon_optimizer* adam = tn_optimizer(c, "tenon.adam", model, TN_NAMED({"lr", tn_float(0.003)}));
  tenon_checkpoint* run = tn_checkpoint(c);
  tn_check(c, tenon_checkpoint_set_layer(c->context, run, "model", TENON_NUL, model));
  tn_check(c, tenon_checkpoint_set_optimizer(c->context, run, "optimizer.0", TENON_NUL, adam));
  const int64_t steps = tn_place(c, train).length / (ROWS * t.shards.n_shards);  // of an epoch
  tenon_value epoch = tn_int(0);
  tn_check(c, tenon_checkpoint_set_value(c->context, run, "epoch", TENON_NUL, &epoch));
  if (tn_resume(c, run, argv[3]) && t.info.rank == 0) printf("goes on with %s\n", argv[3]);
  tn_check(c, tenon_checkpoint_get_value(c->context, run, "epoch", TENON_NUL, &epoch));
  tn_check(c, tenon_data_parallel_set_step(c->context, t.parallel, epoch.as.i64 * steps));
  while (epoch.as.i64 < atoi(argv[2])) {
    tn_check(c, tenon_loader_begin(c->context, train, epoch.as.i64, 0));
    while (step(c, &t, model, train, adam)) continue;
    ++epoch.as.i64;
    if (t.info.rank != 0) continue;  // the run is written once
    tn_check(c, tenon_checkpoint_set_value(c->context, run, "epoch", TENON_NUL, &epoch));
    tn_save(c, run, argv[3]);
    const size_t region = tn_begin(c);
    printf("epoch %d: accuracy %.4f\n", (int)epoch.as.i64, accuracy_of(c, model, test));
    tn_end(c, region);
  }
  tenon_data_parallel_release(t.parallel);
  tenon_group_release(t.group);
  tn_close(c);
  return 0;
}
