// SPDX-License-Identifier: Apache-2.0
// tests/nccl/data_parallel_test.cc: with parameters on emulated GPUs, too, a step that several
// processes share has the bits of one.
#include <tenon/ext/draft/data_parallel.h>

#include <unistd.h>

#include <cmath>
#include <fstream>

#include "tests/nccl/nccl_support.h"

namespace tenon::tests {
namespace {

constexpr int kShards = 4;
constexpr int kRows = 4;  // samples of a shard
constexpr int kWords = 11;

// What is trained: words are looked up, a layer, dropout, mean of squares.
struct Model {
  Model(const DeviceSession& of, int salt) : s(of) {
    const auto add = [&](const Shape& shape, int seed) {
      int64_t count = 1;
      for (const int64_t size : shape) count *= size;
      // Only rank 0's are those that count.
      held.push_back(s.f32(s.sim, shape, noise(seed + salt, count, 0.5F)));
      s.must(tenon_tensor_set_requires_grad(s, held.back().get(), 1));
      params.push_back(held.back().get());
    };
    add({kWords, 6}, 1);
    add({5, 6}, 2);
    add({5}, 3);
    add({3, 3}, 4);  // is not used
    buffer = s.f32(s.sim, {2}, {1, 2});
  }

  Tensor loss(int step, int shard) {
    std::vector<int64_t> words;
    for (int i = 0; i < kRows; ++i) words.push_back((step * 7 + shard * 3 + i * i) % kWords);
    tenon_tensor* made = nullptr;
    const int64_t shape[] = {kRows};
    s.must(tenon_tensor_create_from(s, TENON_DTYPE_I64, &s.sim, 1, shape, words.data(),
                                    sizeof(int64_t) * kRows, &made));
    const Tensor indices(made);
    Tensor x = s.call("tenon.embedding", {tensor_value(params[0]), tensor_value(indices.get())});
    x = s.call("tenon.linear",
               {tensor_value(x.get()), tensor_value(params[1]), tensor_value(params[2])});
    x = s.call("tenon.dropout", {tensor_value(x.get())}, {{"p", real_value(0.3)}});
    x = s.call("tenon.mul", {tensor_value(x.get()), tensor_value(x.get())});
    // What a layer would write: another value in each shard.
    const std::vector<float> statistics = {static_cast<float>(step), 0.1F * shard};
    s.must(tenon_tensor_set_data(s, buffer.get(), statistics.data(), 8));
    return s.call("tenon.mean", {tensor_value(x.get())});
  }

  const DeviceSession& s;
  std::vector<Tensor> held;
  std::vector<tenon_tensor*> params;
  Tensor buffer;
};

// Trains, and writes what parameters and buffer are then.
void train(int n, int rank, const std::string& file) {
  Member m;
  if (n > 1) m.must_join();
  Model model(m.session, rank * 100);
  const auto count = static_cast<uint32_t>(model.params.size());
  const tenon_string lr_name = {"lr", 2};
  const tenon_value lr = real_value(0.05);
  tenon_optimizer* optimizer = nullptr;
  m.session.must(tenon_optimizer_create(m.session, "tenon.adamw", TENON_NUL, model.params.data(),
                                        count, &lr_name, &lr, 1, &optimizer));
  tenon_tensor* const buffers[] = {model.buffer.get()};
  const tenon_data_parallel_options options = {sizeof options, 0, kShards, 64, buffers, 1, 0};
  tenon_data_parallel* parallel = nullptr;
  m.session.must(tenon_data_parallel_create(m.session, m.group, model.params.data(), count,
                                            &options, &parallel));
  const int ours = kShards / n;
  for (int step = 0; step < 4; ++step) {
    for (int shard = 0; shard < ours; ++shard) {
      m.session.must(tenon_data_parallel_begin(m.session, parallel, shard));
      const Tensor loss = model.loss(step, rank * ours + shard);
      m.session.must(tenon_data_parallel_end(m.session, parallel, loss.get()));
    }
    tenon_tensor* unused = nullptr;
    m.session.must(tenon_tensor_get_grad(m.session, model.params[3], &unused));
    EXPECT_EQ(unused, nullptr);
    m.session.must(tenon_optimizer_run(m.session, optimizer, TENON_OPTIMIZER_CLEAR_GRAD));
  }
  tenon_data_parallel_release(parallel);
  tenon_optimizer_release(optimizer);
  // The mean over the shards of the last step.
  const std::vector<float> mean = m.session.floats(model.buffer);
  EXPECT_EQ(mean[0], 3);
  EXPECT_FLOAT_EQ(mean[1], 0.15F);
  std::ofstream out(file + std::to_string(rank), std::ios::binary);
  model.held.push_back(std::move(model.buffer));
  for (const Tensor& each : model.held) {
    const std::vector<float> data = m.session.floats(each);
    out.write(reinterpret_cast<const char*>(data.data()),
              static_cast<std::streamsize>(data.size() * sizeof(float)));
  }
}

std::string content(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string all{std::istreambuf_iterator<char>(stream), {}};
  std::filesystem::remove(file);
  return all;
}

TEST(NcclDataParallel, SameBitsForAnyNumberOfProcesses) {
  const std::string file =
      (std::filesystem::temp_directory_path() / ("tenon-nccl-" + std::to_string(getpid()) + "-"))
          .string();
  std::string one;
  for (const int n : {1, 2, 4}) {
    in_ranks(n, [&](int rank) { train(n, rank, file); });
    for (int rank = 0; rank < n; ++rank) {
      const std::string bits = content(file + std::to_string(rank));
      EXPECT_EQ(bits.size(), sizeof(float) * (kWords * 6 + 30 + 5 + 9 + 2));
      if (one.empty()) one = bits;
      EXPECT_TRUE(bits == one) << "rank " << rank << " of " << n;
    }
  }
}

// The ops of groups have kernels for memory of the host alone.
TEST(NcclDataParallel, NoCaptureOnTheDevice) {
  in_ranks(2, [](int) {
    Member m;
    m.must_join();
    const Tensor weight = m.there({4}, {1, 2, 3, 4});
    m.session.must(tenon_tensor_set_requires_grad(m.session, weight.get(), 1));
    tenon_tensor* params[] = {weight.get()};
    tenon_data_parallel* parallel = nullptr;
    m.session.must(tenon_data_parallel_create(m.session, m.group, params, 1, nullptr, &parallel));
    m.session.must(tenon_capture_begin(m.session, nullptr, 0));
    m.session.must(tenon_data_parallel_begin(m.session, parallel, 0));
    Tensor loss = m.session.call("tenon.mean", {tensor_value(weight.get())});
    EXPECT_EQ(tenon_data_parallel_end(m.session, parallel, loss.get()), TENON_E_NO_KERNEL);
    EXPECT_NE(m.failure().find("cuda"), std::string::npos) << m.failure();
    loss.reset();
    tenon_plan* plan = nullptr;
    tenon_capture_end(m.session, &plan);
    tenon_plan_release(plan);
    tenon_data_parallel_release(parallel);
  });
}

}  // namespace
}  // namespace tenon::tests
