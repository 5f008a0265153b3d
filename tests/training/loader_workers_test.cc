// SPDX-License-Identifier: Apache-2.0
// tests/training/loader_workers_test.cc: workers of a loader change when samples are read, and
// nothing else: same batches, same errors, and no thread or tensor stays.
#include <gmock/gmock.h>
#include <tenon/sdk/client/loader.h>

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
  tenon_sdk_loader loader(const Dataset& set, int64_t batch, uint32_t flags, uint32_t workers) {
    tenon_sdk_loader made{};
    must(tenon_sdk_loader_create(context, set.get(), batch, 11, flags, &made));
    must(tenon_sdk_loader_set_workers(runtime, &made, workers, nullptr));
    return made;
  }
  // One batch; empty if the epoch is over.
  std::vector<int64_t> next(tenon_sdk_loader& loader) {
    tenon_tensor* field = nullptr;
    int64_t n = -1;
    must(tenon_sdk_loader_next(context, &loader, &field, 1, &n));
    if (n <= 0) return {};
    const Tensor owned(field);
    return values_of<int64_t>(field);
  }
  Batches rest(tenon_sdk_loader& loader) {
    Batches all;
    for (auto batch = next(loader); !batch.empty(); batch = next(loader)) all.push_back(batch);
    return all;
  }
  // The loader must refuse the next batch because of sample 17.
  void expect_sample_17(tenon_sdk_loader& loader) {
    tenon_tensor* field = nullptr;
    int64_t n = -1;
    const int64_t position = loader.position;
    EXPECT_THAT(
        refused(tenon_sdk_loader_next(context, &loader, &field, 1, &n), TENON_E_DATA),
        HasSubstr("acme.counts: sample 17: it cannot be counted\nacme.counts\nsample 17\n"));
    EXPECT_EQ(field, nullptr);
    EXPECT_EQ(n, -1);
    EXPECT_EQ(loader.position, position);
  }
};

TEST_F(LoaderThreads, SameBatchesAsWithNone) {
  const Dataset set = counts(203, -1, true);
  for (const uint32_t flags :
       {0u, TENON_SDK_LOADER_SHUFFLE, TENON_SDK_LOADER_SHUFFLE | TENON_SDK_LOADER_DROP_LAST}) {
    tenon_sdk_loader plain = loader(set, 8, flags, 0);
    Batches expected[2];
    expected[0] = rest(plain);
    must(tenon_sdk_loader_begin(&plain, 1, 0));
    expected[1] = rest(plain);
    tenon_sdk_loader_release(&plain);
    EXPECT_EQ(expected[0].size(), flags & TENON_SDK_LOADER_DROP_LAST ? 25u : 26u);
    for (const uint32_t workers : {1u, 4u, 7u}) {
      SCOPED_TRACE(workers);
      tenon_sdk_loader ahead = loader(set, 8, flags, workers);
      EXPECT_EQ(rest(ahead), expected[0]);
      EXPECT_TRUE(next(ahead).empty());
      must(tenon_sdk_loader_begin(&ahead, 1, 0));
      EXPECT_EQ(rest(ahead), expected[1]);
      // Again, from the middle.
      must(tenon_sdk_loader_begin(&ahead, 1, 48));
      EXPECT_EQ(rest(ahead), Batches(expected[1].begin() + 6, expected[1].end()));
      tenon_sdk_loader_release(&ahead);
    }
  }
}

TEST_F(LoaderThreads, AFailureComesWithItsBatchAndNamesTheSample) {
  const Dataset set = counts(40, 17);
  for (const uint32_t workers : {0u, 1u, 4u}) {
    SCOPED_TRACE(workers);
    tenon_sdk_loader made = loader(set, 5, 0, workers);
    for (int64_t batch = 0; batch < 3; ++batch) {
      EXPECT_EQ(next(made).front(), 5 * batch);
    }
    expect_sample_17(made);
    expect_sample_17(made);  // it is still there, and nothing else was lost
    must(tenon_sdk_loader_begin(&made, made.epoch, made.position + made.batch));
    EXPECT_EQ(rest(made), (Batches{{20, 21, 22, 23, 24},
                                   {25, 26, 27, 28, 29},
                                   {30, 31, 32, 33, 34},
                                   {35, 36, 37, 38, 39}}));
    tenon_sdk_loader_release(&made);
  }
}

TEST_F(LoaderThreads, ReleasedAtAnyMoment) {
  const int64_t before = live_tensors();
  for (int taken = 0; taken < 8; ++taken) {
    const Dataset set = counts(60, taken % 2 ? 23 : -1, true);
    tenon_sdk_loader made = loader(set, 4, TENON_SDK_LOADER_SHUFFLE, 4);
    for (int i = 0; i < taken; ++i) {
      tenon_tensor* field = nullptr;
      int64_t n = 0;
      if (tenon_sdk_loader_next(context, &made, &field, 1, &n) == TENON_OK) {
        tenon_tensor_release(field);
      }
      if (i == 3) must(tenon_sdk_loader_begin(&made, 5, 0));
    }
    tenon_sdk_loader_release(&made);
    EXPECT_EQ(live_tensors(), before);
  }
}

TEST_F(LoaderThreads, AnotherNumberOfWorkersGoesOnWhereTheLoaderIs) {
  const Dataset set = counts(50);
  tenon_sdk_loader plain = loader(set, 3, TENON_SDK_LOADER_SHUFFLE, 0);
  const Batches expected = rest(plain);
  tenon_sdk_loader_release(&plain);
  tenon_sdk_loader made = loader(set, 3, TENON_SDK_LOADER_SHUFFLE, 0);
  Batches found;
  for (const uint32_t workers : {2u, 0u, 5u, 1u}) {
    must(tenon_sdk_loader_set_workers(runtime, &made, workers, nullptr));
    for (int i = 0; i < 3; ++i) found.push_back(next(made));
  }
  for (const auto& batch : rest(made)) found.push_back(batch);
  EXPECT_EQ(found, expected);
  tenon_sdk_loader_release(&made);
}

TEST_F(LoaderThreads, EmptySet) {
  const Dataset set = counts(0);
  tenon_sdk_loader made = loader(set, 3, TENON_SDK_LOADER_SHUFFLE, 3);
  EXPECT_TRUE(rest(made).empty());
  tenon_sdk_loader_release(&made);
}

TEST_F(LoaderThreads, WrongArguments) {
  const Dataset set = counts(12);
  tenon_sdk_loader made = loader(set, 2, 0, 2);
  tenon_diag diag{};
  EXPECT_EQ(tenon_sdk_loader_set_workers(runtime, &made, 65, &diag), TENON_E_ARGUMENT);
  EXPECT_STREQ(diag.message, "loader: set_workers: n_workers: expected 0 to 64, found 65");
  EXPECT_EQ(diag.length, static_cast<int32_t>(std::string(diag.message).size()));
  EXPECT_EQ(diag.status, TENON_E_ARGUMENT);
  EXPECT_EQ(tenon_sdk_loader_set_workers(runtime, nullptr, 1, &diag), TENON_E_ARGUMENT);
  EXPECT_STREQ(diag.message, "loader: set_workers: expected a loader, found NULL");
  EXPECT_NE(tenon_sdk_loader_set_workers(nullptr, &made, 1, &diag), TENON_OK);
  EXPECT_NE(diag.message[0], '\0');
  // One field too many: the library's own error, and the position stays.
  tenon_tensor* fields[2] = {};
  int64_t n = -1;
  EXPECT_NE(tenon_sdk_loader_next(context, &made, fields, 2, &n), TENON_OK);
  EXPECT_EQ(n, -1);
  EXPECT_EQ(rest(made).size(), 6u);
  tenon_sdk_loader_release(&made);
}

}  // namespace
}  // namespace tenon::tests
