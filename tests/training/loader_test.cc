// SPDX-License-Identifier: Apache-2.0
// tests/training/loader_test.cc: every sample once an epoch, in an order that seed and epoch fix.
#include <tenon/sdk/client/loader.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "tests/training/training_support.h"

namespace tenon::tests {
namespace {

class Loader : public Training {
 protected:
  // A set whose sample i is the byte i.
  void open(uint32_t length) {
    std::string payload;
    for (uint32_t i = 0; i < length; ++i) payload += static_cast<char>(i);
    set = dataset({{"images", text(write("set", idx_file(0x08, {length}, payload)))}});
  }
  tenon_sdk_loader loader(int64_t batch, uint64_t seed, uint32_t flags) {
    tenon_sdk_loader made{};
    must(tenon_sdk_loader_create(context, set.get(), batch, seed, flags, &made));
    return made;
  }
  // What is left of the epoch, batch by batch.
  std::vector<std::vector<int>> rest(tenon_sdk_loader& loader) {
    std::vector<std::vector<int>> batches;
    const int64_t promised = tenon_sdk_loader_get_rest(&loader);
    for (;;) {
      tenon_tensor* field = nullptr;
      int64_t n = -1;
      must(tenon_sdk_loader_next(context, &loader, &field, 1, &n));
      if (n == 0) break;
      const Tensor owned(field);
      std::vector<uint8_t> bytes(static_cast<size_t>(n));
      must(tenon_tensor_get_data(context, field, bytes.data(), bytes.size()));
      batches.emplace_back(bytes.begin(), bytes.end());
    }
    EXPECT_EQ(promised, static_cast<int64_t>(batches.size()));
    EXPECT_EQ(tenon_sdk_loader_get_rest(&loader), 0);
    return batches;
  }
  std::vector<int> flat(tenon_sdk_loader& loader) {
    std::vector<int> all;
    for (const auto& batch : rest(loader)) all.insert(all.end(), batch.begin(), batch.end());
    return all;
  }

  Dataset set;
};

TEST_F(Loader, PhiloxGivesThePublishedWords) {
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

TEST_F(Loader, DrawsAreInRangeAndEven) {
  tenon_sdk_random random = {1, 2, 3};
  std::vector<int> counts(6);
  for (int i = 0; i < 60000; ++i) ++counts[tenon_sdk_random_below(&random, 6)];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 500);
  EXPECT_EQ(tenon_sdk_random_below(&random, 1), 0u);
}

TEST_F(Loader, InOrderWithoutShuffle) {
  open(7);
  tenon_sdk_loader plain = loader(3, 0, 0);
  const std::vector<std::vector<int>> expected = {{0, 1, 2}, {3, 4, 5}, {6}};
  EXPECT_EQ(rest(plain), expected);
  tenon_sdk_loader_release(&plain);
  tenon_sdk_loader full = loader(3, 0, TENON_SDK_LOADER_DROP_LAST);
  EXPECT_EQ(rest(full), (std::vector<std::vector<int>>{{0, 1, 2}, {3, 4, 5}}));
  tenon_sdk_loader_release(&full);
}

// As many batches as the length divided by the batch says, rounded down or up.
TEST_F(Loader, OfEveryLength) {
  constexpr int64_t kBatch = 4;
  for (uint32_t length = 1; length <= 13; ++length) {
    SCOPED_TRACE(length);
    open(length);
    for (const uint32_t flags : {0U, TENON_SDK_LOADER_DROP_LAST}) {
      tenon_sdk_loader made = loader(kBatch, 0, flags);
      const int64_t n = flags == 0 ? (length + kBatch - 1) / kBatch : length / kBatch;
      EXPECT_EQ(tenon_sdk_loader_get_rest(&made), n);
      EXPECT_EQ(static_cast<int64_t>(rest(made).size()), n);
      tenon_sdk_loader_release(&made);
    }
  }
}

// Each order of three comes about as often as any other.
TEST_F(Loader, EveryOrderComes) {
  open(3);
  tenon_sdk_loader made = loader(3, 5, TENON_SDK_LOADER_SHUFFLE);
  std::map<std::vector<int>, int> times;
  for (int64_t epoch = 0; epoch < 600; ++epoch) {
    must(tenon_sdk_loader_begin(&made, epoch, 0));
    ++times[flat(made)];
  }
  EXPECT_EQ(times.size(), 6U);
  for (const auto& [order, count] : times) EXPECT_NEAR(count, 100, 40);
  tenon_sdk_loader_release(&made);
}

TEST_F(Loader, ShuffledEachSampleOnce) {
  open(100);
  tenon_sdk_loader made = loader(8, 5, TENON_SDK_LOADER_SHUFFLE);
  std::vector<int> sorted(100);
  std::iota(sorted.begin(), sorted.end(), 0);
  const auto first = flat(made);
  must(tenon_sdk_loader_begin(&made, 1, 0));
  const auto second = flat(made);
  for (auto order : {first, second}) {
    EXPECT_NE(order, sorted);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, sorted);
  }
  EXPECT_NE(first, second);
  tenon_sdk_loader_release(&made);
}

TEST_F(Loader, OrderDependsOnSeedAndEpochAlone) {
  open(50);
  tenon_sdk_loader one = loader(7, 5, TENON_SDK_LOADER_SHUFFLE);
  tenon_sdk_loader two = loader(16, 5, TENON_SDK_LOADER_SHUFFLE);
  tenon_sdk_loader other = loader(7, 6, TENON_SDK_LOADER_SHUFFLE);
  const auto order = flat(one);
  EXPECT_EQ(flat(two), order);
  EXPECT_NE(flat(other), order);
  must(tenon_sdk_loader_begin(&two, 3, 0));
  const auto later = flat(two);
  EXPECT_NE(later, order);
  must(tenon_sdk_loader_begin(&two, 0, 0));
  EXPECT_EQ(flat(two), order);
  // Going on where an interrupted run was.
  must(tenon_sdk_loader_begin(&one, 3, 21));
  EXPECT_EQ(one.epoch, 3);
  EXPECT_EQ(flat(one), std::vector<int>(later.begin() + 21, later.end()));
  for (tenon_sdk_loader* each : {&one, &two, &other}) tenon_sdk_loader_release(each);
}

TEST_F(Loader, EmptySet) {
  open(0);
  tenon_sdk_loader made = loader(4, 0, TENON_SDK_LOADER_SHUFFLE);
  EXPECT_TRUE(rest(made).empty());
  tenon_sdk_loader_release(&made);
}

TEST_F(Loader, WrongArguments) {
  open(5);
  tenon_sdk_loader made{};
  EXPECT_EQ(tenon_sdk_loader_create(context, set.get(), 0, 0, 0, &made), TENON_E_ARGUMENT);
  EXPECT_EQ(tenon_sdk_loader_create(context, set.get(), 1, 0, 8, &made), TENON_E_ARGUMENT);
  EXPECT_EQ(tenon_sdk_loader_create(context, set.get(), 1, 0, 0, nullptr), TENON_E_ARGUMENT);
  EXPECT_EQ(tenon_sdk_loader_create(context, nullptr, 1, 0, 0, &made), TENON_E_HANDLE);
  made = loader(2, 0, 0);
  EXPECT_EQ(tenon_sdk_loader_begin(&made, -1, 0), TENON_E_ARGUMENT);
  EXPECT_EQ(tenon_sdk_loader_begin(&made, 0, 6), TENON_E_ARGUMENT);
  EXPECT_EQ(tenon_sdk_loader_begin(nullptr, 0, 0), TENON_E_ARGUMENT);
  int64_t n = -1;
  tenon_tensor* fields[2] = {};
  // One field too many: the library's own error, and the position stays.
  EXPECT_NE(tenon_sdk_loader_next(context, &made, fields, 2, &n), TENON_OK);
  EXPECT_EQ(made.position, 0);
  EXPECT_EQ(n, -1);
  tenon_sdk_loader_release(&made);
  tenon_sdk_loader_release(nullptr);
}

}  // namespace
}  // namespace tenon::tests
