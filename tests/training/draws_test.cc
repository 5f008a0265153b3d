// SPDX-License-Identifier: Apache-2.0
// tests/training/draws_test.cc: a dataset with random numbers in its samples: they follow from
// seed, epoch and sample, whatever reads them when.
#include <gmock/gmock.h>
#include <tenon/ext/draft/checkpoints.h>
#include <tenon/sdk/plugin/batch.hpp>
#include <tenon/sdk/plugin/plugin.hpp>

#include <algorithm>
#include <atomic>
#include <set>

#include "tests/support/program_query.h"
#include "tests/training/training_support.h"

namespace tenon::tests {
namespace {

constexpr int64_t kLength = 23, kBad = 17;
std::atomic<bool> fails{false};  // sample kBad

tenon_status create(tenon_call*, const tenon_value*, void** out_object) {
  *out_object = nullptr;
  return TENON_OK;
}
void release(void*) {}
tenon_status length(tenon_call*, void*, int64_t* out_length) {
  *out_length = kLength;
  return TENON_OK;
}
tenon_status fields(tenon_call*, void*, tenon_dataset_field* out, uint32_t capacity,
                    uint32_t* out_count) {
  *out_count = 2;
  if (capacity < 2) return TENON_OK;
  out[0] = {sdk::str("number"), {}};
  out[1] = {sdk::str("draw"), {}};
  out[0].sample.dtype = out[1].sample.dtype = TENON_DTYPE_I64;
  return TENON_OK;
}
tenon_status get_batch(tenon_call* call, void*, const tenon_batch* batch,
                       void* const* destinations) {
  return sdk::guarded(call, [&] {
    for (int64_t i = 0; i < batch->n; ++i) {
      if (fails && batch->samples[i] == kBad) throw sdk::Failure{TENON_E_DATA, "it is the bad one"};
      tenon_sdk_random random = sdk::sample_random(*batch, i, 0x64726177u);  // "draw"
      static_cast<int64_t*>(destinations[0])[i] = batch->samples[i];
      static_cast<int64_t*>(destinations[1])[i] =
          static_cast<int64_t>(tenon_sdk_random_next(&random) >> 1);
    }
  });
}

constexpr tenon_dataset_desc kDatasets[] = {
    {sizeof(tenon_dataset_desc), 0, sdk::str("acme.draws"), sdk::str("A random number for each."),
     nullptr, 0, 0, create, release, length, fields, nullptr, nullptr, get_batch}};
constexpr sdk::Unit kUnit = {.datasets = kDatasets};
constexpr const sdk::Unit* kUnits[] = {&kUnit};
struct Data {
  static sdk::About about() { return {"acme.draws", "1.0.0", "Apache-2.0", kUnits}; }
};

using Drawn = std::vector<std::pair<int64_t, int64_t>>;  // numbers of samples, and what they drew

class Draws : public Training {
 protected:
  void SetUp() override {
    Training::SetUp();
    must(tenon_plugin_load(context, query_in_program<Data>));
    set = dataset("acme.draws", {});
    fails = false;
  }
  void TearDown() override {
    set.reset();
    Training::TearDown();
  }
  Drawn drawn_in(tenon_tensor* number, tenon_tensor* draw) {
    const Tensor numbers(number), draws(draw);
    const auto samples = values_of<int64_t>(number), values = values_of<int64_t>(draw);
    Drawn found;
    for (size_t i = 0; i < samples.size(); ++i) found.emplace_back(samples[i], values[i]);
    return found;
  }
  // What is left of the epoch, by sample if `sorted`; at most so many batches.
  Drawn rest(const Loader& loader, bool sorted = false, int batches = INT32_MAX) {
    Drawn all;
    for (int64_t n = 1; n > 0 && batches > 0; --batches) {
      tenon_tensor* given[2] = {};
      must(tenon_loader_run(context, loader.get(), given, 2, &n));
      if (n == 0) break;
      const Drawn batch = drawn_in(given[0], given[1]);
      all.insert(all.end(), batch.begin(), batch.end());
    }
    if (sorted) std::sort(all.begin(), all.end());
    return all;
  }
  Loader shuffled(int64_t batch, uint32_t workers = 0, uint64_t seed = 11) {
    return loader(set, batch, seed, TENON_LOADER_SHUFFLE, workers);
  }

  Dataset set;
};

TEST_F(Draws, AreTheSameForAnyWorkersAndAnyBatches) {
  const Drawn expected = rest(shuffled(5), true);
  ASSERT_EQ(expected.size(), size_t{kLength});
  std::set<int64_t> different;
  for (const auto& [sample, draw] : expected) different.insert(draw);
  EXPECT_EQ(different.size(), expected.size());
  for (const uint32_t workers : {0u, 1u, 2u, 4u}) {
    for (const int64_t batch : {1, 5, 23}) {
      SCOPED_TRACE(testing::Message() << workers << " workers, batches of " << batch);
      for (int twice = 0; twice < 2; ++twice) {
        EXPECT_EQ(rest(shuffled(batch, workers), true), expected);
      }
    }
  }
}

TEST_F(Draws, AreOthersInAnotherEpochAndOfAnotherSeed) {
  std::set<Drawn> different;
  for (const uint64_t seed : {1, 2}) {
    const Loader made = shuffled(4, 2, seed);
    for (const int64_t epoch : {0, 1, 2}) {
      must(tenon_loader_begin(context, made.get(), epoch, 0));
      different.insert(rest(made, true));
    }
  }
  EXPECT_EQ(different.size(), 6u);
}

TEST_F(Draws, GoOnInTheMiddleOfAnEpoch) {
  const Loader whole = shuffled(4);
  must(tenon_loader_begin(context, whole.get(), 3, 0));
  const Drawn expected = rest(whole);
  const std::string file = path("run.safetensors");
  for (const uint32_t workers : {0u, 1u, 2u, 4u}) {
    SCOPED_TRACE(workers);
    tenon_checkpoint* run = nullptr;
    const Loader first = shuffled(4, workers);
    must(tenon_loader_begin(context, first.get(), 3, 0));
    const Drawn begun = rest(first, false, 2);
    must(tenon_checkpoint_create(context, &run));
    must(tenon_checkpoint_set_loader(context, run, "loader", TENON_NUL, first.get()));
    must(tenon_checkpoint_save(context, run, file.data(), file.size()));
    const Loader second = shuffled(4, 4 - workers);
    must(tenon_checkpoint_set_loader(context, run, "loader", TENON_NUL, second.get()));
    must(tenon_checkpoint_load(context, run, file.data(), file.size(), 0, nullptr));
    Drawn both = begun;
    const Drawn left = rest(second);
    both.insert(both.end(), left.begin(), left.end());
    EXPECT_EQ(both, expected);
    tenon_checkpoint_release(run);
  }
}

TEST_F(Draws, AreTheSameInSeveralProcesses) {
  const Drawn expected = rest(shuffled(2), true);
  for (const int64_t of : {2, 3}) {
    SCOPED_TRACE(of);
    Drawn all;
    for (int64_t first = 0; first < of; ++first) {
      const Loader made = shuffled(2, static_cast<uint32_t>(first));
      must(tenon_loader_set_share(context, made.get(), first, 1, of));
      const Drawn ours = rest(made);
      all.insert(all.end(), ours.begin(), ours.end());
    }
    EXPECT_EQ(all.size(), static_cast<size_t>(kLength / (2 * of) * 2 * of));
    for (const auto& each : all) EXPECT_THAT(expected, testing::Contains(each));
  }
}

// A call has the context's seed and epoch 0, and neither takes of the context's numbers.
TEST_F(Draws, OfACallAreThoseOfTheContextsSeed) {
  const Drawn expected = rest(shuffled(3), true);
  must(tenon_context_set_seed(context, 11, 5));
  must(tenon_context_set_counter(context, 9));
  for (const int64_t counter : {9, 1000}) {
    must(tenon_context_set_counter(context, static_cast<uint64_t>(counter)));
    const int64_t samples[] = {20, 3};
    tenon_tensor* given[2] = {};
    must(tenon_dataset_call(context, set.get(), samples, 2, given, 2));
    EXPECT_EQ(drawn_in(given[0], given[1]), (Drawn{expected[20], expected[3]}));
    rest(shuffled(3, 0, 11));
    uint64_t after = 0;
    must(tenon_context_get_seed(context, nullptr, nullptr, &after));
    EXPECT_EQ(after, static_cast<uint64_t>(counter));
  }
}

TEST_F(Draws, AreTheSameWhenABatchIsReadAgain) {
  const Drawn expected = rest(shuffled(5));
  for (const uint32_t workers : {0u, 2u}) {
    SCOPED_TRACE(workers);
    fails = true;
    const Loader made = shuffled(5, workers);
    Drawn found;
    for (;;) {
      tenon_tensor* given[2] = {};
      int64_t n = 0;
      if (tenon_loader_run(context, made.get(), given, 2, &n) != TENON_OK) break;
      const Drawn batch = drawn_in(given[0], given[1]);
      found.insert(found.end(), batch.begin(), batch.end());
    }
    tenon_tensor* given[2] = {};
    int64_t n = 0;
    EXPECT_THAT(refused(tenon_loader_run(context, made.get(), given, 2, &n), TENON_E_DATA),
                testing::HasSubstr("acme.draws: sample 17: it is the bad one"));
    fails = false;
    const Drawn left = rest(made);
    found.insert(found.end(), left.begin(), left.end());
    EXPECT_EQ(found, expected);
  }
}

// A plan would take the same batch at each of its runs.
TEST_F(Draws, NoBatchIsReadWhileAStepIsCaptured) {
  for (const uint32_t workers : {0u, 1u}) {
    const Loader made = shuffled(5, workers);
    must(tenon_capture_begin(context, nullptr, 0));
    tenon_tensor* given[2] = {};
    int64_t n = 0;
    EXPECT_THAT(refused(tenon_loader_run(context, made.get(), given, 2, &n), TENON_E_CAPTURE),
                testing::HasSubstr("reading a batch"));
    tenon_plan* plan = nullptr;
    must(tenon_capture_end(context, &plan));
    tenon_plan_release(plan);
    EXPECT_EQ(rest(made), rest(shuffled(5)));
  }
}

}  // namespace
}  // namespace tenon::tests
