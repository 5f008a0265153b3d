// SPDX-License-Identifier: Apache-2.0
// tests/training/word2vec_test.cc: skip-gram with negative samples. A step reads and writes the
// rows it names and nothing else, so what it costs does not depend on the size of the table.
//
// loss = -mean(log sigmoid(sign_i u . v_i)), u the word's row, v_i its context (sign 1) and eight
// others (sign -1). Source: T. Mikolov et al., "Distributed Representations of Words and Phrases
// and their Compositionality", 2013.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/training/training_support.h"

namespace tenon::tests {
namespace {

constexpr int64_t kWidth = 64;
constexpr int kOthers = 8;

class Word2Vec : public Training {
 protected:
  struct Model {
    Tensor words, contexts;
    Optimizer sgd;
    int64_t size;
  };
  struct Cost {
    uint64_t bytes = 0;  // most memory beside the tables
    uint64_t launches = 0, allocations = 0;
    float loss = 0;
  };

  tenon_stats stats() {
    tenon_stats all{};
    all.struct_size = sizeof all;
    must(tenon_runtime_get_stats(context, &all));
    return all;
  }

  Model model(int64_t size) {
    Model made;
    made.size = size;
    std::vector<float> values(static_cast<size_t>(size * kWidth));
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(i * 2654435761 % 1000) * 1e-3F - 0.5F;
    }
    made.words = parameter(tensor<float>({size, kWidth}, values));
    made.contexts = parameter(tensor<float>({size, kWidth}, values));
    made.sgd =
        optimizer("tenon.sgd", {made.words.get(), made.contexts.get()}, {{"lr", real(0.025)}});
    return made;
  }

  Cost step(Model& model, int64_t word, const std::vector<int64_t>& near) {
    const tenon_stats before = stats();
    const Tensor centre = tensor<int64_t>({1}, {word});
    const Tensor others = tensor<int64_t>({1 + kOthers}, near);
    std::vector<float> signs(1 + kOthers, -1);
    signs[0] = 1;
    const Tensor sign = tensor<float>({1 + kOthers}, signs);
    const Tensor u = call("tenon.embedding", {one(model.words.get()), one(centre.get())});
    const Tensor v = call("tenon.embedding", {one(model.contexts.get()), one(others.get())});
    const Tensor products = call("tenon.mul", {one(u.get()), one(v.get())});
    const int64_t axis = 1;
    tenon_value axes{TENON_VALUE_INT_LIST, 1, {}};
    axes.as.ints = &axis;
    const Tensor scores = call("tenon.sum", {one(products.get())}, {{"axes", axes}});
    const Tensor signed_scores = call("tenon.mul", {one(scores.get()), one(sign.get())});
    const Tensor chances = call("tenon.logsigmoid", {one(signed_scores.get())});
    const Tensor loss = call("tenon.neg", {one(call("tenon.mean", {one(chances.get())}).get())});
    tenon_tensor* const root = loss.get();
    must(tenon_backward_run(context, &root, nullptr, 1, 0));
    tenon_tensor* indices = nullptr;
    tenon_tensor* rows = nullptr;
    must(tenon_tensor_get_grad_rows(context, model.contexts.get(), &indices, &rows));
    EXPECT_TRUE(std::ranges::is_sorted(values_of<int64_t>(indices)));
    must(tenon_optimizer_run(context, model.sgd.get(), TENON_OPTIMIZER_CLEAR_GRAD));
    const tenon_stats after = stats();
    return {after.bytes_peak - before.bytes_live, after.launches - before.launches,
            after.allocations - before.allocations, values_of<float>(loss.get())[0]};
  }
};

TEST_F(Word2Vec, AStepTouchesItsRowsAlone) {
  Model small = model(100);
  const auto words = values_of<float>(small.words.get());
  const auto contexts = values_of<float>(small.contexts.get());
  const std::vector<int64_t> near = {7, 3, 99, 3, 50, 51, 52, 53, 54};
  step(small, 42, near);
  const auto changed = [](const std::vector<float>& before, const std::vector<float>& after) {
    std::set<int64_t> rows;
    for (size_t i = 0; i < before.size(); ++i) {
      if (before[i] != after[i]) rows.insert(static_cast<int64_t>(i) / kWidth);
    }
    return rows;
  };
  EXPECT_THAT(changed(words, values_of<float>(small.words.get())), testing::ElementsAre(42));
  EXPECT_EQ(changed(contexts, values_of<float>(small.contexts.get())),
            std::set<int64_t>(near.begin(), near.end()));
}

TEST_F(Word2Vec, TheLossFallsAndTheTableSizeCostsNothing) {
  Cost costs[2];
  for (const int64_t size : {1000, 252000}) {
    Model table = model(size);
    float first = 0;
    Cost last;
    for (int64_t i = 0; i < 600; ++i) {
      std::vector<int64_t> near = {(i % 5) * 7 + 1};
      for (int64_t other = 0; other < kOthers; ++other) near.push_back(100 + other * 11 + i % 5);
      last = step(table, i % 5, near);
      if (i < 5) first = std::max(first, last.loss);
    }
    EXPECT_LT(last.loss, 0.8F * first);
    costs[size == 252000] = last;
    // Nothing of a table's size: that would be 252,000 * 64 * 4 bytes.
    EXPECT_LT(last.bytes, 200000U);
  }
  EXPECT_EQ(costs[0].launches, costs[1].launches);
  EXPECT_EQ(costs[0].allocations, costs[1].allocations);
}

}  // namespace
}  // namespace tenon::tests
