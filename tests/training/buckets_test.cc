// SPDX-License-Identifier: Apache-2.0
// tests/training/buckets_test.cc: batches of samples of similar length: every sample once, in an
// order that seed, epoch and lengths fix, in shares and from the middle on; and what is refused.
#include <gmock/gmock.h>
#include <tenon/ext/draft/checkpoints.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/training/training_support.h"

namespace tenon::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Numbers = std::vector<int64_t>;
using Batches = std::vector<Numbers>;

constexpr uint32_t kShuffle = TENON_LOADER_SHUFFLE;

Numbers flat(const Batches& batches) {
  Numbers all;
  for (const Numbers& batch : batches) all.insert(all.end(), batch.begin(), batch.end());
  return all;
}

class Buckets : public Training {
 protected:
  static constexpr int64_t kLength = 107, kBatch = 5, kPool = 4;

  void SetUp() override {
    Training::SetUp();
    std::minstd_rand random(3);
    for (int64_t i = 0; i < kLength; ++i) lengths.push_back(static_cast<int64_t>(random() % 12));
  }
  // Of the samples' numbers; pool 0: without buckets.
  Loader numbers(int64_t pool, uint64_t seed = 7, uint32_t flags = kShuffle, uint32_t workers = 0) {
    tenon_loader* made = nullptr;
    must(tenon_loader_create_numbers(context, kLength, kBatch, seed, flags, &made));
    Loader owned(made);
    must(tenon_loader_set_workers(context, made, workers));
    if (pool != 0) must(tenon_loader_set_buckets(context, made, pool, lengths.data()));
    return owned;
  }
  Batches rest(const Loader& loader) {
    Batches batches;
    for (;;) {
      tenon_tensor* field = nullptr;
      int64_t n = 0;
      must(tenon_loader_run(context, loader.get(), &field, 1, &n));
      if (n == 0) return batches;
      const Tensor owned(field);
      batches.push_back(values_of<int64_t>(field));
    }
  }
  // The order without buckets in pools, each sorted: what must come, but for the batches' places.
  Batches pooled(const Numbers& order) const {
    Batches batches;
    const int64_t full = kLength / kBatch;
    Numbers sorted = order;
    for (int64_t first = 0; first < full; first += kPool) {
      const auto begin = sorted.begin() + first * kBatch;
      std::stable_sort(begin, begin + std::min(kPool, full - first) * kBatch,
                       [&](int64_t a, int64_t b) { return length_of(a) < length_of(b); });
    }
    for (int64_t at = 0; at < kLength; at += kBatch) {
      const auto begin = sorted.begin() + at;
      batches.emplace_back(begin, begin + std::min(kBatch, kLength - at));
    }
    return batches;
  }
  int64_t length_of(int64_t sample) const { return lengths[static_cast<size_t>(sample)]; }

  Numbers lengths;
};

TEST_F(Buckets, AreThePoolsOfTheOrderWithoutThem) {
  for (const int64_t epoch : {0, 1, 5}) {
    const Loader plain = numbers(0), sorted = numbers(kPool);
    must(tenon_loader_begin(context, plain.get(), epoch, 0));
    must(tenon_loader_begin(context, sorted.get(), epoch, 0));
    Batches expected = pooled(flat(rest(plain))), found = rest(sorted);
    // The end of the order, which fills no batch, is the last batch.
    EXPECT_EQ(found.back(), expected.back());
    EXPECT_NE(found, expected) << "the batches keep the places that they have in the pools";
    std::sort(expected.begin(), expected.end());
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, expected);
  }
}

TEST_F(Buckets, InOrderWithoutShuffle) {
  const Batches found = rest(numbers(kPool, 0, 0));
  Numbers order(kLength);
  std::iota(order.begin(), order.end(), 0);
  EXPECT_EQ(found, pooled(order));
}

// Which batch is first is chance, whatever its samples' lengths: the shortest ones do not come
// first, as they would if pools were read one after the other.
TEST_F(Buckets, TheFirstBatchIsAnyOne) {
  const Loader made = numbers(1000);
  std::vector<int> first(12);
  for (int64_t epoch = 0; epoch < 200; ++epoch) {
    must(tenon_loader_begin(context, made.get(), epoch, 0));
    tenon_tensor* field = nullptr;
    int64_t n = 0;
    must(tenon_loader_run(context, made.get(), &field, 1, &n));
    const Tensor owned(field);
    ++first[static_cast<size_t>(length_of(values_of<int64_t>(field)[0]))];
  }
  EXPECT_GT(std::count_if(first.begin(), first.end(), [](int times) { return times > 3; }), 8);
}

TEST_F(Buckets, DependOnSeedAndEpochAndNotOnWorkers) {
  const Batches order = rest(numbers(kPool));
  for (const uint32_t workers : {1U, 3U, 8U}) {
    EXPECT_EQ(rest(numbers(kPool, 7, kShuffle, workers)), order) << workers;
  }
  EXPECT_NE(rest(numbers(kPool, 8)), order);
  const Loader again = numbers(kPool);
  must(tenon_loader_begin(context, again.get(), 1, 0));
  EXPECT_NE(rest(again), order);
  must(tenon_loader_begin(context, again.get(), 0, 0));
  EXPECT_EQ(rest(again), order);
}

TEST_F(Buckets, GoOnInTheMiddleOfAnEpoch) {
  const Loader made = numbers(kPool);
  must(tenon_loader_begin(context, made.get(), 4, 0));
  const Batches all = rest(made);
  for (const uint32_t workers : {0U, 2U}) {
    const Loader other = numbers(kPool, 7, kShuffle, workers);
    must(tenon_loader_begin(context, other.get(), 4, 3 * kBatch));
    EXPECT_EQ(rest(other), Batches(all.begin() + 3, all.end()));
  }
}

TEST_F(Buckets, SharesAreOfOneOrder) {
  const Batches all = rest(numbers(kPool));
  Batches together;
  std::vector<Batches> given;
  for (int64_t process = 0; process < 3; ++process) {
    const Loader ours = numbers(kPool, 7, kShuffle, process == 1 ? 2 : 0);
    must(tenon_loader_set_share(context, ours.get(), process, 1, 3));
    given.push_back(rest(ours));
    ASSERT_EQ(given.back().size(), 7U);
    // In either order of the two calls.
    const Loader other = numbers(0);
    must(tenon_loader_set_share(context, other.get(), process, 1, 3));
    must(tenon_loader_set_buckets(context, other.get(), kPool, lengths.data()));
    EXPECT_EQ(rest(other), given.back());
  }
  for (size_t round = 0; round < 7; ++round) {
    for (const Batches& each : given) together.push_back(each[round]);
  }
  EXPECT_EQ(together, Batches(all.begin(), all.begin() + 21));
}

// What is left out is the end of the order, as without buckets, and not the longest samples.
TEST_F(Buckets, DropTheSamplesThatAreDroppedWithoutThem) {
  const auto sorted = [](Numbers numbers) {
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  };
  constexpr uint32_t kDrop = kShuffle | TENON_LOADER_DROP_LAST;
  EXPECT_EQ(sorted(flat(rest(numbers(1000, 7, kDrop)))), sorted(flat(rest(numbers(0, 7, kDrop)))));
}

TEST_F(Buckets, OfEveryLength) {
  for (int64_t length = 0; length <= 13; ++length) {
    for (const int64_t pool : {int64_t{2}, int64_t{3}, INT64_MAX}) {
      tenon_loader* made = nullptr;
      must(tenon_loader_create_numbers(context, length, 3, 1, kShuffle, &made));
      const Loader owned(made);
      must(tenon_loader_set_buckets(context, made, pool, lengths.data()));
      Numbers found = flat(rest(owned)), expected(static_cast<size_t>(length));
      std::sort(found.begin(), found.end());
      std::iota(expected.begin(), expected.end(), 0);
      EXPECT_EQ(found, expected) << length << " in pools of " << pool;
    }
  }
}

TEST_F(Buckets, AreToldAndTakenAway) {
  const Loader made = numbers(kPool);
  EXPECT_EQ(info(made).pool, kPool);
  must(tenon_loader_begin(context, made.get(), 2, 10));
  must(tenon_loader_set_buckets(context, made.get(), 0, nullptr));
  EXPECT_EQ(info(made).pool, 0);
  EXPECT_EQ(info(made).epoch, 2);
  EXPECT_EQ(info(made).position, 0);
  const Loader plain = numbers(0);
  must(tenon_loader_begin(context, plain.get(), 2, 0));
  EXPECT_EQ(rest(made), rest(plain));
  // A program from before `pool` was appended gets what it knows.
  struct {
    tenon_loader_info known;
  } older{};
  older.known.struct_size = offsetof(tenon_loader_info, pool);
  older.known.pool = -5;
  must(tenon_loader_get_info(context, numbers(kPool).get(), &older.known));
  EXPECT_EQ(older.known.struct_size, offsetof(tenon_loader_info, pool));
  EXPECT_EQ(older.known.n_fields, 1U);
  EXPECT_EQ(older.known.pool, -5);
}

TEST_F(Buckets, WrongOnesChangeNothing) {
  const Loader made = numbers(kPool);
  const Batches before = rest(numbers(kPool));
  const auto words = [&](int64_t pool, const int64_t* given) {
    return refused(tenon_loader_set_buckets(context, made.get(), pool, given), TENON_E_ARGUMENT);
  };
  EXPECT_THAT(words(1, lengths.data()),
              HasSubstr("loader: a pool has too few batches to sort samples by length among them"
                        "\n\npool\n2 or more, or 0 for none\n1"));
  EXPECT_THAT(words(-2, lengths.data()), HasSubstr("2 or more, or 0 for none\n-2"));
  EXPECT_THAT(words(3, nullptr),
              HasSubstr("loader: it has no dataset that could say how long its samples are\n\n"
                        "lengths\nthe lengths of 107 samples\nNULL"));
  Numbers wrong = lengths;
  wrong[40] = -3;
  EXPECT_THAT(words(3, wrong.data()),
              HasSubstr("loader: the length of sample 40 is negative\n\nlengths\n0 or more\n-3"));
  EXPECT_EQ(tenon_loader_set_buckets(context, nullptr, 3, lengths.data()), TENON_E_HANDLE);
  EXPECT_EQ(info(made).pool, kPool);
  EXPECT_EQ(rest(made), before);
}

TEST_F(Buckets, ADatasetThatSaysNoLengthsIsNamed) {
  const Dataset bytes = dataset({{"images", text(write("set", idx_file(0x08, {3}, {1, 2, 3})))}});
  const Loader made = loader(bytes, 2, 0, 0);
  EXPECT_THAT(
      refused(tenon_loader_set_buckets(context, made.get(), 2, nullptr), TENON_E_UNSUPPORTED),
      HasSubstr("tenon.idx: does not say how long its samples are\ntenon.idx\ndataset\na "
                "dataset with the callback `lengths`\none without\ntenon.data\ngive the loader "
                "the lengths, or let its batches be of any length"));
  EXPECT_EQ(info(made).pool, 0);
  // Its program can.
  const int64_t given[] = {5, 1, 2};
  must(tenon_loader_set_buckets(context, made.get(), 2, given));
  EXPECT_EQ(info(made).pool, 2);
}

// ---- The lengths of tenon.tokens ----------------------------------------------------------------

class Lines : public Training {
 protected:
  // Documents of so many tokens, each with the separator 0 at its end.
  Dataset lines(const Numbers& sizes, int64_t window, std::vector<Option> more = {}) {
    std::string bytes;
    for (const int64_t size : sizes) {
      for (int64_t i = 0; i < size; ++i) bytes += {static_cast<char>(i + 1 == size ? 0 : 1), 0};
    }
    const std::string file = write("lines", bytes);
    more.push_back({"paths", text(file)});
    more.push_back({"dtype", text("u16")});
    more.push_back({"separator", whole(0)});
    more.push_back({"window", whole(window)});
    return dataset("tenon.tokens", more);
  }
  Numbers lengths(const Dataset& set, int64_t first, int64_t count) {
    Numbers found(static_cast<size_t>(count));
    must(tenon_dataset_get_lengths(context, set.get(), first, count, found.data()));
    return found;
  }
  int64_t size(const Dataset& set) {
    int64_t n = 0;
    must(tenon_dataset_get_length(context, set.get(), &n));
    return n;
  }
};

TEST_F(Lines, SayHowLongTheyAre) {
  // A document of one token has no target and is no sample; longer ones have several windows.
  const Dataset padded = lines({3, 1, 9, 2, 5}, 4, {{"pad", whole(1)}});
  ASSERT_EQ(size(padded), 5);
  EXPECT_THAT(lengths(padded, 0, 5), ElementsAre(2, 4, 4, 1, 4));
  for (int64_t i = 0; i < 5; ++i) EXPECT_THAT(lengths(padded, i, 5 - i).size(), 5 - i);
  EXPECT_THAT(lengths(padded, 2, 2), ElementsAre(4, 1));
  EXPECT_THAT(lengths(padded, 5, 0), ElementsAre());
  const Dataset full = lines({3, 1, 9, 2, 5}, 4);
  EXPECT_THAT(lengths(full, 0, size(full)), ElementsAre(4, 4, 4));
}

TEST_F(Lines, OutsideOfTheDatasetThereAreNoLengths) {
  const Dataset set = lines({3, 4}, 4, {{"pad", whole(1)}});
  int64_t found[2] = {-7, -7};
  const auto words = [&](int64_t first, int64_t count) {
    return refused(tenon_dataset_get_lengths(context, set.get(), first, count, found),
                   TENON_E_ARGUMENT);
  };
  EXPECT_THAT(words(1, 2), HasSubstr("tenon.tokens: lengths of samples that are not there"));
  EXPECT_THAT(words(1, 2), HasSubstr("first\nsamples of 0 to 1\n2 from 1 on"));
  words(-1, 1);
  words(3, 0);
  words(0, -1);
  words(0, INT64_MAX);
  EXPECT_EQ(tenon_dataset_get_lengths(context, set.get(), 0, 1, nullptr), TENON_E_ARGUMENT);
  EXPECT_EQ(tenon_dataset_get_lengths(context, nullptr, 0, 1, found), TENON_E_HANDLE);
  EXPECT_THAT(found, ElementsAre(-7, -7));
}

// Of what is read, cut to the longest sample of each batch, as docs/data.md does it.
TEST_F(Lines, InBucketsAreHardlyPadded) {
  Numbers sizes;
  std::minstd_rand random(5);
  for (int i = 0; i < 1000; ++i) sizes.push_back(static_cast<int64_t>(2 + random() % 60));
  const Dataset set = lines(sizes, 64, {{"pad", whole(1)}});
  const auto padding = [&](int64_t pool, uint32_t workers) {
    const Loader made = loader(set, 16, 2, kShuffle, workers);
    must(tenon_loader_set_buckets(context, made.get(), pool, nullptr));
    int64_t tokens = 0, cells = 0, samples = 0;
    for (;;) {
      tenon_tensor* fields[3] = {};
      int64_t n = 0;
      must(tenon_loader_run(context, made.get(), fields, 3, &n));
      if (n == 0) break;
      const Tensor owned[] = {Tensor(fields[0]), Tensor(fields[1]), Tensor(fields[2])};
      const Numbers found = values_of<int64_t>(fields[2]);
      cells += n * *std::max_element(found.begin(), found.end());
      tokens += std::accumulate(found.begin(), found.end(), int64_t{0});
      samples += n;
    }
    EXPECT_EQ(samples, 1000);
    return static_cast<double>(cells - tokens) / static_cast<double>(cells);
  };
  EXPECT_GT(padding(0, 0), 0.4);
  EXPECT_LT(padding(20, 0), 0.08);
  EXPECT_EQ(padding(20, 2), padding(20, 0));
}

// ---- Checkpoints --------------------------------------------------------------------------------

TEST_F(Buckets, ARunGoesOnInTheSameOrderOrNotAtAll) {
  const auto checkpoint_of = [&](const Loader& of) {
    tenon_checkpoint* made = nullptr;
    must(tenon_checkpoint_create(context, &made));
    must(tenon_checkpoint_set_loader(context, made, "loader", TENON_NUL, of.get()));
    return std::unique_ptr<tenon_checkpoint, decltype(&tenon_checkpoint_release)>(
        made, tenon_checkpoint_release);
  };
  const std::string file = path("run.safetensors");
  const Loader first = numbers(kPool);
  must(tenon_loader_begin(context, first.get(), 3, 4 * kBatch));
  must(tenon_checkpoint_save(context, checkpoint_of(first).get(), file.data(), file.size()));
  const auto load = [&](const Loader& into) {
    return tenon_checkpoint_load(context, checkpoint_of(into).get(), file.data(), file.size(), 0,
                                 nullptr);
  };
  const Loader second = numbers(kPool, 7, kShuffle, 2);
  must(load(second));
  EXPECT_EQ(rest(second), rest(first));
  EXPECT_THAT(refused(load(numbers(0)), TENON_E_DATA),
              HasSubstr("checkpoint: \"loader.pool\" is another one: the order of the samples "
                        "would be another\n\nloader.pool\n0\n4"));
  tenon_loader* made = nullptr;
  must(tenon_loader_create_numbers(context, kLength, kBatch + 1, 7, kShuffle, &made));
  const Loader wider(made);
  must(tenon_loader_set_buckets(context, made, kPool, lengths.data()));
  EXPECT_THAT(refused(load(wider), TENON_E_DATA),
              HasSubstr("checkpoint: \"loader.batch\" is another one"));
}

}  // namespace
}  // namespace tenon::tests
