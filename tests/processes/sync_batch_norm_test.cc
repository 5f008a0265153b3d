// SPDX-License-Identifier: Apache-2.0
// tests/processes/sync_batch_norm_test.cc: a layer that normalises over all processes' batches
// gives what batch_norm gives of all batches in one process.
#include <tenon/ext/draft/layers.h>

#include "tests/processes/processes_support.h"

namespace tenon::tests {
namespace {

constexpr int64_t kChannels = 3;
constexpr int64_t kWidth = 4;
constexpr int kSamples[] = {2, 3, 1, 5};  // of each process
constexpr int kAll = 11;
constexpr int64_t kSample = kChannels * kWidth;

// A layer with known parameters, and one sum of its output times a known gradient.
struct Norm {
  Norm(Process& process, const char* name, int64_t group) : p(process) {
    const tenon_string names[] = {{"features", 8}, {"momentum", 8}, {"group", 5}};
    tenon_value values[] = {
        {TENON_VALUE_I64, 0, {}}, {TENON_VALUE_F64, 0, {}}, {TENON_VALUE_I64, 0, {}}};
    values[0].as.i64 = kChannels;
    values[1].as.f64 = 0.25;
    values[2].as.i64 = group;
    EXPECT_EQ(tenon_layer_create(p.context, name, TENON_NUL, nullptr, names, values,
                                 group == 0 ? 2 : 3, &layer),
              TENON_OK)
        << p.error().message;
    set("weight", {0.5F, 1, 2});
    set("bias", {1, -1, 0.25F});
  }
  ~Norm() { tenon_layer_release(layer); }
  Norm(const Norm&) = delete;
  Norm& operator=(const Norm&) = delete;

  void set(const char* name, const std::vector<float>& numbers) {
    EXPECT_EQ(
        tenon_layer_set_tensor(p.context, layer, name, TENON_NUL, p.floats({kChannels}, numbers)),
        TENON_OK)
        << p.error().message;
  }
  tenon_tensor* find(const char* name) {
    tenon_tensor* found = nullptr;
    EXPECT_EQ(tenon_layer_find_tensor(p.context, layer, name, TENON_NUL, &found), TENON_OK);
    return found;
  }
  tenon_tensor* call(tenon_tensor* x) {
    tenon_value input{TENON_VALUE_TENSOR, 0, {}};
    input.as.tensor = x;
    tenon_tensor* y = nullptr;
    EXPECT_EQ(tenon_layer_call(p.context, layer, &input, 1, &y, 1), TENON_OK) << p.error().message;
    return p.keep(y);
  }
  std::vector<float> grad(tenon_tensor* of) {
    tenon_tensor* found = nullptr;
    EXPECT_EQ(tenon_tensor_get_grad(p.context, of, &found), TENON_OK);
    return found ? p.read(found) : std::vector<float>();
  }

  Process& p;
  tenon_layer* layer = nullptr;
};

std::vector<float> part(const std::vector<float>& all, int rank) {
  int64_t before = 0;
  for (int i = 0; i < rank; ++i) before += kSamples[i] * kSample;
  const auto begin = all.begin() + before;
  return {begin, begin + kSamples[rank] * kSample};
}

void expect_near(const std::vector<float>& found, const std::vector<float>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], wanted[i], 2e-6) << i;
}

struct Found {
  std::vector<float> y, dx, dweight, dbias, mean, variance;
};

// Forward and backward of so many samples.
Found run(Norm& norm, int samples, const std::vector<float>& x, const std::vector<float>& dy) {
  Process& p = norm.p;
  tenon_tensor* const input = p.floats({samples, kChannels, kWidth}, x);
  EXPECT_EQ(tenon_tensor_set_requires_grad(p.context, input, 1), TENON_OK);
  tenon_tensor* y = norm.call(input);
  tenon_tensor* seed = p.floats({samples, kChannels, kWidth}, dy);
  EXPECT_EQ(tenon_backward_run(p.context, &y, &seed, 1, 0), TENON_OK) << p.error().message;
  return {p.read(y),
          norm.grad(input),
          norm.grad(norm.find("weight")),
          norm.grad(norm.find("bias")),
          p.read(norm.find("running_mean")),
          p.read(norm.find("running_var"))};
}

TEST(SyncBatchNorm, IsThatOfAllBatches) {
  in_processes(4, [](int rank) {
    Process p;
    tenon_group* const group = p.join();
    const std::vector<float> x = noise(3, kAll * kSample, 2);
    const std::vector<float> dy = noise(4, kAll * kSample, 1);
    Norm whole(p, "tenon.batch_norm", 0);
    Norm shared(p, "tenon.sync_batch_norm", p.number(group));
    const Found wanted = run(whole, kAll, x, dy);
    const Found found = run(shared, kSamples[rank], part(x, rank), part(dy, rank));
    EXPECT_EQ(p.info(group).transfers, 4);  // as its page says
    expect_near(found.y, part(wanted.y, rank));
    expect_near(found.dx, part(wanted.dx, rank));
    expect_near(found.mean, wanted.mean);
    expect_near(found.variance, wanted.variance);
    for (const auto& [ours, all] :
         {std::pair(&found.dweight, &wanted.dweight), std::pair(&found.dbias, &wanted.dbias)}) {
      tenon_tensor* const sum = p.floats({kChannels}, *ours);
      ASSERT_EQ(p.move(group, TENON_COLLECTIVE_ALL_REDUCE, sum, sum), TENON_OK);
      expect_near(p.read(sum), *all);
    }
    // Evaluation needs nobody.
    if (rank != 0) return;
    ASSERT_EQ(tenon_layer_set_training(p.context, shared.layer, 0), TENON_OK);
    shared.call(p.floats({1, kChannels, kWidth}, part(x, 2)));
  });
}

}  // namespace
}  // namespace tenon::tests
