// SPDX-License-Identifier: Apache-2.0
// tests/processes/shared_states_test.cc: an optimizer whose states several processes share gives
// the bits of one process, holds its share alone, is saved whole, and fails in all of them.
#include <tenon/ext/draft/checks.h>
#include <tenon/ext/draft/data_parallel.h>
#include <tenon/ext/draft/training.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "tests/processes/processes_support.h"

namespace tenon::tests {
namespace {

constexpr int kShards = 8;
constexpr int kSteps = 4;

// A table that is looked up, two layers, and what is not used.
class Training {
 public:
  Training(int n, const char* optimizer_name, int64_t bucket_bytes = 80) {
    group_ = n == 1 ? nullptr : p.join();
    add({7, 6}, 1);
    add({5, 6}, 2);
    add({5}, 3);
    add({3}, 4);  // is not used
    const tenon_string name = {"lr", 2};
    tenon_value lr{TENON_VALUE_F64, 0, {}};
    lr.as.f64 = 0.05;
    EXPECT_EQ(tenon_optimizer_create(p.context, optimizer_name, TENON_NUL, params.data(), count(),
                                     &name, &lr, 1, &optimizer),
              TENON_OK)
        << p.error().message;
    const tenon_data_parallel_options options = {sizeof options, 0, kShards, bucket_bytes,
                                                 nullptr,        0, 0};
    EXPECT_EQ(
        tenon_data_parallel_create(p.context, group_, params.data(), count(), &options, &parallel),
        TENON_OK)
        << p.error().message;
    info.struct_size = sizeof info;
    EXPECT_EQ(tenon_data_parallel_get_info(p.context, parallel, &info), TENON_OK);
  }
  ~Training() {
    tenon_data_parallel_release(parallel);
    tenon_optimizer_release(optimizer);
  }
  Training(const Training&) = delete;
  Training& operator=(const Training&) = delete;

  uint32_t count() const { return static_cast<uint32_t>(params.size()); }

  void share() {
    ASSERT_EQ(tenon_data_parallel_share_states(p.context, parallel, optimizer), TENON_OK)
        << p.error().message;
  }
  void gradients(int step) {
    for (int64_t i = 0; i < info.n_shards; ++i) {
      ASSERT_EQ(tenon_data_parallel_begin(p.context, parallel, i), TENON_OK) << p.error().message;
      const int shard = static_cast<int>(info.first_shard + i);
      std::vector<int64_t> rows;
      for (int k = 0; k < 4; ++k) rows.push_back((step * 5 + shard * 3 + k * k) % 7);
      tenon_tensor* x =
          p.call("tenon.embedding", {params[0], p.tensor(TENON_DTYPE_I64, {4}, rows.data())}, {});
      x = p.call("tenon.tanh", {p.call("tenon.linear", {x, params[1], params[2]}, {})}, {});
      tenon_tensor* loss = p.call("tenon.mean", {p.call("tenon.mul", {x, x}, {})}, {});
      ASSERT_EQ(tenon_data_parallel_end(p.context, parallel, loss), TENON_OK) << p.error().message;
    }
  }
  // One step; gradients are clipped in every other one.
  void step(int number) {
    gradients(number);
    if (number % 2 == 1) {
      double norm = 0;
      ASSERT_EQ(tenon_data_parallel_clip(p.context, parallel, 1e-3, &norm), TENON_OK);
      EXPECT_GT(norm, 1e-3);
      norms.append(reinterpret_cast<const char*>(&norm), sizeof norm);
    }
    ASSERT_EQ(tenon_optimizer_run(p.context, optimizer, TENON_OPTIMIZER_CLEAR_GRAD), TENON_OK)
        << p.error().message;
  }

  std::string bits() {
    std::string bits = norms;
    for (tenon_tensor* param : params) append(bits, param);
    return bits;
  }
  // "" if the state is not there.
  std::string state(uint32_t param, const char* name) {
    tenon_tensor* found = nullptr;
    EXPECT_EQ(tenon_optimizer_get_state(p.context, optimizer, param, name, TENON_NUL, &found),
              TENON_OK)
        << p.error().message;
    std::string bits;
    if (found) append(bits, found);
    return bits;
  }
  std::string states() {
    std::string bits;
    for (uint32_t i = 0; i < count(); ++i) {
      bits += state(i, "exp_avg") + state(i, "exp_avg_sq");
      EXPECT_EQ(state(i, "step").empty(), i == 3);
    }
    return bits;
  }

  Process p;
  std::vector<tenon_tensor*> params;
  tenon_optimizer* optimizer = nullptr;
  tenon_data_parallel* parallel = nullptr;
  tenon_data_parallel_info info{};
  std::string norms;

 private:
  void add(const std::vector<int64_t>& shape, int seed) {
    int64_t elements = 1;
    for (const int64_t size : shape) elements *= size;
    tenon_tensor* made = p.floats(shape, noise(seed, elements, 0.5F));
    EXPECT_EQ(tenon_tensor_set_requires_grad(p.context, made, 1), TENON_OK);
    params.push_back(made);
  }
  void append(std::string& bits, tenon_tensor* tensor) {
    tenon_view of{};
    EXPECT_EQ(tenon_tensor_get_view(p.context, tensor, &of), TENON_OK);
    size_t bytes = of.dtype == TENON_DTYPE_I64 ? 8 : 4;
    for (int32_t i = 0; i < of.rank; ++i) bytes *= static_cast<size_t>(of.shape[i]);
    std::string data(bytes, 0);
    EXPECT_EQ(tenon_tensor_get_data(p.context, tensor, data.data(), data.size()), TENON_OK);
    bits += data;
  }

  tenon_group* group_ = nullptr;
};

std::string file_of(int rank) {
  return (std::filesystem::temp_directory_path() /
          ("tenon-shares-" + std::to_string(getppid()) + "-" + std::to_string(rank)))
      .string();
}

void write(int rank, const std::string& bits) {
  std::ofstream(file_of(rank), std::ios::binary) << bits;
}

// What each of n processes has written, which is the same.
std::string common(int n) {
  std::string all;
  for (int rank = 0; rank < n; ++rank) {
    const std::string file =
        std::filesystem::temp_directory_path() /
        ("tenon-shares-" + std::to_string(getpid()) + "-" + std::to_string(rank));
    std::ifstream stream(file, std::ios::binary);
    const std::string bits{std::istreambuf_iterator<char>(stream), {}};
    std::filesystem::remove(file);
    EXPECT_FALSE(bits.empty());
    if (rank == 0) all = bits;
    EXPECT_TRUE(bits == all) << "rank " << rank << " of " << n;
  }
  return all;
}

TEST(SharedStates, HaveTheBitsOfOneProcess) {
  for (const char* optimizer : {"tenon.sgd", "tenon.adamw"}) {
    std::string one;
    for (const bool shared : {false, true}) {
      for (const int n : {1, 2, 4, 8}) {
        in_processes(n, [&](int rank) {
          Training t(n, optimizer, n == 4 ? 1 : 80);
          if (shared) t.share();
          for (int step = 0; step < kSteps; ++step) t.step(step);
          write(rank, t.bits());
        });
        const std::string bits = common(n);
        if (one.empty()) one = bits;
        EXPECT_TRUE(bits == one) << optimizer << (shared ? ", shared, " : ", whole, ") << n;
      }
    }
  }
}

// Saved by one of four, and gone on with by two: as one process does it.
TEST(SharedStates, AreSavedWholeAndGoneOnWithByOthers) {
  const std::string saved =
      std::filesystem::temp_directory_path() / ("tenon-saved-" + std::to_string(getpid()));
  std::string expected;
  in_processes(1, [&](int rank) {
    Training t(1, "tenon.adamw");
    for (int step = 0; step < 2; ++step) t.step(step);
    const std::string states = t.states();
    for (int step = 2; step < kSteps; ++step) t.step(step);
    write(rank, states + t.bits().substr(t.norms.size()));
  });
  expected = common(1);
  in_processes(4, [&](int rank) {
    Training t(4, "tenon.adamw");
    t.share();
    for (int step = 0; step < 2; ++step) t.step(step);
    tenon_tensor* unread = nullptr;
    ASSERT_EQ(tenon_optimizer_get_state(t.p.context, t.optimizer, 1, "exp_avg", TENON_NUL, &unread),
              TENON_E_STATE);
    EXPECT_NE(std::string(t.p.error().hint).find("gather_states"), std::string::npos);
    ASSERT_EQ(tenon_data_parallel_gather_states(t.p.context, t.parallel, 2), TENON_OK)
        << t.p.error().message;
    if (rank == 2) std::ofstream(saved, std::ios::binary) << t.states();
    // The next step drops them.
    t.step(2);
    ASSERT_EQ(tenon_optimizer_get_state(t.p.context, t.optimizer, 1, "exp_avg", TENON_NUL, &unread),
              TENON_E_STATE);
  });
  std::ifstream stream(saved, std::ios::binary);
  const std::string states{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_TRUE(states == expected.substr(0, states.size()));
  std::filesystem::remove(saved);
}

// States that are set, before a step or after one, are cut.
TEST(SharedStates, AreSetWhole) {
  for (const bool late : {false, true}) {
    std::string one;
    for (const int n : {1, 2, 4}) {
      in_processes(n, [&](int rank) {
        Training t(n, "tenon.adamw");
        t.share();
        if (late) t.step(0);
        for (uint32_t i = 0; i < 3; ++i) {
          const std::vector<int64_t> shape = i == 0   ? std::vector<int64_t>{7, 6}
                                             : i == 1 ? std::vector<int64_t>{5, 6}
                                                      : std::vector<int64_t>{5};
          const int64_t count = i == 0 ? 42 : i == 1 ? 30 : 5;
          std::vector<float> squares = noise(40, count, 0.5F);
          for (float& each : squares) each = each * each;
          const int64_t seven = 7;
          const std::pair<const char*, tenon_tensor*> given[] = {
              {"exp_avg", t.p.floats(shape, noise(30, count, 0.5F))},
              {"exp_avg_sq", t.p.floats(shape, squares)},
              {"step", t.p.tensor(TENON_DTYPE_I64, {}, &seven)}};
          for (const auto& [name, values] : given) {
            ASSERT_EQ(
                tenon_optimizer_set_state(t.p.context, t.optimizer, i, name, TENON_NUL, values),
                TENON_OK)
                << t.p.error().message;
          }
        }
        for (int step = 1; step < kSteps; ++step) t.step(step);
        write(rank, t.bits());
      });
      const std::string bits = common(n);
      if (one.empty()) one = bits;
      EXPECT_TRUE(bits == one) << n << (late ? ", late" : "");
    }
  }
}

// Adam holds two numbers for each of a million: a process of four has a quarter of them.
TEST(SharedStates, AreAShareOfAll) {
  constexpr int64_t kSize = int64_t{1} << 20;
  const auto live = [](Process& p, tenon_group* group) {
    // What transfers before it have held is released then.
    EXPECT_EQ(p.move(group, TENON_COLLECTIVE_BARRIER, nullptr, nullptr), TENON_OK);
    tenon_stats stats{};
    stats.struct_size = sizeof stats;
    EXPECT_EQ(tenon_runtime_get_stats(p.context, &stats), TENON_OK);
    return static_cast<int64_t>(stats.bytes_live);
  };
  in_processes(4, [&](int) {
    Process p;
    tenon_group* group = p.join();
    tenon_tensor* param = p.floats({kSize}, std::vector<float>(kSize));
    ASSERT_EQ(tenon_tensor_set_requires_grad(p.context, param, 1), TENON_OK);
    tenon_optimizer* optimizer = nullptr;
    ASSERT_EQ(tenon_optimizer_create(p.context, "tenon.adamw", TENON_NUL, &param, 1, nullptr,
                                     nullptr, 0, &optimizer),
              TENON_OK);
    tenon_data_parallel* parallel = nullptr;
    ASSERT_EQ(tenon_data_parallel_create(p.context, group, &param, 1, nullptr, &parallel),
              TENON_OK);
    ASSERT_EQ(tenon_data_parallel_share_states(p.context, parallel, optimizer), TENON_OK);
    ASSERT_EQ(tenon_data_parallel_begin(p.context, parallel, 0), TENON_OK);
    tenon_tensor* loss = nullptr;
    const tenon_op* sum = nullptr;
    ASSERT_EQ(tenon_op_find(p.context, "tenon.sum", TENON_NUL, 0, &sum), TENON_OK);
    tenon_value of{TENON_VALUE_TENSOR, 0, {}};
    of.as.tensor = param;
    ASSERT_EQ(tenon_op_call(p.context, sum, &of, 1, nullptr, 0, &loss, 1), TENON_OK);
    ASSERT_EQ(tenon_data_parallel_end(p.context, parallel, loss), TENON_OK);
    tenon_tensor_release(loss);
    const int64_t before = live(p, group);
    ASSERT_EQ(tenon_optimizer_run(p.context, optimizer, TENON_OPTIMIZER_CLEAR_GRAD), TENON_OK);
    const int64_t held = live(p, group) - before;
    EXPECT_GE(held, 2 * 4 * kSize / 4);
    EXPECT_LE(held, 2 * 4 * kSize / 4 + 4096);
    tenon_data_parallel_release(parallel);
    tenon_optimizer_release(optimizer);
  });
}

// Not a number in one process's share: its step fails, and all hear of it.
TEST(SharedStates, AStepThatFailsInOneProcessFailsInAll) {
  in_processes(2, [](int rank) {
    Training t(2, "tenon.adamw");
    t.share();
    t.step(0);
    t.gradients(1);
    if (rank == 1) {
      ASSERT_EQ(tenon_check_begin(t.p.context, TENON_CHECK_FINITE), TENON_OK);
      const float nan = std::nanf("");
      tenon_tensor* all = t.p.floats({5, 6}, std::vector<float>(30, nan));
      ASSERT_EQ(tenon_optimizer_set_state(t.p.context, t.optimizer, 1, "exp_avg", TENON_NUL, all),
                TENON_OK);
    }
    const tenon_status status =
        tenon_optimizer_run(t.p.context, t.optimizer, TENON_OPTIMIZER_CLEAR_GRAD);
    EXPECT_EQ(status, rank == 1 ? TENON_E_CHECK : TENON_E_PEER) << t.p.error().message;
    if (rank == 0) {
      EXPECT_NE(std::string(t.p.error().message).find("rank 1"), std::string::npos);
    }
    // The group goes on.
    EXPECT_EQ(rank == 1 ? tenon_check_end(t.p.context) : TENON_OK, TENON_OK);
    for (tenon_tensor* param : t.params) {
      ASSERT_EQ(tenon_tensor_set_grad(t.p.context, param, nullptr), TENON_OK);
    }
    t.gradients(2);
  });
}

TEST(SharedStates, WhatCannotBeSharedIsRefused) {
  in_processes(2, [](int) {
    Training t(2, "tenon.lamb");
    ASSERT_EQ(tenon_data_parallel_share_states(t.p.context, t.parallel, t.optimizer),
              TENON_E_UNSUPPORTED);
    EXPECT_NE(std::string(t.p.error().message).find("tenon.lamb"), std::string::npos);
    const auto refused = [&](tenon_tensor* param, tenon_status expected) {
      ASSERT_EQ(tenon_tensor_set_requires_grad(t.p.context, param, 1), TENON_OK);
      tenon_optimizer* made = nullptr;
      ASSERT_EQ(tenon_optimizer_create(t.p.context, "tenon.sgd", TENON_NUL, &param, 1, nullptr,
                                       nullptr, 0, &made),
                TENON_OK);
      EXPECT_EQ(tenon_data_parallel_share_states(t.p.context, t.parallel, made), expected);
      tenon_optimizer_release(made);
    };
    refused(t.p.floats({2}, {1, 2}), TENON_E_ARGUMENT);
    // Shared once, between two steps; then neither again, nor in a capture.
    tenon_optimizer* made = nullptr;
    ASSERT_EQ(tenon_optimizer_create(t.p.context, "tenon.sgd", TENON_NUL, &t.params[1], 1, nullptr,
                                     nullptr, 0, &made),
              TENON_OK);
    ASSERT_EQ(tenon_data_parallel_begin(t.p.context, t.parallel, 0), TENON_OK);
    EXPECT_EQ(tenon_data_parallel_share_states(t.p.context, t.parallel, made), TENON_E_STATE);
    EXPECT_EQ(tenon_data_parallel_clip(t.p.context, t.parallel, 1, nullptr), TENON_E_STATE);
    EXPECT_EQ(tenon_data_parallel_end(t.p.context, t.parallel, t.params[1]), TENON_E_GRAD);
    ASSERT_EQ(tenon_data_parallel_share_states(t.p.context, t.parallel, made), TENON_OK);
    for (const int32_t rank : {-1, 2}) {
      EXPECT_EQ(tenon_data_parallel_gather_states(t.p.context, t.parallel, rank), TENON_E_ARGUMENT);
    }
    EXPECT_EQ(tenon_data_parallel_share_states(t.p.context, t.parallel, made), TENON_E_STATE);
    ASSERT_EQ(tenon_capture_begin(t.p.context, nullptr, 0), TENON_OK);
    EXPECT_EQ(tenon_data_parallel_begin(t.p.context, t.parallel, 0), TENON_E_CAPTURE);
    EXPECT_EQ(tenon_optimizer_run(t.p.context, made, 0), TENON_E_CAPTURE);
    EXPECT_EQ(tenon_data_parallel_gather_states(t.p.context, t.parallel, 0), TENON_E_CAPTURE);
    EXPECT_EQ(tenon_data_parallel_clip(t.p.context, t.parallel, 1, nullptr), TENON_E_CAPTURE);
    tenon_plan* plan = nullptr;
    ASSERT_EQ(tenon_capture_end(t.p.context, &plan), TENON_OK);
    tenon_plan_release(plan);
    tenon_optimizer_release(made);
  });
}

// It would go on with the whole states that it was captured with.
TEST(SharedStates, PlansOfBeforeAreRefused) {
  in_processes(2, [](int) {
    Training t(2, "tenon.adam");
    tenon_plan* plan = nullptr;
    ASSERT_EQ(tenon_capture_begin(t.p.context, nullptr, 0), TENON_OK);
    t.step(0);
    ASSERT_EQ(tenon_capture_end(t.p.context, &plan), TENON_OK) << t.p.error().message;
    ASSERT_EQ(tenon_plan_run(t.p.context, plan), TENON_OK) << t.p.error().message;
    t.share();
    const std::string before = t.bits();
    EXPECT_EQ(tenon_plan_run(t.p.context, plan), TENON_E_STATE);
    EXPECT_STREQ(t.p.error().message,
                 "the plan was captured with sharing of the states of tenon.adam by processes = "
                 "false, which is true now");
    EXPECT_TRUE(t.bits() == before);
    tenon_plan_release(plan);
  });
}

// By columns: what is not row-major has no parts.
TEST(SharedStates, AParameterThatIsNotRowMajorIsRefused) {
  in_processes(2, [](int) {
    Process p;
    tenon_group* group = p.join();
    tenon_tensor* base = p.floats({4, 3}, std::vector<float>(12));
    const int64_t shape[] = {3, 4};
    const int64_t strides[] = {1, 3};
    tenon_tensor* param = nullptr;
    ASSERT_EQ(tenon_tensor_create_view(p.context, base, 2, shape, strides, 0, &param), TENON_OK);
    p.keep(param);
    ASSERT_EQ(tenon_tensor_set_requires_grad(p.context, param, 1), TENON_OK);
    tenon_optimizer* optimizer = nullptr;
    ASSERT_EQ(tenon_optimizer_create(p.context, "tenon.sgd", TENON_NUL, &param, 1, nullptr, nullptr,
                                     0, &optimizer),
              TENON_OK);
    tenon_data_parallel* parallel = nullptr;
    ASSERT_EQ(tenon_data_parallel_create(p.context, group, &param, 1, nullptr, &parallel),
              TENON_OK);
    EXPECT_EQ(tenon_data_parallel_share_states(p.context, parallel, optimizer), TENON_E_LAYOUT);
    tenon_data_parallel_release(parallel);
    tenon_optimizer_release(optimizer);
  });
}

// Against the sum in twice the precision, of numbers that f32 cannot add.
TEST(SharedStates, TheNormIsExact) {
  in_processes(1, [](int) {
    Process p;
    const std::vector<float> numbers = {1e20F, 1.0F, -1e-20F, 3e-30F, 1e19F, 0.0F, -7.0F, 1e-38F};
    tenon_tensor* param = p.floats({8}, numbers);
    ASSERT_EQ(tenon_tensor_set_requires_grad(p.context, param, 1), TENON_OK);
    tenon_data_parallel* parallel = nullptr;
    ASSERT_EQ(tenon_data_parallel_create(p.context, nullptr, &param, 1, nullptr, &parallel),
              TENON_OK);
    const auto norm_of = [&](const std::vector<float>& grad) {
      EXPECT_EQ(tenon_tensor_set_grad(p.context, param, p.floats({8}, grad)), TENON_OK);
      double norm = 0;
      EXPECT_EQ(tenon_data_parallel_clip(p.context, parallel, 1e-3, &norm), TENON_OK);
      return norm;
    };
    const double large = 1e20F;
    const double less = 1e19F;
    EXPECT_DOUBLE_EQ(norm_of(numbers), std::sqrt(large * large + less * less));
    tenon_tensor* grad = nullptr;
    ASSERT_EQ(tenon_tensor_get_grad(p.context, param, &grad), TENON_OK);
    EXPECT_NEAR(p.read(grad)[0], 1e-3 / std::sqrt(1.01), 1e-8);
    EXPECT_DOUBLE_EQ(norm_of({3, 4, 0, 0, 0, 0, 0, 0}), 5);
    EXPECT_EQ(norm_of(std::vector<float>(8)), 0);
    // The smallest there is, whose square f64 has.
    EXPECT_DOUBLE_EQ(norm_of({1e-45F, 0, 0, 0, 0, 0, 0, 0}), static_cast<double>(1e-45F));
    EXPECT_TRUE(std::isnan(norm_of({1, 2, NAN, 0, 0, 0, 0, INFINITY})));
    EXPECT_EQ(norm_of({1, 2, 3, 0, 0, 0, 0, -INFINITY}), INFINITY);
    tenon_data_parallel_release(parallel);
  });
}

}  // namespace
}  // namespace tenon::tests
