// SPDX-License-Identifier: Apache-2.0
// tests/training/loader_state_test.cc: where a loader is, saved at every moment of an epoch and
// loaded into another one; what is not its state is refused, and leaves it as it was.
#include <gmock/gmock.h>
#include <tenon/ext/draft/checkpoints.h>

#include <functional>

#include "tests/training/training_support.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;
using Batches = std::vector<std::vector<int64_t>>;

constexpr int64_t kLength = 23, kBatch = 4;

// How a loader is made.
struct Kind {
  std::string name;
  uint32_t flags = TENON_LOADER_SHUFFLE;
  int64_t pool = 0;
  int64_t first = 0, count = 1, of = 1;
  int64_t length = kLength, batch = kBatch;
  uint64_t seed = 11;
};

const Kind kKinds[] = {
    {"in order", 0},
    {"shuffled"},
    {"shuffled, full batches", TENON_LOADER_SHUFFLE | TENON_LOADER_DROP_LAST},
    {"in order, full batches", TENON_LOADER_DROP_LAST},
    {"buckets", TENON_LOADER_SHUFFLE, 2},
    {"a share", TENON_LOADER_SHUFFLE, 0, 1, 1, 2},
    {"no samples", TENON_LOADER_SHUFFLE, 0, 0, 1, 1, 0},
};

class LoaderState : public Training {
 protected:
  Loader make(const Kind& kind, uint32_t workers = 0) {
    tenon_loader* made = nullptr;
    must(tenon_loader_create_numbers(context, kind.length, kind.batch, kind.seed, kind.flags,
                                     &made));
    std::vector<int64_t> lengths;
    for (int64_t i = 0; i < kind.length; ++i) lengths.push_back(i * 7 % 5);
    if (kind.pool) must(tenon_loader_set_buckets(context, made, kind.pool, lengths.data()));
    if (kind.of > 1) must(tenon_loader_set_share(context, made, kind.first, kind.count, kind.of));
    must(tenon_loader_set_workers(context, made, workers));
    return Loader(made);
  }
  std::vector<int64_t> next(const Loader& loader) {
    tenon_tensor* field = nullptr;
    int64_t n = 0;
    must(tenon_loader_run(context, loader.get(), &field, 1, &n));
    const Tensor owned(field);
    return n == 0 ? std::vector<int64_t>() : values_of<int64_t>(field);
  }
  // What is left of this epoch, and all of the next one.
  Batches rest(const Loader& loader) {
    Batches all;
    for (int epochs = 0; epochs < 2; ++epochs) {
      for (auto batch = next(loader); !batch.empty(); batch = next(loader)) all.push_back(batch);
      all.emplace_back();
      must(tenon_loader_begin(context, loader.get(), info(loader).epoch + 1, 0));
    }
    return all;
  }
  void save(const Loader& loader) { with(loader, tenon_checkpoint_save); }
  tenon_status load(const Loader& loader) {
    tenon_status status = TENON_OK;
    with(loader, [&](tenon_context* cx, tenon_checkpoint* run, const char* file, uint64_t length) {
      status = tenon_checkpoint_load(cx, run, file, length, 0, nullptr);
      return TENON_OK;
    });
    return status;
  }
  // The file holds what `from` is after so many batches; `to` must refuse it, and go on as it
  // would.
  std::string refusal(const Kind& from, int batches, const Kind& to) {
    const Loader saved = make(from);
    for (int i = 0; i < batches; ++i) next(saved);
    save(saved);
    const Loader here = make(to, 2), other = make(to);
    next(here), next(other);
    const std::string words = refused(load(here), TENON_E_DATA);
    EXPECT_EQ(rest(here), rest(other));
    return words;
  }

 private:
  void with(const Loader& loader,
            const std::function<tenon_status(tenon_context*, tenon_checkpoint*, const char*,
                                             uint64_t)>& body) {
    const std::string file = path("run.safetensors");
    tenon_checkpoint* run = nullptr;
    must(tenon_checkpoint_create(context, &run));
    must(tenon_checkpoint_set_loader(context, run, "loader", TENON_NUL, loader.get()));
    must(body(context, run, file.data(), file.size()));
    tenon_checkpoint_release(run);
  }
};

// Every kind, with and without workers, after every number of batches: before the first, in the
// middle, before the last one, at the end; in the first epoch and in a later one.
TEST_F(LoaderState, IsAsItWasAtEveryMoment) {
  for (const Kind& kind : kKinds) {
    for (const int64_t epoch : {0, 3}) {
      for (int64_t batches = 0; batches <= 6; ++batches) {
        const auto workers = static_cast<uint32_t>(batches % 3);
        SCOPED_TRACE(testing::Message() << kind.name << ", epoch " << epoch << ", batch " << batches
                                        << ", workers " << workers);
        const Loader first = make(kind, workers);
        must(tenon_loader_begin(context, first.get(), epoch, 0));
        for (int64_t i = 0; i < batches; ++i) next(first);
        save(first);
        const tenon_loader_info then = info(first);
        const Batches expected = rest(first);
        const Loader second = make(kind, 2 - workers);
        next(second);
        must(load(second));
        const tenon_loader_info now = info(second);
        EXPECT_EQ(now.epoch, then.epoch);
        EXPECT_EQ(now.position, then.position);
        EXPECT_EQ(now.remaining, then.remaining);
        EXPECT_EQ(rest(second), expected);
      }
    }
  }
}

TEST_F(LoaderState, OfALoaderWithAnotherOrderIsRefused) {
  const Kind shuffled = kKinds[1], buckets = kKinds[4];
  const auto changed = [](Kind kind, auto&& change) {
    change(kind);
    return kind;
  };
  const struct {
    const char* name;
    Kind from, to;
    const char* words;
  } cases[] = {
      {"seed", shuffled, changed(shuffled, [](Kind& k) { k.seed = 12; }), "\"loader.seed\""},
      {"shorter data", shuffled, changed(shuffled, [](Kind& k) { k.length = 22; }),
       "\"loader.samples\" is another one: the order of the samples would be another"},
      {"longer data", shuffled, changed(shuffled, [](Kind& k) { k.length = 24; }),
       "loader.samples\n24\n23\n"},
      {"in order", shuffled, kKinds[0], "\"loader.shuffle\" is another one"},
      {"shuffled", kKinds[0], shuffled, "\"loader.shuffle\" is another one"},
      {"without buckets", buckets, shuffled, "\"loader.pool\" is another one"},
      {"with buckets", shuffled, buckets, "\"loader.pool\" is another one"},
      {"a larger pool", buckets, changed(buckets, [](Kind& k) { k.pool = 3; }), "\"loader.pool\""},
      {"other buckets", buckets, changed(buckets, [](Kind& k) { k.batch = 5; }),
       "\"loader.batch\" is another one"},
  };
  for (const auto& each : cases) {
    SCOPED_TRACE(each.name);
    EXPECT_THAT(refusal(each.from, 2, each.to), HasSubstr(each.words));
  }
}

// Another size of batches, or another number of processes: the order is the same, and goes on where
// all of them were.
TEST_F(LoaderState, GoesOnWithOtherBatchesAndShares) {
  const Kind plain = kKinds[1];
  const auto share = [&](int64_t first, int64_t count, int64_t of) {
    Kind kind = plain;
    kind.first = first, kind.count = count, kind.of = of, kind.batch = 2;
    return kind;
  };
  Kind wide = plain;
  wide.batch = 6;
  const struct {
    const char* name;
    Kind from;
    int batches;
    Kind to;
    int64_t position;
  } cases[] = {
      {"other batches", plain, 3, wide, 12},
      {"one process fewer", share(0, 1, 4), 1, share(0, 2, 4), 4},
      {"one process alone", share(1, 1, 4), 1, plain, 8},
      {"more processes", plain, 2, share(2, 1, 4), 2},
      {"other rounds", share(0, 1, 4), 1, share(1, 1, 2), 4},
      {"in a round", share(0, 2, 4), 3, share(0, 1, 4), 2},
      {"all of a share", share(0, 1, 4), 2, share(3, 1, 4), 4},
      {"the end of a share", share(0, 1, 4), 9, share(0, 2, 4), 8},
      {"the end of all", plain, 9, share(0, 1, 4), 4},
      {"the end for one", share(0, 1, 4), 9, plain, 23},
  };
  for (const auto& each : cases) {
    SCOPED_TRACE(each.name);
    const Loader saved = make(each.from, 1);
    for (int i = 0; i < each.batches; ++i) next(saved);
    save(saved);
    const Loader resumed = make(each.to, 1);
    must(load(resumed));
    EXPECT_EQ(info(resumed).position, each.position);
    const Loader other = make(each.to);
    must(tenon_loader_begin(context, other.get(), 0, each.position));
    EXPECT_EQ(rest(resumed), rest(other));
  }
  EXPECT_THAT(refusal(wide, 1, share(0, 1, 4)),
              HasSubstr("\"loader.position\" is in the middle of a round of all processes' "
                        "batches\n\nloader.position\na multiple of 8\n6\n"));
}

}  // namespace
}  // namespace tenon::tests
