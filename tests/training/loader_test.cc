// SPDX-License-Identifier: Apache-2.0
// tests/training/loader_test.cc: every sample once an epoch, in an order that seed and epoch fix.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <tenon/sdk/philox.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <string>
#include <thread>

#include "core/base/philox.h"
#include "tests/training/training_support.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;

class Loaders : public Training {
 protected:
  // A set whose sample i is the byte i.
  void open(uint32_t length) {
    std::string payload;
    for (uint32_t i = 0; i < length; ++i) payload += static_cast<char>(i);
    set = dataset({{"images", text(write("set", idx_file(0x08, {length}, payload)))}});
  }
  Loader loader(int64_t batch, uint64_t seed, uint32_t flags) {
    return Training::loader(set, batch, seed, flags);
  }
  // What is left of the epoch, batch by batch.
  std::vector<std::vector<int>> rest(const Loader& loader) {
    std::vector<std::vector<int>> batches;
    const int64_t promised = info(loader).remaining;
    for (;;) {
      tenon_tensor* field = nullptr;
      int64_t n = -1;
      must(tenon_loader_run(context, loader.get(), &field, 1, &n));
      if (n == 0) break;
      const Tensor owned(field);
      std::vector<uint8_t> bytes(static_cast<size_t>(n));
      must(tenon_tensor_get_data(context, field, bytes.data(), bytes.size()));
      batches.emplace_back(bytes.begin(), bytes.end());
    }
    EXPECT_EQ(promised, static_cast<int64_t>(batches.size()));
    EXPECT_EQ(info(loader).remaining, 0);
    return batches;
  }
  std::vector<int> flat(const Loader& loader) {
    std::vector<int> all;
    for (const auto& batch : rest(loader)) all.insert(all.end(), batch.begin(), batch.end());
    return all;
  }

  Dataset set;
};

// Of rounds of 4 batches, for three processes: the shares are those of one order, without the last
// round, which is not whole.
TEST_F(Loaders, SharesAreOfOneOrder) {
  open(27);
  const std::vector<int> all = flat(loader(2, 7, TENON_LOADER_SHUFFLE));
  const std::vector<std::pair<int64_t, int64_t>> shares = {{0, 1}, {1, 2}, {3, 1}};
  std::vector<std::vector<std::vector<int>>> given;
  for (const auto& [first, count] : shares) {
    const Loader ours = loader(2, 7, TENON_LOADER_SHUFFLE);
    must(tenon_loader_set_workers(context, ours.get(), first == 1 ? 2 : 0));
    must(tenon_loader_set_share(context, ours.get(), first, count, 4));
    EXPECT_EQ(info(ours).length, 3 * count * 2);
    given.push_back(rest(ours));
  }
  std::vector<int> together;
  for (size_t round = 0; round < 3; ++round) {
    for (size_t share = 0; share < shares.size(); ++share) {
      const auto count = static_cast<size_t>(shares[share].second);
      for (size_t k = 0; k < count; ++k) {
        const std::vector<int>& batch = given[share][round * count + k];
        together.insert(together.end(), batch.begin(), batch.end());
      }
    }
  }
  EXPECT_EQ(together, std::vector<int>(all.begin(), all.begin() + 24));
}

TEST_F(Loaders, PhiloxGivesThePublishedWords) {
  uint32_t zeros[4] = {0, 0, 0, 0};
  tenon_sdk_philox(zeros, 0);
  EXPECT_EQ(zeros[0], 0x6627e8d5u);
  EXPECT_EQ(zeros[1], 0xe169c58du);
  EXPECT_EQ(zeros[2], 0xbc57ac4cu);
  EXPECT_EQ(zeros[3], 0x9b00dbd8u);
  uint32_t pi[4] = {0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u};
  tenon_sdk_philox(pi, 0x299f31d0a4093822u);
  EXPECT_EQ(pi[0], 0xd16cfe09u);
  EXPECT_EQ(pi[3], 0x24126ea1u);
}

TEST_F(Loaders, DrawsAreInRangeAndEven) {
  tenon_sdk_random random = {1, 2, 3};
  std::vector<int> counts(6);
  for (int i = 0; i < 60000; ++i) ++counts[tenon_sdk_random_below(&random, 6)];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 500);
  EXPECT_EQ(tenon_sdk_random_below(&random, 1), 0u);
}

TEST_F(Loaders, InOrderWithoutShuffle) {
  open(7);
  const Loader plain = loader(3, 0, 0);
  const std::vector<std::vector<int>> expected = {{0, 1, 2}, {3, 4, 5}, {6}};
  EXPECT_EQ(rest(plain), expected);
  const Loader full = loader(3, 0, TENON_LOADER_DROP_LAST);
  EXPECT_EQ(rest(full), (std::vector<std::vector<int>>{{0, 1, 2}, {3, 4, 5}}));
}

// As many batches as the length divided by the batch says, rounded down or up.
TEST_F(Loaders, OfEveryLength) {
  constexpr int64_t kBatch = 4;
  for (uint32_t length = 1; length <= 13; ++length) {
    SCOPED_TRACE(length);
    open(length);
    for (const uint32_t flags : {0U, TENON_LOADER_DROP_LAST}) {
      const Loader made = loader(kBatch, 0, flags);
      const int64_t n = flags == 0 ? (length + kBatch - 1) / kBatch : length / kBatch;
      EXPECT_EQ(info(made).remaining, n);
      EXPECT_EQ(static_cast<int64_t>(rest(made).size()), n);
    }
  }
}

// Each order of three comes about as often as any other.
TEST_F(Loaders, EveryOrderComes) {
  open(3);
  const Loader made = loader(3, 5, TENON_LOADER_SHUFFLE);
  std::map<std::vector<int>, int> times;
  for (int64_t epoch = 0; epoch < 600; ++epoch) {
    must(tenon_loader_begin(context, made.get(), epoch, 0));
    ++times[flat(made)];
  }
  EXPECT_EQ(times.size(), 6U);
  for (const auto& [order, count] : times) EXPECT_NEAR(count, 100, 40);
}

TEST_F(Loaders, ShuffledEachSampleOnce) {
  open(100);
  const Loader made = loader(8, 5, TENON_LOADER_SHUFFLE);
  std::vector<int> sorted(100);
  std::iota(sorted.begin(), sorted.end(), 0);
  const auto first = flat(made);
  must(tenon_loader_begin(context, made.get(), 1, 0));
  const auto second = flat(made);
  for (auto order : {first, second}) {
    EXPECT_NE(order, sorted);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, sorted);
  }
  EXPECT_NE(first, second);
}

TEST_F(Loaders, OrderDependsOnSeedAndEpochAlone) {
  open(50);
  const Loader one = loader(7, 5, TENON_LOADER_SHUFFLE);
  const Loader two = loader(16, 5, TENON_LOADER_SHUFFLE);
  const Loader other = loader(7, 6, TENON_LOADER_SHUFFLE);
  const auto order = flat(one);
  EXPECT_EQ(flat(two), order);
  EXPECT_NE(flat(other), order);
  must(tenon_loader_begin(context, two.get(), 3, 0));
  const auto later = flat(two);
  EXPECT_NE(later, order);
  must(tenon_loader_begin(context, two.get(), 0, 0));
  EXPECT_EQ(flat(two), order);
  // Going on where an interrupted run was.
  must(tenon_loader_begin(context, one.get(), 3, 21));
  EXPECT_EQ(info(one).epoch, 3);
  EXPECT_EQ(flat(one), std::vector<int>(later.begin() + 21, later.end()));
}

TEST_F(Loaders, EmptySet) {
  open(0);
  const Loader made = loader(4, 0, TENON_LOADER_SHUFFLE);
  EXPECT_TRUE(rest(made).empty());
}

TEST_F(Loaders, TheCoreDrawsTheWordsOfTheSdk) {
  tenon_sdk_random theirs = {0x299f31d0a4093822u, 0x0370734413198a2eu, 0x85a308d3243f6a88u};
  base::Philox ours{theirs.key, theirs.stream, theirs.position};
  for (int i = 0; i < 100; ++i) EXPECT_EQ(ours.next(), tenon_sdk_random_next(&theirs));
  for (uint64_t bound = 1; bound < 100; ++bound) {
    EXPECT_EQ(ours.below(bound), tenon_sdk_random_below(&theirs, bound));
  }
}

// The order that a dataset of this length has, as numbers.
TEST_F(Loaders, NumbersWithoutADataset) {
  open(23);
  const std::vector<int> order = flat(loader(5, 9, TENON_LOADER_SHUFFLE));
  tenon_loader* made = nullptr;
  must(tenon_loader_create_numbers(context, 23, 5, 9, TENON_LOADER_SHUFFLE, &made));
  const Loader numbers(made);
  must(tenon_loader_set_workers(context, made, 2));
  const char* name = nullptr;
  tenon_meta sample{};
  must(tenon_loader_get_field(context, made, 0, &name, &sample));
  EXPECT_STREQ(name, "sample");
  EXPECT_EQ(sample.dtype, TENON_DTYPE_I64);
  EXPECT_EQ(sample.rank, 0);
  std::vector<int> found;
  for (int64_t n = 1; n > 0;) {
    tenon_tensor* field = nullptr;
    must(tenon_loader_run(context, made, &field, 1, &n));
    const Tensor owned(n > 0 ? field : nullptr);
    if (n == 0) break;
    for (const int64_t each : values_of<int64_t>(field)) found.push_back(static_cast<int>(each));
  }
  EXPECT_EQ(found, order);
}

TEST_F(Loaders, HoldsItsDataset) {
  open(6);
  const Loader made = loader(4, 0, 0);
  set.reset();
  EXPECT_EQ(flat(made), (std::vector<int>{0, 1, 2, 3, 4, 5}));
}

TEST_F(Loaders, SaysWhatItIs) {
  open(10);
  const Loader made = loader(4, 6, TENON_LOADER_DROP_LAST);
  must(tenon_loader_set_workers(context, made.get(), 2));
  must(tenon_loader_begin(context, made.get(), 3, 4));
  const tenon_loader_info found = info(made);
  EXPECT_EQ(found.flags, TENON_LOADER_DROP_LAST);
  EXPECT_EQ(found.length, 10);
  EXPECT_EQ(found.batch, 4);
  EXPECT_EQ(found.epoch, 3);
  EXPECT_EQ(found.position, 4);
  EXPECT_EQ(found.remaining, 1);
  EXPECT_EQ(found.seed, 6U);
  EXPECT_EQ(found.n_fields, 1U);
  EXPECT_EQ(found.n_workers, 2U);
}

// How many threads of this process run, or want to.
int awake() {
  int count = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string stat;
    std::getline(std::ifstream(task.path() / "stat"), stat);
    const size_t name_end = stat.rfind(')');  // "12 (name) S ..."
    if (name_end != std::string::npos && stat.substr(name_end + 2, 1) == "R") ++count;
  }
  return count;
}

// The child has none of the threads: it is told so, and its release waits for nobody.
TEST_F(Loaders, AForkedProcessIsToldThatTheWorkersAreNotThere) {
  open(10);
  Loader made = loader(2, 0, 0);
  must(tenon_loader_set_workers(context, made.get(), 2));
  // All is read ahead. AddressSanitizer's allocator has no care for a fork while a thread is in it.
  while (awake() > 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const pid_t child = fork();
  if (child == 0) {
    tenon_tensor* field = nullptr;
    int64_t n = 0;
    const bool told = tenon_loader_run(context, made.get(), &field, 1, &n) == TENON_E_STATE;
    made.reset();
    _exit(told ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(flat(made).size(), 10U);
}

TEST_F(Loaders, WrongArguments) {
  open(5);
  tenon_loader* out = nullptr;
  EXPECT_THAT(refused(tenon_loader_create(context, set.get(), 0, 0, 0, &out), TENON_E_ARGUMENT),
              HasSubstr("loader: a batch has no samples"));
  EXPECT_THAT(refused(tenon_loader_create(context, set.get(), 1, 0, 8, &out), TENON_E_ARGUMENT),
              HasSubstr("loader: unknown flags"));
  EXPECT_EQ(tenon_loader_create(context, set.get(), 1, 0, 0, nullptr), TENON_E_ARGUMENT);
  EXPECT_EQ(tenon_loader_create(context, nullptr, 1, 0, 0, &out), TENON_E_HANDLE);
  EXPECT_THAT(refused(tenon_loader_create_numbers(context, -1, 1, 0, 0, &out), TENON_E_ARGUMENT),
              HasSubstr("loader: the length is negative"));
  EXPECT_EQ(out, nullptr);
  const Loader made = loader(2, 0, 0);
  EXPECT_THAT(refused(tenon_loader_begin(context, made.get(), -1, 0), TENON_E_ARGUMENT),
              HasSubstr("loader: the epoch is negative"));
  EXPECT_THAT(refused(tenon_loader_begin(context, made.get(), 0, 6), TENON_E_ARGUMENT),
              HasSubstr("loader: the position is out of range\n\nposition\n0 to 5\n6"));
  EXPECT_EQ(tenon_loader_begin(context, nullptr, 0, 0), TENON_E_HANDLE);
  EXPECT_THAT(refused(tenon_loader_set_workers(context, made.get(), 65), TENON_E_ARGUMENT),
              HasSubstr("loader: too many workers\n\nn_workers\nat most 64\n65"));
  EXPECT_THAT(
      refused(tenon_loader_get_field(context, made.get(), 1, nullptr, nullptr), TENON_E_NOT_FOUND),
      HasSubstr("loader: there is no field 1"));
  int64_t n = -1;
  tenon_tensor* fields[2] = {};
  // One field too many: the position stays.
  EXPECT_THAT(refused(tenon_loader_run(context, made.get(), fields, 2, &n), TENON_E_ARGUMENT),
              HasSubstr("loader: the number of fields does not fit\n\nn_fields\n1\n2"));
  EXPECT_EQ(info(made).position, 0);
  EXPECT_EQ(n, -1);
  tenon_loader_info small{};
  EXPECT_EQ(tenon_loader_get_info(context, made.get(), &small), TENON_E_ARGUMENT);
  tenon_loader_release(nullptr);
  tenon_runtime* other = nullptr;
  tenon_context* theirs = nullptr;
  must(tenon_runtime_create(nullptr, nullptr, &other));
  must(tenon_context_create(other, nullptr, &theirs));
  EXPECT_EQ(tenon_loader_run(theirs, made.get(), fields, 1, &n), TENON_E_RUNTIME);
  tenon_context_release(theirs);
  tenon_runtime_release(other);
}

}  // namespace
}  // namespace tenon::tests
