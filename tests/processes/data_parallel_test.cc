// SPDX-License-Identifier: Apache-2.0
// tests/processes/data_parallel_test.cc: a step that several processes share has the bits of one.
#include <tenon/ext/draft/data_parallel.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "tests/processes/processes_support.h"

namespace tenon::tests {
namespace {

constexpr int kShards = 8;
constexpr int kRows = 4;  // samples of a shard
constexpr int kIn = 6;
constexpr int kHidden = 5;
constexpr int kWords = 11;

tenon_value whole(int64_t number) {
  tenon_value value{TENON_VALUE_I64, 0, {}};
  value.as.i64 = number;
  return value;
}
tenon_value real(double number) {
  tenon_value value{TENON_VALUE_F64, 0, {}};
  value.as.f64 = number;
  return value;
}

// What is trained: words are looked up, a layer, dropout, a layer, mean of squares.
struct Model {
  Model(Process& process, const char* optimizer_name, uint64_t salt) : p(process) {
    const auto add = [&](const std::vector<int64_t>& shape, int seed) {
      int count = 1;
      for (const int64_t size : shape) count *= static_cast<int>(size);
      // Only rank 0's are those that count.
      tenon_tensor* made = p.floats(shape, noise(seed + static_cast<int>(salt), count, 0.5F));
      EXPECT_EQ(tenon_tensor_set_requires_grad(p.context, made, 1), TENON_OK);
      params.push_back(made);
    };
    add({kWords, kIn}, 1);
    add({kHidden, kIn}, 2);
    add({kHidden}, 3);
    add({1, kHidden}, 4);
    add({3, 3}, 5);  // is not used
    const tenon_string name = {"lr", 2};
    const tenon_value lr = real(0.05);
    EXPECT_EQ(
        tenon_optimizer_create(p.context, optimizer_name, TENON_NUL, params.data(),
                               static_cast<uint32_t>(params.size()), &name, &lr, 1, &optimizer),
        TENON_OK)
        << p.error().message;
  }
  ~Model() { tenon_optimizer_release(optimizer); }

  tenon_tensor* loss(int step, int shard) {
    std::vector<int64_t> words;
    for (int i = 0; i < kRows; ++i) words.push_back((step * 7 + shard * 3 + i * i) % kWords);
    tenon_tensor* x = p.call("tenon.embedding",
                             {params[0], p.tensor(TENON_DTYPE_I64, {kRows}, words.data())}, {});
    x = p.call("tenon.linear", {x, params[1], params[2]}, {});
    x = p.call("tenon.tanh", {x}, {});
    x = p.call("tenon.dropout", {x}, {real(0.3)});
    x = p.call("tenon.matmul", {x, p.call("tenon.transpose", {params[3]}, {whole(0), whole(1)})},
               {});
    x = p.call("tenon.mul", {x, x}, {});
    return p.call("tenon.mean", {x}, {});
  }

  Process& p;
  std::vector<tenon_tensor*> params;
  tenon_optimizer* optimizer = nullptr;
};

std::string file_of(const std::string& name) {
  return (std::filesystem::temp_directory_path() / ("tenon-parallel-" + name)).string();
}

std::string bits_of(Process& p, const Model& model) {
  std::string bits;
  for (tenon_tensor* param : model.params) {
    const std::vector<float> data = p.read(param);
    bits.append(reinterpret_cast<const char*>(data.data()), data.size() * sizeof(float));
  }
  return bits;
}

// Trains, and writes what the parameters are then.
void train(int n, int rank, const char* optimizer, const std::string& file, int64_t bucket_bytes) {
  Process p;
  tenon_group* group = n == 1 ? nullptr : p.join();
  Model model(p, optimizer, static_cast<uint64_t>(rank) * 100);
  const tenon_data_parallel_options options = {sizeof options, 0, kShards, bucket_bytes,
                                               nullptr,        0, 0};
  tenon_data_parallel* parallel = nullptr;
  ASSERT_EQ(
      tenon_data_parallel_create(p.context, group, model.params.data(),
                                 static_cast<uint32_t>(model.params.size()), &options, &parallel),
      TENON_OK)
      << p.error().message;
  tenon_data_parallel_info info{};
  info.struct_size = sizeof info;
  ASSERT_EQ(tenon_data_parallel_get_info(p.context, parallel, &info), TENON_OK);
  EXPECT_EQ(info.n_shards, kShards / n);
  EXPECT_EQ(info.first_shard, rank * kShards / n);
  for (int step = 0; step < 5; ++step) {
    for (int64_t shard = 0; shard < info.n_shards; ++shard) {
      ASSERT_EQ(tenon_data_parallel_begin(p.context, parallel, shard), TENON_OK)
          << p.error().message;
      tenon_tensor* loss = model.loss(step, static_cast<int>(info.first_shard + shard));
      ASSERT_EQ(tenon_data_parallel_end(p.context, parallel, loss), TENON_OK) << p.error().message;
    }
    tenon_tensor* unused = nullptr;
    ASSERT_EQ(tenon_tensor_get_grad(p.context, model.params[4], &unused), TENON_OK);
    EXPECT_EQ(unused, nullptr);
    tenon_tensor* indices = nullptr;
    tenon_tensor* values = nullptr;
    EXPECT_EQ(tenon_tensor_get_grad_rows(p.context, model.params[0], &indices, &values), TENON_OK)
        << p.error().message;
    ASSERT_EQ(tenon_optimizer_run(p.context, model.optimizer, TENON_OPTIMIZER_CLEAR_GRAD),
              TENON_OK);
  }
  tenon_data_parallel_release(parallel);
  std::ofstream(file + std::to_string(rank), std::ios::binary) << bits_of(p, model);
}

std::string content(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string all{std::istreambuf_iterator<char>(stream), {}};
  std::filesystem::remove(file);
  return all;
}

TEST(DataParallelThreads, SameBitsForAnyNumberOfProcesses) {
  for (const char* optimizer : {"tenon.sgd", "tenon.adamw"}) {
    std::string one;
    for (const int n : {1, 2, 4, 8}) {
      const std::string file = file_of(std::to_string(getpid()) + "-");
      in_processes(n, [&](int rank) { train(n, rank, optimizer, file, n == 4 ? 1 : 64); });
      for (int rank = 0; rank < n; ++rank) {
        const std::string bits = content(file + std::to_string(rank));
        EXPECT_EQ(bits.size(), sizeof(float) * (kWords * kIn + kHidden * kIn + 2 * kHidden + 9));
        if (one.empty()) one = bits;
        EXPECT_TRUE(bits == one) << optimizer << ", rank " << rank << " of " << n;
      }
    }
  }
}

// What a test of one layer varies.
struct Way {
  bool captured = false;
  bool draws = false;  // dropout
};

// One layer, of data that is put into the same tensors before each step.
struct Layer {
  static constexpr int64_t kParts = 4;  // shards

  Layer(int n, int rank, const Way& how)
      : way(how), first(static_cast<size_t>(rank) * kParts / static_cast<size_t>(n)) {
    tenon_group* group = n == 1 ? nullptr : p.join();
    weight = p.floats({6, 5}, noise(3, 30, 0.5F));
    tenon_tensor* params[] = {weight, p.floats({2}, {1, 2})};  // the other one is not used
    for (tenon_tensor* param : params) {
      EXPECT_EQ(tenon_tensor_set_requires_grad(p.context, param, 1), TENON_OK);
    }
    EXPECT_EQ(tenon_optimizer_create(p.context, "tenon.adamw", TENON_NUL, params, 2, nullptr,
                                     nullptr, 0, &optimizer),
              TENON_OK);
    const tenon_data_parallel_options options = {sizeof options, 0, kParts, 1, nullptr, 0, 0};
    EXPECT_EQ(tenon_data_parallel_create(p.context, group, params, 2, &options, &parallel),
              TENON_OK);
    const auto ours = static_cast<size_t>(kParts / n);
    for (size_t i = 0; i < ours; ++i) inputs.push_back(p.floats({4, 6}, std::vector<float>(24)));
  }
  ~Layer() {
    tenon_data_parallel_release(parallel);
    tenon_optimizer_release(optimizer);
  }
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

  void set_data(int step) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const std::vector<float> data = noise(step * 50 + static_cast<int>(first + i), 24, 1.0F);
      ASSERT_EQ(tenon_tensor_set_data(p.context, inputs[i], data.data(), 24 * sizeof(float)),
                TENON_OK);
    }
  }
  tenon_status compute() {
    for (size_t i = 0; i < inputs.size(); ++i) {
      tenon_status status = tenon_data_parallel_begin(p.context, parallel, static_cast<int64_t>(i));
      if (status != TENON_OK) return status;
      tenon_tensor* x = p.call("tenon.tanh", {p.call("tenon.matmul", {inputs[i], weight}, {})}, {});
      if (way.draws) x = p.call("tenon.dropout", {x}, {real(0.5)});
      tenon_tensor* loss = p.call("tenon.mean", {p.call("tenon.mul", {x, x}, {})}, {});
      status = tenon_data_parallel_end(p.context, parallel, loss);
      if (status != TENON_OK) return status;
    }
    return tenon_optimizer_run(p.context, optimizer, TENON_OPTIMIZER_CLEAR_GRAD);
  }
  tenon_status capture(tenon_plan** plan) {
    const tenon_status status =
        tenon_capture_begin(p.context, inputs.data(), static_cast<uint32_t>(inputs.size()));
    if (status != TENON_OK) return status;
    const tenon_status computed = compute();
    return computed == TENON_OK ? tenon_capture_end(p.context, plan) : computed;
  }

  Process p;
  const Way way;
  const size_t first;  // of our shards
  tenon_tensor* weight = nullptr;
  tenon_optimizer* optimizer = nullptr;
  tenon_data_parallel* parallel = nullptr;
  std::vector<tenon_tensor*> inputs;
};

// Captured: the first step is, and the others are runs of the plan.
void train_layer(int n, int rank, const Way& way, const std::string& file) {
  Layer layer(n, rank, way);
  Process& p = layer.p;
  tenon_plan* plan = nullptr;
  for (int step = 0; step < 5; ++step) {
    layer.set_data(step);
    if (!way.captured) {
      ASSERT_EQ(layer.compute(), TENON_OK) << p.error().message;
    } else if (!plan) {
      ASSERT_EQ(layer.capture(&plan), TENON_OK) << p.error().message;
    } else {
      ASSERT_EQ(tenon_plan_run(p.context, plan), TENON_OK) << p.error().message;
    }
  }
  const std::vector<float> end = p.read(layer.weight);
  std::ofstream(file + std::to_string(rank), std::ios::binary)
      .write(reinterpret_cast<const char*>(end.data()),
             static_cast<std::streamsize>(end.size() * sizeof(float)));
  tenon_plan_release(plan);
}

// Expects `bits`, unless it is empty, and gives those that there are.
void expect_bits(const Way& way, std::string& bits) {
  for (const int n : {1, 2, 4}) {
    const std::string file = file_of(std::to_string(getpid()) + "-layer-");
    in_processes(n, [&](int rank) { train_layer(n, rank, way, file); });
    for (int rank = 0; rank < n; ++rank) {
      const std::string found = content(file + std::to_string(rank));
      EXPECT_EQ(found.size(), 30 * sizeof(float));
      if (bits.empty()) bits = found;
      EXPECT_TRUE(found == bits) << (way.captured ? "captured, rank " : "rank ") << rank << " of "
                                 << n;
    }
  }
}

TEST(DataParallel, CapturedStepsHaveTheSameBits) {
  std::string bits;
  expect_bits({}, bits);
  expect_bits({.captured = true}, bits);
}

// They are drawn for shards, whichever process does it, and anew in each run.
TEST(DataParallel, CapturedStepsDrawForShards) {
  std::string without;
  expect_bits({.captured = true}, without);
  std::string bits;
  expect_bits({.captured = true, .draws = true}, bits);
  EXPECT_FALSE(bits == without);
}

TEST(DataParallel, CapturedStepsDrawAnewInEachRun) {
  Layer layer(1, 0, {.captured = true, .draws = true});
  Process& p = layer.p;
  layer.set_data(0);
  uint64_t counters[3] = {};
  tenon_plan* plan = nullptr;
  ASSERT_EQ(tenon_context_get_seed(p.context, nullptr, nullptr, &counters[0]), TENON_OK);
  ASSERT_EQ(layer.capture(&plan), TENON_OK) << p.error().message;
  ASSERT_EQ(tenon_context_get_seed(p.context, nullptr, nullptr, &counters[1]), TENON_OK);
  ASSERT_EQ(tenon_plan_run(p.context, plan), TENON_OK) << p.error().message;
  ASSERT_EQ(tenon_context_get_seed(p.context, nullptr, nullptr, &counters[2]), TENON_OK);
  EXPECT_GT(counters[1], counters[0]);
  EXPECT_EQ(counters[2] - counters[1], counters[1] - counters[0]);
  tenon_plan_release(plan);
}

TEST(DataParallel, CapturedStepsThatDrawNeedOneSeed) {
  in_processes(2, [](int rank) {
    Layer layer(2, rank, {.captured = true, .draws = true});
    Process& p = layer.p;
    layer.set_data(0);
    ASSERT_EQ(tenon_context_set_seed(p.context, 7, 0), TENON_OK);
    ASSERT_EQ(tenon_context_set_counter(p.context, rank == 0 ? 0 : 12), TENON_OK);
    tenon_plan* plan = nullptr;
    EXPECT_EQ(layer.capture(&plan), TENON_E_PEER);
    EXPECT_STREQ(p.error().expected, rank == 0 ? "seed 7, counter 0" : "seed 7, counter 12");
    EXPECT_STREQ(p.error().found, rank == 0 ? "seed 7, counter 12" : "seed 7, counter 0");
  });
}

// Gradients flow through the ops: each process has a part of one loss.
TEST(DataParallel, OpsHaveGradients) {
  in_processes(3, [](int rank) {
    Process p;
    tenon_group* group = p.join();
    const tenon_value number = whole(p.number(group));
    tenon_tensor* x = p.floats({2}, {static_cast<float>(rank + 1), 2});
    ASSERT_EQ(tenon_tensor_set_requires_grad(p.context, x, 1), TENON_OK);
    const auto gradient = [&](const char* op, const std::vector<tenon_value>& attrs, float weight) {
      tenon_tensor* y = p.call(op, {x}, attrs);
      tenon_tensor* scaled = p.call("tenon.mul", {y, p.floats({}, {weight})}, {});
      tenon_tensor* loss = p.call("tenon.sum", {scaled}, {});
      EXPECT_EQ(tenon_backward_run(p.context, &loss, nullptr, 1, 0), TENON_OK) << p.error().message;
      tenon_tensor* grad = nullptr;
      EXPECT_EQ(tenon_tensor_get_grad(p.context, x, &grad), TENON_OK);
      std::vector<float> found = p.read(grad);
      EXPECT_EQ(tenon_tensor_set_grad(p.context, x, nullptr), TENON_OK);
      return found;
    };
    const auto mine = static_cast<float>(rank + 1);
    using Floats = std::vector<float>;
    // The weights of all processes' losses add up: 1 + 2 + 3.
    EXPECT_EQ(gradient("tenon.all_reduce_sum", {number}, mine), Floats({6, 6}));
    EXPECT_EQ(gradient("tenon.all_gather", {number}, mine), Floats({6, 6}));
    tenon_value mean{TENON_VALUE_STRING, 4, {}};
    mean.as.string = "mean";
    EXPECT_EQ(gradient("tenon.all_reduce", {number, mean}, mine), Floats({2, 2}));
    // Only the last process has 3; the second elements are equal, and share the gradient.
    tenon_value max{TENON_VALUE_STRING, 3, {}};
    max.as.string = "max";
    const Floats top = gradient("tenon.all_reduce", {number, max}, mine);
    EXPECT_EQ(top[0], rank == 2 ? 6 : 0);
    EXPECT_EQ(gradient("tenon.broadcast", {number, whole(1)}, mine),
              rank == 1 ? Floats({6, 6}) : Floats({0, 0}));
  });
}

}  // namespace
}  // namespace tenon::tests
