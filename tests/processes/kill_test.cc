// SPDX-License-Identifier: Apache-2.0
// tests/processes/kill_test.cc: one of four processes is killed at any moment of a training run:
// the others name it and end, the run's file is whole, and a run that goes on from it, with other
// numbers of processes too, ends with the bits of one that nothing has disturbed.
#include <signal.h>
#include <tenon/ext/draft/checkpoints.h>
#include <tenon/ext/draft/data_parallel.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "tests/processes/processes_support.h"

namespace tenon::tests {
namespace {

constexpr int64_t kSteps = 40;
constexpr int64_t kShards = 8;

tenon_value whole(int64_t number) {
  tenon_value value{TENON_VALUE_I64, 0, {}};
  value.as.i64 = number;
  return value;
}

// What a step computes: a matrix that depends on the step and the shard, tanh, mean of squares.
tenon_tensor* loss_of(Process& p, tenon_tensor* weight, int64_t step, int64_t shard) {
  std::vector<float> data;
  for (int i = 0; i < 4 * 16; ++i) {
    data.push_back(std::sin(static_cast<float>(step * 1000 + shard * 100 + i)));
  }
  tenon_tensor* x = p.call("tenon.matmul", {p.floats({4, 16}, data), weight}, {});
  x = p.call("tenon.tanh", {x}, {});
  return p.call("tenon.mean", {p.call("tenon.mul", {x, x}, {})}, {});
}

// The words of a failure name a rank.
tenon_status named(Process& p, tenon_status status) {
  const std::string words = p.error().message;
  EXPECT_NE(words.find("rank"), std::string::npos) << words;
  return status;
}

// Saves the run after each step, in rank 0, and goes on from where it was saved. The status with
// which it has ended.
tenon_status train(int n, const std::string& file) {
  Process p;
  tenon_group* joined = nullptr;
  tenon_group_info members{};
  members.struct_size = sizeof members;
  members.size = 1;
  if (n != 1) {
    const tenon_status status =
        tenon_group_create(p.context, "test.shm", TENON_NUL, nullptr, nullptr, 0, 3'000, &joined);
    if (status != TENON_OK) return named(p, status);
    EXPECT_EQ(tenon_group_get_info(p.context, joined, &members), TENON_OK);
  }
  const std::unique_ptr<tenon_group, void (*)(tenon_group*)> leaves(joined, tenon_group_release);
  tenon_group* const group = joined;
  std::vector<float> first;
  for (int i = 0; i < 16 * 8; ++i) first.push_back(std::cos(static_cast<float>(i)));
  tenon_tensor* weight = p.floats({16, 8}, first);
  EXPECT_EQ(tenon_tensor_set_requires_grad(p.context, weight, 1), TENON_OK);
  tenon_optimizer* optimizer = nullptr;
  EXPECT_EQ(tenon_optimizer_create(p.context, "tenon.adam", TENON_NUL, &weight, 1, nullptr, nullptr,
                                   0, &optimizer),
            TENON_OK);
  const std::unique_ptr<tenon_optimizer, void (*)(tenon_optimizer*)> owned(optimizer,
                                                                           tenon_optimizer_release);
  const tenon_data_parallel_options options = {sizeof options, 0, kShards, 0, nullptr, 0, 0};
  tenon_data_parallel* made = nullptr;
  tenon_status status = tenon_data_parallel_create(p.context, group, &weight, 1, &options, &made);
  if (status != TENON_OK) return named(p, status);
  const std::unique_ptr<tenon_data_parallel, void (*)(tenon_data_parallel*)> parallel(
      made, tenon_data_parallel_release);
  tenon_checkpoint* run = nullptr;
  EXPECT_EQ(tenon_checkpoint_create(p.context, &run), TENON_OK);
  const std::unique_ptr<tenon_checkpoint, void (*)(tenon_checkpoint*)> held(
      run, tenon_checkpoint_release);
  tenon_value step = whole(0);
  EXPECT_EQ(tenon_checkpoint_set_tensor(p.context, run, "weight", TENON_NUL, weight), TENON_OK);
  EXPECT_EQ(tenon_checkpoint_set_optimizer(p.context, run, "optimizer", TENON_NUL, optimizer),
            TENON_OK);
  EXPECT_EQ(tenon_checkpoint_set_value(p.context, run, "step", TENON_NUL, &step), TENON_OK);
  if (std::filesystem::exists(file)) {
    EXPECT_EQ(tenon_checkpoint_load(p.context, run, file.data(), file.size(), 0, nullptr), TENON_OK)
        << p.error().message;
    EXPECT_EQ(tenon_checkpoint_get_value(p.context, run, "step", TENON_NUL, &step), TENON_OK);
  }
  // Nobody saves before all have read.
  if (group) status = p.move(group, TENON_COLLECTIVE_BARRIER, nullptr, nullptr);
  if (status != TENON_OK) return named(p, status);
  EXPECT_EQ(tenon_data_parallel_set_step(p.context, made, step.as.i64), TENON_OK);
  const int64_t ours = kShards / n;
  while (step.as.i64 < kSteps) {
    for (int64_t shard = 0; shard < ours; ++shard) {
      EXPECT_EQ(tenon_data_parallel_begin(p.context, made, shard), TENON_OK) << p.error().message;
      tenon_tensor* loss = loss_of(p, weight, step.as.i64, members.rank * ours + shard);
      status = tenon_data_parallel_end(p.context, made, loss);
      if (status != TENON_OK) return named(p, status);
    }
    EXPECT_EQ(tenon_optimizer_run(p.context, optimizer, TENON_OPTIMIZER_CLEAR_GRAD), TENON_OK);
    step = whole(step.as.i64 + 1);
    if (members.rank != 0) continue;
    EXPECT_EQ(tenon_checkpoint_set_value(p.context, run, "step", TENON_NUL, &step), TENON_OK);
    EXPECT_EQ(tenon_checkpoint_save(p.context, run, file.data(), file.size()), TENON_OK)
        << p.error().message;
  }
  return TENON_OK;
}

std::string content(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Runs four processes, of which one is killed after so many microseconds, and one more time with
// `after` processes.
void disturb(const std::string& file, const std::string& undisturbed, int victim, int wait,
             int after) {
  std::filesystem::remove(file);
  std::thread killer;
  in_processes(
      4,
      [&](int rank) {
        if (rank == victim) {
          // A thread of its own process, so that it may strike anywhere.
          killer = std::thread([wait] {
            std::this_thread::sleep_for(std::chrono::microseconds(wait));
            kill(getpid(), SIGKILL);
          });
        }
        const tenon_status status = train(4, file);
        EXPECT_TRUE(status == TENON_OK || status == TENON_E_PEER || status == TENON_E_TIMEOUT)
            << tenon_status_get_name(status);
        if (killer.joinable()) killer.join();
      },
      {victim});
  in_processes(after, [&](int) { EXPECT_EQ(train(after, file), TENON_OK); });
  EXPECT_TRUE(content(file) == undisturbed) << "rank " << victim << " after " << wait << " us";
}

void disturb_often(int times) {
  const std::string folder =
      (std::filesystem::temp_directory_path() / ("tenon-kill-" + std::to_string(getpid())))
          .string();
  std::filesystem::create_directories(folder);
  const std::string whole_run = folder + "/undisturbed.safetensors";
  const auto begin = std::chrono::steady_clock::now();
  in_processes(4, [&](int) { EXPECT_EQ(train(4, whole_run), TENON_OK); });
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - begin);
  const std::string undisturbed = content(whole_run);
  EXPECT_FALSE(undisturbed.empty());
  std::mt19937 random(7);
  for (int i = 0; i < times; ++i) {
    const int wait = static_cast<int>(random() % static_cast<uint64_t>(took.count()));
    disturb(folder + "/run.safetensors", undisturbed, i % 4, wait, 1 << i % 4);
  }
  std::filesystem::remove_all(folder);
}

TEST(Kill, TheRunGoesOnWithTheSameBits) { disturb_often(3); }
TEST(KillSoak, AtFiftyMoments) { disturb_often(50); }

}  // namespace
}  // namespace tenon::tests
