// SPDX-License-Identifier: Apache-2.0
// tests/training/loader_workers_test.cc: workers of a loader change when samples are read, and
// nothing else: same batches, same errors, and no thread or tensor stays.
#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "tests/training/counts_support.h"
#include "tests/training/training_support.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;
using Batches = std::vector<std::vector<int64_t>>;

class LoaderThreads : public Training {
 protected:
  void SetUp() override {
    Training::SetUp();
    must(tenon_plugin_load(context, counts_query));
  }
  Dataset counts(int64_t length, int64_t bad = -1, bool slow = false) {
    return dataset("acme.counts",
                   {{"length", whole(length)}, {"bad", whole(bad)}, {"slow", flag(slow)}});
  }
  Loader loader(const Dataset& set, int64_t batch, uint32_t flags, uint32_t workers) {
    return Training::loader(set, batch, 11, flags, workers);
  }
  // One batch; empty if the epoch is over.
  std::vector<int64_t> next(const Loader& loader) {
    tenon_tensor* field = nullptr;
    int64_t n = -1;
    must(tenon_loader_run(context, loader.get(), &field, 1, &n));
    if (n <= 0) return {};
    const Tensor owned(field);
    return values_of<int64_t>(field);
  }
  Batches rest(const Loader& loader) {
    Batches all;
    for (auto batch = next(loader); !batch.empty(); batch = next(loader)) all.push_back(batch);
    return all;
  }
  // The loader must refuse the next batch because of sample 17.
  void expect_sample_17(const Loader& loader) {
    tenon_tensor* field = nullptr;
    int64_t n = -1;
    const int64_t position = info(loader).position;
    EXPECT_THAT(
        refused(tenon_loader_run(context, loader.get(), &field, 1, &n), TENON_E_DATA),
        HasSubstr("acme.counts: sample 17: it cannot be counted\nacme.counts\nsample 17\n"));
    EXPECT_EQ(field, nullptr);
    EXPECT_EQ(n, -1);
    EXPECT_EQ(info(loader).position, position);
  }
};

TEST_F(LoaderThreads, SameBatchesAsWithNone) {
  const Dataset set = counts(203, -1, true);
  for (const uint32_t flags :
       {0u, TENON_LOADER_SHUFFLE, TENON_LOADER_SHUFFLE | TENON_LOADER_DROP_LAST}) {
    Loader plain = loader(set, 8, flags, 0);
    Batches expected[2];
    expected[0] = rest(plain);
    must(tenon_loader_begin(context, plain.get(), 1, 0));
    expected[1] = rest(plain);
    EXPECT_EQ(expected[0].size(), flags & TENON_LOADER_DROP_LAST ? 25u : 26u);
    for (const uint32_t workers : {1u, 4u, 7u}) {
      SCOPED_TRACE(workers);
      Loader ahead = loader(set, 8, flags, workers);
      EXPECT_EQ(rest(ahead), expected[0]);
      EXPECT_TRUE(next(ahead).empty());
      must(tenon_loader_begin(context, ahead.get(), 1, 0));
      EXPECT_EQ(rest(ahead), expected[1]);
      // Again, from the middle.
      must(tenon_loader_begin(context, ahead.get(), 1, 48));
      EXPECT_EQ(rest(ahead), Batches(expected[1].begin() + 6, expected[1].end()));
    }
  }
}

TEST_F(LoaderThreads, AFailureComesWithItsBatchAndNamesTheSample) {
  const Dataset set = counts(40, 17);
  for (const uint32_t workers : {0u, 1u, 4u}) {
    SCOPED_TRACE(workers);
    Loader made = loader(set, 5, 0, workers);
    for (int64_t batch = 0; batch < 3; ++batch) {
      EXPECT_EQ(next(made).front(), 5 * batch);
    }
    expect_sample_17(made);
    expect_sample_17(made);  // it is still there, and nothing else was lost
    must(tenon_loader_begin(context, made.get(), 0, info(made).position + 5));
    EXPECT_EQ(rest(made), (Batches{{20, 21, 22, 23, 24},
                                   {25, 26, 27, 28, 29},
                                   {30, 31, 32, 33, 34},
                                   {35, 36, 37, 38, 39}}));
  }
}

TEST_F(LoaderThreads, ReleasedAtAnyMoment) {
  const int64_t before = live_tensors();
  for (int taken = 0; taken < 8; ++taken) {
    const Dataset set = counts(60, taken % 2 ? 23 : -1, true);
    Loader made = loader(set, 4, TENON_LOADER_SHUFFLE, 4);
    for (int i = 0; i < taken; ++i) {
      tenon_tensor* field = nullptr;
      int64_t n = 0;
      if (tenon_loader_run(context, made.get(), &field, 1, &n) == TENON_OK) {
        tenon_tensor_release(field);
      }
      if (i == 3) must(tenon_loader_begin(context, made.get(), 5, 0));
    }
    made.reset();
    EXPECT_EQ(live_tensors(), before);
  }
}

TEST_F(LoaderThreads, AnotherNumberOfWorkersGoesOnWhereTheLoaderIs) {
  const Dataset set = counts(50);
  Loader plain = loader(set, 3, TENON_LOADER_SHUFFLE, 0);
  const Batches expected = rest(plain);
  Loader made = loader(set, 3, TENON_LOADER_SHUFFLE, 0);
  Batches found;
  for (const uint32_t workers : {2u, 0u, 5u, 1u}) {
    must(tenon_loader_set_workers(context, made.get(), workers));
    for (int i = 0; i < 3; ++i) found.push_back(next(made));
  }
  for (const auto& batch : rest(made)) found.push_back(batch);
  EXPECT_EQ(found, expected);
}

TEST_F(LoaderThreads, EmptySet) {
  const Dataset set = counts(0);
  Loader made = loader(set, 3, TENON_LOADER_SHUFFLE, 3);
  EXPECT_TRUE(rest(made).empty());
}

// Two threads with contexts of their own: each batch is given once, or the call is refused.
TEST_F(LoaderThreads, ASecondThreadIsRefused) {
  const Dataset set = counts(400, -1, true);
  const Loader made = loader(set, 2, 0, 2);
  std::vector<int64_t> found[2];
  int refusals = 0;
  const auto read = [&](tenon_context* cx, std::vector<int64_t>& to, int& refused) {
    for (;;) {
      tenon_tensor* field = nullptr;
      int64_t n = 0;
      const tenon_status status = tenon_loader_run(cx, made.get(), &field, 1, &n);
      if (status == TENON_E_STATE) {
        ++refused;
        continue;
      }
      if (status != TENON_OK || n == 0) return;
      const Tensor owned(field);
      int64_t values[2];
      if (tenon_tensor_get_data(cx, field, values, sizeof values) != TENON_OK) return;
      to.insert(to.end(), values, values + n);
    }
  };
  tenon_context* own = nullptr;
  must(tenon_context_create(runtime, nullptr, &own));
  int refused_there = 0;
  std::thread other([&] { read(own, found[1], refused_there); });
  read(context, found[0], refusals);
  other.join();
  tenon_context_release(own);
  std::vector<int64_t> all(found[0]);
  all.insert(all.end(), found[1].begin(), found[1].end());
  std::sort(all.begin(), all.end());
  ASSERT_EQ(all.size(), 400U);
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], static_cast<int64_t>(i));
}

// The handle of the runtime goes first: workers end by themselves, and the rest is released late.
TEST_F(LoaderThreads, TheRuntimeMayBeReleasedFirst) {
  tenon_runtime* other = nullptr;
  tenon_context* theirs = nullptr;
  must(tenon_runtime_create(nullptr, nullptr, &other));
  must(tenon_context_create(other, nullptr, &theirs));
  tenon_loader* made = nullptr;
  ASSERT_EQ(tenon_loader_create_numbers(theirs, 1000, 1, 0, 0, &made), TENON_OK);
  ASSERT_EQ(tenon_loader_set_workers(theirs, made, 4), TENON_OK);
  tenon_runtime_release(other);
  tenon_tensor* field = nullptr;
  int64_t n = 0;
  EXPECT_NE(tenon_loader_run(theirs, made, &field, 1, &n), TENON_OK);
  tenon_context_release(theirs);
  tenon_loader_release(made);
}

}  // namespace
}  // namespace tenon::tests
