// SPDX-License-Identifier: Apache-2.0
// tests/files/checkpoint_test.cc: a run that stops and goes on in another process ends with the
// same bits: parameters, Adam's state, dropout's random numbers, the order of the samples; and a
// file that does not fit changes nothing.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <tenon/ext/draft/checkpoints.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <thread>

#include "tests/files/files_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr int64_t kPixels = 64, kClasses = 10, kBatch = 100;

struct ReleaseCheckpoint {
  void operator()(tenon_checkpoint* checkpoint) const { tenon_checkpoint_release(checkpoint); }
};
using SavedRun = std::unique_ptr<tenon_checkpoint, ReleaseCheckpoint>;
struct ReleaseLayer {
  void operator()(tenon_layer* layer) const { tenon_layer_release(layer); }
};
using Layer = std::unique_ptr<tenon_layer, ReleaseLayer>;
struct ReleaseSchedule {
  void operator()(tenon_schedule* schedule) const { tenon_schedule_release(schedule); }
};
using Schedule = std::unique_ptr<tenon_schedule, ReleaseSchedule>;

class Checkpoint : public Files {
 protected:
  // Loss of one batch: dropout, one layer, cross entropy.
  void step(tenon_tensor* images, tenon_tensor* labels) {
    const int64_t flat[] = {-1, kPixels};
    tenon_value shape{TENON_VALUE_INT_LIST, 2, {}};
    shape.as.ints = flat;
    tenon_value f32{TENON_VALUE_DTYPE, 0, {}};
    f32.as.dtype = TENON_DTYPE_F32;
    const Tensor pixels = call("tenon.cast", {one(images)}, {{"dtype", f32}});
    const Tensor rows = call("tenon.reshape", {one(pixels.get())}, {{"shape", shape}});
    const Tensor kept = call("tenon.dropout", {one(rows.get())}, {{"p", real(0.3)}});
    const tenon_value input = one(kept.get());
    tenon_tensor* out = nullptr;
    must(tenon_layer_call(context, model.get(), &input, 1, &out, 1));
    const Tensor logits(out);
    const Tensor loss = call("tenon.softmax_cross_entropy", {one(logits.get()), one(labels)});
    tenon_tensor* root = loss.get();
    must(tenon_backward_run(context, &root, nullptr, 1, 0));
    must(tenon_optimizer_run(context, adam.get(), TENON_OPTIMIZER_CLEAR_GRAD));
  }
  Layer linear(int64_t inputs, int64_t outputs) {
    const tenon_string names[] = {{"inputs", 6}, {"outputs", 7}};
    const tenon_value values[] = {whole(inputs), whole(outputs)};
    tenon_layer* made = nullptr;
    must(tenon_layer_create(context, "tenon.linear", TENON_NUL, nullptr, names, values, 2, &made));
    return Layer(made);
  }
  Optimizer optimizer_for(const char* name, const Layer& layer, double lr) {
    const tenon_string names[] = {{"lr", 2}};
    const tenon_value values[] = {real(lr)};
    tenon_optimizer* made = nullptr;
    must(tenon_optimizer_create_for_layer(context, name, TENON_NUL, layer.get(), names, values, 1,
                                          &made));
    return Optimizer(made);
  }

  void start() {
    const std::string root = std::string(data_dir()) + "/digits/";
    const std::string images = root + "train-images-idx3-ubyte";
    const std::string labels = root + "train-labels-idx1-ubyte";
    digits = dataset({{"images", text(images)}, {"labels", text(labels)}});
    batches = loader(digits, kBatch, 11, TENON_LOADER_SHUFFLE);
    must(tenon_context_set_seed(context, 5, 2));
    model = linear(kPixels, kClasses);
    adam = optimizer_for("tenon.adam", model, 0.01);
    tenon_schedule* made = nullptr;
    const tenon_string period = {"period", 6};
    const tenon_value epochs = whole(9);
    must(tenon_schedule_create(context, "tenon.cosine", TENON_NUL, 0.01, &period, &epochs, 1,
                               &made));
    cosine.reset(made);
    tenon_checkpoint* empty = nullptr;
    must(tenon_checkpoint_create(context, &empty));
    run.reset(empty);
    must(tenon_checkpoint_set_layer(context, empty, "model", TENON_NUL, model.get()));
    must(tenon_checkpoint_set_optimizer(context, empty, "optimizer.0", TENON_NUL, adam.get()));
    must(tenon_checkpoint_set_schedule(context, empty, "schedule", TENON_NUL, cosine.get()));
    must(tenon_checkpoint_set_loader(context, empty, "loader", TENON_NUL, batches.get()));
    set("step", whole(0));
  }
  void set(const char* name, const tenon_value& value) {
    must(tenon_checkpoint_set_value(context, run.get(), name, TENON_NUL, &value));
  }
  tenon_value get(const char* name) {
    tenon_value value{};
    must(tenon_checkpoint_get_value(context, run.get(), name, TENON_NUL, &value));
    return value;
  }
  void train(int steps) {
    while (steps > 0) {
      tenon_tensor* fields[2] = {};
      int64_t n = 0;
      must(tenon_loader_run(context, batches.get(), fields, 2, &n));
      if (n == 0) {
        double lr = 0;
        must(tenon_schedule_run(context, cosine.get(), nullptr, &lr));
        const tenon_value rate = real(lr);
        must(tenon_optimizer_set(context, adam.get(), "lr", TENON_NUL, &rate));
        must(tenon_loader_begin(context, batches.get(), info(batches).epoch + 1, 0));
        continue;
      }
      const Tensor images(fields[0]);
      const Tensor labels(fields[1]);
      step(images.get(), labels.get());
      set("step", whole(get("step").as.i64 + 1));
      --steps;
    }
  }
  tenon_status save_run(const std::string& file) {
    return tenon_checkpoint_save(context, run.get(), file.data(), file.size());
  }
  tenon_status load_run(const std::string& file, uint32_t flags = 0, uint32_t* loaded = nullptr) {
    return tenon_checkpoint_load(context, run.get(), file.data(), file.size(), flags, loaded);
  }
  void finish() {
    run.reset();
    batches.reset();
    adam.reset();
    cosine.reset();
    model.reset();
    digits.reset();
  }
  // `body` in a process of its own, after `start`.
  template <class Body>
  void apart(Body&& body) {
    const pid_t child = fork();
    if (child == 0) {
      start();
      body();
      finish();
      _exit(HasFailure() ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  // The saved run with one thing about it changed is refused, and leaves everything as it is.
  std::string changed(const std::string& file,
                      const std::function<void(const ArchiveHandle&)>& change) {
    const std::string other = path("changed.safetensors");
    const std::string before = path("before.safetensors"), after = path("after.safetensors");
    {
      const ArchiveHandle from = load(file, TENON_ARCHIVE_IN_MEMORY);
      change(from);
      must(save(from, other));
    }
    must(save_run(before));
    std::string words = refused(load_run(other), TENON_E_DATA);
    must(save_run(after));
    EXPECT_EQ(read(after), read(before));
    return words;
  }

  Dataset digits;
  tests::Loader batches;
  Layer model;
  Optimizer adam;
  Schedule cosine;
  SavedRun run;
};

TEST_F(Checkpoint, ResumesWithTheSameBitsInAnotherProcess) {
  const std::string all = path("whole.safetensors");
  const std::string middle = path("middle.safetensors");
  const std::string resumed = path("resumed.safetensors");
  apart([&] {
    train(40);
    must(save_run(all));
  });
  // In the middle of the second epoch of 15 batches.
  apart([&] {
    train(22);
    must(save_run(middle));
  });
  apart([&] {
    train(3);  // what was there before is gone
    must(load_run(middle));
    EXPECT_EQ(get("step").as.i64, 22);
    train(18);
    must(save_run(resumed));
  });
  EXPECT_FALSE(read(all).empty());
  EXPECT_EQ(read(resumed), read(all));
  EXPECT_NE(read(middle), read(all));
}

// An optimizer that has made steps goes back to a moment when it had made none.
TEST_F(Checkpoint, BeforeTheFirstStep) {
  const std::string first = path("first.safetensors");
  const std::string results[] = {path("one.safetensors"), path("two.safetensors")};
  start();
  must(save_run(first));
  train(5);
  must(save_run(results[0]));
  must(load_run(first));
  train(5);
  must(save_run(results[1]));
  EXPECT_EQ(read(results[0]), read(results[1]));
  finish();
}

// The names and texts that other programs read.
TEST_F(Checkpoint, TheFileSaysWhatIsInIt) {
  start();
  train(2);
  set("note", text("two steps"));
  set("loss", real(0.1));
  set("done", flag(false));
  const std::string file = path("run.safetensors");
  must(save_run(file));
  const ArchiveHandle from = load(file);
  EXPECT_EQ(shape_of(tensor_of(from, "model.weight")), (Shape{kClasses, kPixels}));
  EXPECT_EQ(shape_of(tensor_of(from, "optimizer.0.1.exp_avg")), (Shape{kClasses}));
  EXPECT_EQ(text_of(from, "optimizer.0.lr"), "0.01");
  EXPECT_EQ(text_of(from, "loader.seed"), "11");
  EXPECT_EQ(text_of(from, "loader.epoch"), "0");
  EXPECT_EQ(text_of(from, "loader.position"), "200");
  EXPECT_EQ(text_of(from, "schedule.step"), "0");
  EXPECT_EQ(text_of(from, "rng.seed"), "5");
  EXPECT_EQ(text_of(from, "rng.stream"), "2");
  EXPECT_EQ(text_of(from, "step"), "2");
  EXPECT_EQ(text_of(from, "note"), "two steps");
  EXPECT_EQ(text_of(from, "loss"), "0.1");
  EXPECT_EQ(text_of(from, "done"), "false");
  // And back.
  set("note", text(""));
  set("loss", real(0));
  set("done", flag(true));
  must(load_run(file));
  const tenon_value note = get("note");
  EXPECT_EQ(std::string(note.as.string, note.count), "two steps");
  EXPECT_EQ(get("loss").as.f64, 0.1);
  EXPECT_EQ(get("done").as.i64, 0);
  finish();
}

// A matrix, which every optimizer takes; the states of some are smaller than it.
TEST_F(Checkpoint, EveryOptimizerGoesOnFromAFile) {
  const OptimizerStates all = optimizer_states();
  EXPECT_TRUE(all.contains("tenon.adafactor"));
  const auto steps = [&](const Optimizer& optimizer, const Tensor& param, double from) {
    for (double step = from; step < from + 3; ++step) {
      const Tensor grad = tensor<double>({2, 2}, {step, 1, -2, 0.5 * step});
      must(tenon_tensor_set_grad(context, param.get(), grad.get()));
      must(tenon_optimizer_run(context, optimizer.get(), TENON_OPTIMIZER_CLEAR_GRAD));
    }
  };
  const auto run_of = [&](const Tensor& param, const Optimizer& optimizer) {
    tenon_checkpoint* made = nullptr;
    must(tenon_checkpoint_create(context, &made));
    must(tenon_checkpoint_set_tensor(context, made, "p", TENON_NUL, param.get()));
    must(tenon_checkpoint_set_optimizer(context, made, "o", TENON_NUL, optimizer.get()));
    return SavedRun(made);
  };
  for (const auto& [name, states] : all) {
    SCOPED_TRACE(name);
    const Tensor p = parameter(tensor<double>({2, 2}, {1, -2, 3, -4}));
    const Optimizer first = optimizer(name, {p.get()}, {});
    steps(first, p, 1);
    const std::string file = path(name + ".safetensors");
    run = run_of(p, first);
    must(save_run(file));
    steps(first, p, 4);
    const Tensor q = parameter(tensor<double>({2, 2}, {0, 0, 0, 0}));
    const Optimizer resumed = optimizer(name, {q.get()}, {});
    run = run_of(q, resumed);
    must(load_run(file));
    steps(resumed, q, 4);
    EXPECT_EQ(values_of<double>(q.get()), values_of<double>(p.get()));
  }
  run.reset();
}

TEST_F(Checkpoint, HoldsItsParts) {
  const std::string file = path("held.safetensors");
  start();
  train(2);
  must(save_run(file));
  const std::string before = read(file);
  batches.reset();
  adam.reset();
  cosine.reset();
  model.reset();
  must(save_run(file));
  EXPECT_EQ(read(file), before);
  must(load_run(file));
  finish();
}

TEST_F(Checkpoint, WhatDoesNotFitChangesNothing) {
  start();
  train(2);
  const std::string file = path("run.safetensors");
  must(save_run(file));
  train(3);
  const auto with_text = [&](const char* key, const char* value) {
    return changed(file, [&, key, value](const ArchiveHandle& in) { set_text(in, key, value); });
  };
  const auto with_tensor = [&](const char* name, const Shape& shape) {
    std::vector<float> zeros(1);
    for (const int64_t size : shape) zeros.resize(zeros.size() * static_cast<size_t>(size));
    return changed(
        file, [&](const ArchiveHandle& in) { Files::set(in, name, tensor<float>(shape, zeros)); });
  };
  EXPECT_THAT(with_text("loader.seed", "12"),
              StartsWith("checkpoint: \"loader.seed\" is another one"));
  EXPECT_THAT(
      with_text("loader.seed", "12x"),
      StartsWith("checkpoint: \"loader.seed\" is not a number in the file\n\nloader.seed\na "
                 "seed\n\"12x\"\n"));
  EXPECT_THAT(with_text("loader.position", "100000"),
              StartsWith("checkpoint: \"loader.position\" is out of range"));
  EXPECT_THAT(with_text("loader.epoch", "-1"), HasSubstr("is out of range"));
  EXPECT_THAT(with_text("loader.pool", "4"),
              StartsWith("checkpoint: \"loader.pool\" is another one: the order of the samples "
                         "would be another\n\nloader.pool\n0\n4\n"));
  EXPECT_THAT(with_text("rng.seed", "99999999999999999999"), HasSubstr("is not a number"));
  EXPECT_THAT(with_text("optimizer.0.lr", "fast"), HasSubstr("has another type in the file"));
  EXPECT_THAT(with_text("schedule.step", ""), HasSubstr("is not a number"));
  EXPECT_THAT(with_text("step", "1.5"), HasSubstr("has another type in the file"));
  EXPECT_THAT(with_tensor("model.weight", {kClasses, kPixels + 1}),
              StartsWith("checkpoint: \"model.weight\" has another shape or dtype in the "
                         "file\n\nmodel.weight\nf32[10,64]\nf32[10,65]\n"));
  EXPECT_THAT(with_tensor("model.scale", {2}),
              StartsWith("checkpoint: \"model.scale\" is in the file, and nowhere here"));
  EXPECT_THAT(with_tensor("optimizer.0.2.exp_avg", {2}), HasSubstr("nowhere here"));
  EXPECT_THAT(with_tensor("optimizer.0.1.exp_avg", {2}), HasSubstr("another shape or dtype"));
  // What another run has is not there.
  const tenon_value extra = whole(3);
  must(tenon_checkpoint_set_value(context, run.get(), "extra", TENON_NUL, &extra));
  EXPECT_THAT(refused(load_run(file), TENON_E_DATA),
              StartsWith("checkpoint: \"extra\" is not in the file"));
  // A rate that the optimizer does not take.
  const std::string other = path("rate.safetensors");
  {
    const ArchiveHandle in = load(file, TENON_ARCHIVE_IN_MEMORY);
    set_text(in, "optimizer.0.lr", "-1");
    set_text(in, "extra", "3");
    must(save(in, other));
  }
  EXPECT_THAT(refused(load_run(other), TENON_E_ATTRIBUTE), HasSubstr("\"lr\" is out of range"));
  finish();
}

TEST_F(Checkpoint, Names) {
  start();
  const auto set_named = [&](std::string_view name) {
    const tenon_value value = whole(1);
    return refused(tenon_checkpoint_set_value(context, run.get(), name.data(), name.size(), &value),
                   TENON_E_ARGUMENT);
  };
  EXPECT_THAT(set_named(""), StartsWith("checkpoint: the name is empty"));
  EXPECT_THAT(set_named("\xff"), StartsWith("checkpoint: the name is not UTF-8"));
  EXPECT_THAT(set_named("rng"), StartsWith("checkpoint: the name is that of the random numbers"));
  EXPECT_THAT(set_named("rng.seed"), HasSubstr("that of the random numbers"));
  EXPECT_THAT(set_named("model.weight"), HasSubstr("in conflict with that of another part"));
  EXPECT_THAT(set_named("optimizer"), HasSubstr("\"optimizer.0\""));
  tenon_value list{TENON_VALUE_INT_LIST, 0, {}};
  EXPECT_THAT(refused(tenon_checkpoint_set_value(context, run.get(), "x", TENON_NUL, &list),
                      TENON_E_ARGUMENT),
              StartsWith("checkpoint: a value has a type that it cannot hold"));
  tenon_value null{TENON_VALUE_STRING, 3, {}};
  EXPECT_THAT(refused(tenon_checkpoint_set_value(context, run.get(), "x", TENON_NUL, &null),
                      TENON_E_ARGUMENT),
              HasSubstr("a NULL string"));
  tenon_value out{};
  EXPECT_THAT(refused(tenon_checkpoint_get_value(context, run.get(), "model", TENON_NUL, &out),
                      TENON_E_NOT_FOUND),
              StartsWith("checkpoint: there is no value \"model\"\n\nname\none of: step\nmodel\n"));
  EXPECT_EQ(tenon_checkpoint_set_layer(context, run.get(), "l", TENON_NUL, nullptr),
            TENON_E_HANDLE);
  EXPECT_EQ(tenon_checkpoint_save(context, nullptr, "x", TENON_NUL), TENON_E_HANDLE);
  EXPECT_EQ(tenon_checkpoint_load(context, run.get(), "x.safetensors", TENON_NUL, 2, nullptr),
            TENON_E_ARGUMENT);
  EXPECT_EQ(tenon_checkpoint_save(context, run.get(), "", 0), TENON_E_ARGUMENT);
  // Of any name.
  const std::string file = path("run.checkpoint");
  must(save_run(file));
  must(load_run(file));
  finish();
}

TEST_F(Checkpoint, WithoutAFile) {
  start();
  const std::string none = path("none.safetensors");
  uint32_t loaded = 7;
  must(load_run(none, TENON_CHECKPOINT_IF_THERE, &loaded));
  EXPECT_EQ(loaded, 0U);
  EXPECT_THAT(refused(load_run(none), TENON_E_IO), HasSubstr(none));
  must(save_run(none));
  must(load_run(none, TENON_CHECKPOINT_IF_THERE, &loaded));
  EXPECT_EQ(loaded, 1U);
  finish();
}

// Killed at any moment while it saves again and again, a run leaves a file that loads.
TEST_F(Checkpoint, KilledWhileSaving) {
  const std::string file = path("killed.safetensors");
  for (const int delay : {0, 1, 3, 8, 20}) {
    const pid_t child = fork();
    if (child == 0) {
      start();
      must(save_run(file));
      for (;;) {
        train(1);
        must(save_run(file));
      }
    }
    for (int waits = 0; access(file.c_str(), F_OK) != 0 && waits < 2000; ++waits) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(delay));
    kill(child, SIGKILL);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    apart([&] { must(load_run(file)); });
  }
}

TEST_F(Checkpoint, LayersAlone) {
  const std::string file = path("layer.safetensors");
  const Layer from = linear(3, 2), to = linear(3, 2), larger = linear(4, 2);
  must(tenon_layer_save(context, from.get(), file.data(), file.size()));
  const auto weight = [&](const Layer& layer) {
    tenon_tensor* found = nullptr;
    must(tenon_layer_find_tensor(context, layer.get(), "weight", TENON_NUL, &found));
    return values_of<float>(found);
  };
  EXPECT_NE(weight(to), weight(from));
  must(tenon_layer_load(context, to.get(), file.data(), file.size()));
  EXPECT_EQ(weight(to), weight(from));
  const std::vector<float> before = weight(larger);
  EXPECT_THAT(
      refused(tenon_layer_load(context, larger.get(), file.data(), file.size()), TENON_E_DATA),
      StartsWith("checkpoint: \"weight\" has another shape or dtype"));
  EXPECT_EQ(weight(larger), before);
  // A file with more than the layer has.
  {
    const ArchiveHandle in = load(file, TENON_ARCHIVE_IN_MEMORY);
    Files::set(in, "scale", tensor<float>({1}, {1}));
    must(save(in, file));
  }
  EXPECT_THAT(refused(tenon_layer_load(context, to.get(), file.data(), file.size()), TENON_E_DATA),
              StartsWith("checkpoint: \"scale\" is in the file, and nowhere here"));
}

// One whose gradient was turned off is frozen.
TEST_F(Checkpoint, AnOptimizerForALayerLeavesOutWhatIsFrozen) {
  const Layer layer = linear(3, 2);
  tenon_tensor* bias = nullptr;
  must(tenon_layer_find_tensor(context, layer.get(), "bias", TENON_NUL, &bias));
  must(tenon_tensor_set_requires_grad(context, bias, 0));
  const Optimizer sgd = optimizer_for("tenon.sgd", layer, 0.1);
  tenon_tensor* state = nullptr;
  must(tenon_optimizer_get_state(context, sgd.get(), 0, "step", TENON_NUL, &state));
  EXPECT_EQ(tenon_optimizer_get_state(context, sgd.get(), 1, "step", TENON_NUL, &state),
            TENON_E_NOT_FOUND);
}

}  // namespace
}  // namespace tenon::tests
