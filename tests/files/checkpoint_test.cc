// SPDX-License-Identifier: Apache-2.0
// tests/files/checkpoint_test.cc: a run that stops and goes on in another process ends with the
// same bits: parameters, Adam's state, dropout's random numbers, the order of the samples.
#include <sys/wait.h>
#include <tenon/sdk/client/checkpoint.h>
#include <unistd.h>

#include "tests/files/files_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

constexpr int64_t kPixels = 64, kClasses = 10, kBatch = 100;
constexpr const char* kStates[] = {"step", "exp_avg", "exp_avg_sq"};

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
    const Tensor products = call("tenon.matmul", {one(kept.get()), one(w.get())});
    const Tensor logits = call("tenon.add", {one(products.get()), one(b.get())});
    const Tensor loss = call("tenon.softmax_cross_entropy", {one(logits.get()), one(labels)});
    tenon_tensor* root = loss.get();
    must(tenon_backward_run(context, &root, nullptr, 1, 0));
    must(tenon_optimizer_run(context, adam.get(), TENON_OPTIMIZER_CLEAR_GRAD));
  }

  void start() {
    const std::string root = std::string(data_dir()) + "/digits/";
    const std::string images = root + "train-images-idx3-ubyte";
    const std::string labels = root + "train-labels-idx1-ubyte";
    digits = dataset({{"images", text(images)}, {"labels", text(labels)}});
    must(tenon_sdk_loader_create(context, digits.get(), kBatch, 11, TENON_SDK_LOADER_SHUFFLE,
                                 &loader));
    w = parameter(tensor<float>({kPixels, kClasses}, std::vector<float>(kPixels * kClasses)));
    b = parameter(tensor<float>({kClasses}, std::vector<float>(kClasses)));
    adam = optimizer("tenon.adam", {w.get(), b.get()}, {{"lr", real(0.01)}});
    must(tenon_context_set_seed(context, 5, 2));
  }
  void train(int steps) {
    while (steps > 0) {
      tenon_tensor* fields[2] = {};
      int64_t n = 0;
      must(tenon_sdk_loader_next(context, &loader, fields, 2, &n));
      if (n == 0) {
        must(tenon_sdk_loader_begin(&loader, loader.epoch + 1, 0));
        continue;
      }
      const Tensor images(fields[0]);
      const Tensor labels(fields[1]);
      step(images.get(), labels.get());
      --steps;
    }
  }
  void save_all(const std::string& file) {
    const ArchiveHandle made = create();
    set(made, "model.w", w);
    set(made, "model.b", b);
    must(tenon_sdk_checkpoint_set_optimizer(context, made.get(), 0, adam.get(), 2, kStates, 3));
    must(tenon_sdk_checkpoint_set_rng(context, made.get()));
    must(tenon_sdk_checkpoint_set_loader(context, made.get(), &loader));
    must(save(made, file));
  }
  void load_all(const std::string& file) {
    const ArchiveHandle from = load(file);
    must(tenon_sdk_checkpoint_apply_tensor(context, from.get(), "model.w", w.get()));
    must(tenon_sdk_checkpoint_apply_tensor(context, from.get(), "model.b", b.get()));
    must(tenon_sdk_checkpoint_apply_optimizer(context, from.get(), 0, adam.get(), 2, kStates, 3));
    must(tenon_sdk_checkpoint_apply_rng(context, from.get()));
    must(tenon_sdk_checkpoint_apply_loader(context, from.get(), &loader));
  }
  void finish() {
    tenon_sdk_loader_release(&loader);
    adam.reset();
    w.reset();
    b.reset();
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

  Dataset digits;
  tenon_sdk_loader loader{};
  Tensor w, b;
  Optimizer adam;
};

TEST_F(Checkpoint, ResumesWithTheSameBitsInAnotherProcess) {
  const std::string whole = path("whole.safetensors");
  const std::string middle = path("middle.safetensors");
  const std::string resumed = path("resumed.safetensors");
  apart([&] {
    train(40);
    save_all(whole);
  });
  // In the middle of the second epoch of 15 batches.
  apart([&] {
    train(22);
    save_all(middle);
  });
  apart([&] {
    load_all(middle);
    train(18);
    save_all(resumed);
  });
  EXPECT_FALSE(read(whole).empty());
  EXPECT_EQ(read(resumed), read(whole));
  EXPECT_NE(read(middle), read(whole));
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
  for (const auto& [name, states] : all) {
    SCOPED_TRACE(name);
    std::vector<const char*> names;
    for (const std::string& state : states) names.push_back(state.c_str());
    const auto n = static_cast<uint32_t>(names.size());
    const Tensor p = parameter(tensor<double>({2, 2}, {1, -2, 3, -4}));
    const Optimizer whole = optimizer(name, {p.get()}, {});
    steps(whole, p, 1);
    const std::string file = path(name + ".safetensors");
    const ArchiveHandle made = create();
    set(made, "model.p", p);
    must(tenon_sdk_checkpoint_set_optimizer(context, made.get(), 0, whole.get(), 1, names.data(),
                                            n));
    must(save(made, file));
    steps(whole, p, 4);
    const Tensor q = parameter(tensor<double>({2, 2}, {0, 0, 0, 0}));
    const Optimizer resumed = optimizer(name, {q.get()}, {});
    const ArchiveHandle from = load(file);
    must(tenon_sdk_checkpoint_apply_tensor(context, from.get(), "model.p", q.get()));
    must(tenon_sdk_checkpoint_apply_optimizer(context, from.get(), 0, resumed.get(), 1,
                                              names.data(), n));
    steps(resumed, q, 4);
    EXPECT_EQ(values_of<double>(q.get()), values_of<double>(p.get()));
  }
}

TEST_F(Checkpoint, WhatDoesNotFitChangesNothing) {
  start();
  const ArchiveHandle made = create();
  set(made, "w", tensor<float>({2}, {1, 2}));
  set_text(made, "loader.seed", "12x");
  set_text(made, "rng.seed", "99999999999999999999");
  EXPECT_EQ(tenon_sdk_checkpoint_apply_tensor(context, made.get(), "w", b.get()), TENON_E_DATA);
  EXPECT_EQ(tenon_sdk_checkpoint_apply_tensor(context, made.get(), "none", b.get()),
            TENON_E_NOT_FOUND);
  EXPECT_EQ(values_of<float>(b.get()), std::vector<float>(kClasses));
  EXPECT_EQ(tenon_sdk_checkpoint_apply_loader(context, made.get(), &loader), TENON_E_DATA);
  EXPECT_EQ(tenon_sdk_checkpoint_apply_rng(context, made.get()), TENON_E_DATA);
  uint64_t seed = 0;
  must(tenon_context_get_seed(context, &seed, nullptr, nullptr));
  EXPECT_EQ(seed, 5u);
  must(tenon_sdk_checkpoint_set_real(context, made.get(), "lr", 0.1));
  double lr = 0;
  must(tenon_sdk_checkpoint_get_real(context, made.get(), "lr", &lr));
  EXPECT_EQ(lr, 0.1);
  finish();
}

}  // namespace
}  // namespace tenon::tests
