// SPDX-License-Identifier: Apache-2.0
// tests/cpp/processes_test.cc: groups, transfers and shared steps in C++, and what is left of a
// step whose scope is left before its end.
#include <gtest/gtest.h>
#include <tenon/tenon.hpp>

#include <chrono>

#include "tests/processes/processes_support.h"

namespace tn = tenon;
using tenon::Tensor;
using tenon::processes::Collective;
using tenon::processes::DataParallel;
using tenon::processes::Group;
using tenon::processes::Shard;

namespace {

std::vector<float> numbers(const Tensor& x) { return x.to_vector<float>(); }

// What the call throws; its status is TENON_OK if it throws nothing.
template <class Call>
tn::ErrorRecord error_of(Call call) {
  try {
    call();
  } catch (const tn::Error& error) {
    return error.record();
  }
  tn::ErrorRecord none;
  none.status = TENON_OK;
  return none;
}

Group alone() { return tn::processes::join("tenon.self"); }

// ---- Groups and transfers -----------------------------------------------------------------------

TEST(CppGroups, AreJoinedAndParted) {
  const Group world = tn::processes::join("tenon.self", {}, std::chrono::seconds(5));
  EXPECT_EQ(world.rank(), 0);
  EXPECT_EQ(world.size(), 1);
  world.barrier();
  EXPECT_EQ(world.info().transfers, 1);
  const Group part = world.split(3, -1);
  EXPECT_GT(part.number(), world.number());
  EXPECT_EQ(numbers(tn::all_reduce(tn::full({2}, 4.0), {.group = part.number()})),
            (std::vector<float>{4, 4}));
  EXPECT_EQ(error_of([&] { world.split(-1); }).status, TENON_E_ARGUMENT);
  const auto nobody = [] { tn::processes::join("acme.none"); };
  EXPECT_EQ(error_of(nobody).status, TENON_E_NOT_FOUND);
  const auto unknown = [] { tn::processes::join("tenon.self", {{"speed", 3}}); };
  EXPECT_EQ(error_of(unknown).status, TENON_E_ATTRIBUTE);
  const auto negative = [] { tn::processes::join("tenon.self", {}, std::chrono::seconds(-1)); };
  EXPECT_EQ(error_of(negative).operand, "timeout");
}

TEST(CppGroups, SendBesideTheProgram) {
  const Group world = alone();
  const Tensor x = tn::tensor({1.0, 2.0}), y = tn::zeros({1, 2});
  const tn::processes::Transfer transfer = world.begin({Collective::all_gather, x, y});
  transfer.end();
  EXPECT_TRUE(transfer.ended());
  EXPECT_EQ(numbers(y), (std::vector<float>{1, 2}));
  transfer.end();  // tells the same again
  const auto without = [&] { return world.begin({Collective::all_reduce, x}); };
  EXPECT_EQ(error_of(without).operand, "output");
  const auto both = [&] { return world.begin_all({{Collective::barrier}, {Collective::barrier}}); };
  EXPECT_EQ(error_of(both).status, TENON_E_ARGUMENT);
}

// ---- A step -------------------------------------------------------------------------------------

TEST(CppDataParallel, HasTheGradientOfTheMeanOfShards) {
  const Tensor weight = tn::tensor({2.0}).set_requires_grad();
  for (const std::optional<Group>& group : {std::optional<Group>(), std::optional(alone())}) {
    DataParallel parallel({weight}, {.group = group, .shards = 2});
    EXPECT_EQ(parallel.info().n_shards, 2);
    const Tensor batch = tn::tensor({1.0, 2.0, 3.0, 6.0});
    for (int step = 0; step < 2; ++step) {  // the gradient of the step before is dropped
      EXPECT_EQ(parallel.step(), step);
      std::vector<std::int64_t> seen;
      for (Shard& shard : parallel.shards()) {
        seen.push_back(shard.number());
        shard.backward(tn::mean(shard.part(batch) * weight));
      }
      EXPECT_EQ(seen, (std::vector<std::int64_t>{0, 1}));
      EXPECT_EQ(numbers(weight.grad()), (std::vector<float>{3}));
    }
    EXPECT_EQ(parallel.clip(1.5), 3);
    EXPECT_NEAR(numbers(weight.grad())[0], 1.5, 1e-5);
    parallel.set_step(7);
    EXPECT_EQ(parallel.step(), 7);
  }
}

TEST(CppDataParallel, SharesStates) {
  Tensor weight = tn::tensor({2.0}).set_requires_grad();
  DataParallel parallel({weight}, {.shards = 2, .bucket_bytes = 64});
  tn::Optimizer sgd = tn::optim::sgd({weight}, {.lr = 0.5, .momentum = 0.9});
  parallel.share_states(sgd);
  for (Shard& shard : parallel.shards()) shard.backward(tn::sum(weight * 2));
  sgd.step();
  parallel.gather_states();
  EXPECT_EQ(numbers(weight), (std::vector<float>{1}));
  EXPECT_EQ(numbers(sgd.state(0, "momentum_buffer")), (std::vector<float>{2}));
}

// ---- A step that is left ------------------------------------------------------------------------

enum class Ending { none, wrong_call, exception, leaves, no_backward, wrong_loss };

// What a run of three steps is made of.
struct Training {
  tn::Layer model;
  DataParallel parallel;
  tn::Optimizer adam;

  explicit Training(const std::optional<Group>& group = {}, std::int64_t shards = 2)
      : model(make_model()),
        parallel(model, {.group = group, .shards = shards}),
        adam(tn::optim::adam(model, {.lr = 0.1})) {}

  static tn::Layer make_model() {
    tn::seed(5);
    return tn::nn::sequential({tn::nn::linear({.inputs = 3, .outputs = 4}),
                               tn::nn::batch_norm({.features = 4}), tn::nn::dropout({.p = 0.5}),
                               tn::nn::linear({.inputs = 4, .outputs = 1})});
  }

  // One step; in the forward of shard number `where` it ends otherwise.
  void step(Ending ending = Ending::none, std::int64_t where = 1) {
    const Tensor batch = tn::arange({.stop = 24, .dtype = tn::float32}).reshape({8, 3}) / 24;
    for (Shard& shard : parallel.shards()) {
      const Tensor out = model(shard.part(batch));
      if (shard.number() != where) {
        shard.backward(tn::mean(out * out));
        continue;
      }
      if (ending == Ending::leaves) return;
      if (ending == Ending::exception) throw std::out_of_range("mine");
      if (ending == Ending::wrong_call) out + tn::ones({7, 7});
      if (ending == Ending::no_backward) continue;
      shard.backward(ending == Ending::wrong_loss ? Tensor() : tn::mean(out * out));
    }
    adam.step();
  }

  std::vector<float> tensors() const {
    std::vector<float> all;
    for (const tn::NamedTensor& each : model.state_dict()) {
      const std::vector<float> these = numbers(each.tensor.astype(tn::float32));
      all.insert(all.end(), these.begin(), these.end());
    }
    return all;
  }
};

// All numbers of a run that are there after each step, with what its program draws itself.
std::vector<float> numbers_of_run(Ending ending) {
  Training run;
  std::vector<float> all;
  for (int step = 0; step < 3; ++step) {
    if (step == 1 && ending != Ending::none) {
      const std::vector<float> before = run.tensors();
      const tn::ErrorRecord error = error_of([&] {
        try {
          run.step(ending);
        } catch (const std::out_of_range&) {
          EXPECT_EQ(ending, Ending::exception);
        }
      });
      const tenon_status expected = ending == Ending::wrong_call    ? TENON_E_SHAPE
                                    : ending == Ending::no_backward ? TENON_E_STATE
                                    : ending == Ending::wrong_loss  ? TENON_E_HANDLE
                                                                    : TENON_OK;
      EXPECT_EQ(error.status, expected) << error.message;
      if (ending == Ending::no_backward) {
        EXPECT_EQ(error.message,
                  "DataParallel::shards: shard: expected shard.backward(loss) before the next "
                  "shard, found none for shard 1");
      }
      EXPECT_EQ(run.tensors(), before);
      EXPECT_EQ(run.parallel.step(), 1);
      for (const Tensor& each : run.model.parameters()) EXPECT_FALSE(each.grad().defined());
    }
    run.step();
    const std::vector<float> drawn = numbers(tn::rand({4})), after = run.tensors();
    all.insert(all.end(), drawn.begin(), drawn.end());
    all.insert(all.end(), after.begin(), after.end());
  }
  return all;
}

TEST(CppDataParallel, GivesUpAStepThatIsLeft) {
  const std::vector<float> expected = numbers_of_run(Ending::none);
  for (const Ending ending : {Ending::wrong_call, Ending::exception, Ending::leaves,
                              Ending::no_backward, Ending::wrong_loss}) {
    SCOPED_TRACE(static_cast<int>(ending));
    EXPECT_EQ(numbers_of_run(ending), expected);
  }
}

// A step ends in the context that it has begun in, whose random numbers the shard's are.
TEST(CppDataParallel, GivesUpInItsOwnContext) {
  const Tensor weight = tn::tensor({2.0}).set_requires_grad();
  DataParallel parallel({weight}, {.shards = 2});
  tn::seed(3);
  const std::vector<float> expected = numbers(tn::rand({4}));
  tn::seed(3);
  const tn::Context other;
  std::optional<tn::Use> use;
  const auto work = [&] {
    for (Shard& shard : parallel.shards()) {
      use.emplace(other);
      throw std::out_of_range("shard " + std::to_string(shard.number()));
    }
  };
  EXPECT_THROW(work(), std::out_of_range);
  use.reset();
  EXPECT_EQ(numbers(tn::rand({4})), expected);
}

TEST(CppDataParallel, OneStepDoesNotGiveUpAnother) {
  const Tensor weight = tn::tensor({2.0}).set_requires_grad();
  DataParallel parallel({weight}, {.shards = 2});
  const auto run_both = [&] {
    for (Shard& shard : parallel.shards()) {
      const auto again = [&] {
        for (Shard& inner : parallel.shards()) inner.backward(tn::sum(weight));
      };
      EXPECT_EQ(error_of(again).status, TENON_E_STATE);
      shard.backward(tn::sum(weight * 3));
    }
  };
  run_both();
  EXPECT_EQ(numbers(weight.grad()), (std::vector<float>{3}));
  // Nor does one that has failed, when its scope ends later.
  auto next = parallel.shards();
  auto shard = next.begin();
  const auto fail = [&] { (*shard).backward(weight * tn::ones({2})); };
  EXPECT_EQ(error_of(fail).status, TENON_E_GRAD);
  auto other = parallel.shards();
  {
    auto failed = parallel.shards();
    const auto again = [&] { failed.begin(); };
    EXPECT_EQ(error_of(again).status, TENON_OK);
    EXPECT_EQ(error_of([&] { (*failed.begin()).backward({}); }).status, TENON_E_STATE);
    shard = other.begin();
    (*shard).backward(tn::sum(weight));
  }
  ++shard;
  (*shard).backward(tn::sum(weight * 7));
  EXPECT_EQ(numbers(weight.grad()), (std::vector<float>{4}));
}

TEST(CppDataParallel, AStepMayOutliveWhatItIsOf) {
  const Tensor weight = tn::tensor({2.0}).set_requires_grad();
  auto parallel = std::make_unique<DataParallel>(DataParallel({weight}, {.shards = 2}));
  auto step = parallel->shards();
  auto shard = step.begin();
  parallel.reset();
  EXPECT_EQ(error_of([&] { (*shard).backward(tn::sum(weight)); }).status, TENON_E_HANDLE);
}

TEST(CppDataParallel, RefusesWhatItCannotShare) {
  const Tensor weight = tn::tensor({2.0}).set_requires_grad();
  const auto less = [&] { DataParallel({weight}, {.shards = -2}); };
  EXPECT_EQ(error_of(less).status, TENON_E_ARGUMENT);
  const auto constant = [] { DataParallel({tn::ones({2})}); };
  EXPECT_EQ(error_of(constant).status, TENON_E_GRAD);
  const tn::Layer layer = tn::nn::linear({.inputs = 1, .outputs = 1});
  const auto buffers = [&] { DataParallel(layer, {.buffers = {tn::ones({2})}}); };
  EXPECT_EQ(error_of(buffers).status, TENON_E_ARGUMENT);
  DataParallel parallel({weight}, {.shards = 2});
  const auto odd = [&] {
    for (Shard& shard : parallel.shards()) shard.part(tn::ones({5}));
  };
  EXPECT_EQ(error_of(odd).message,
            "Shard::part: batch: expected a multiple of 2 rows, a part for each shard, found 5 "
            "rows");
  EXPECT_EQ(error_of([&] { parallel.set_step(-1); }).status, TENON_E_ARGUMENT);
}

// ---- Several processes --------------------------------------------------------------------------

// One of them gives up; the others are told, and all go on with the bits of one process.
TEST(CppDataParallel, OfSeveralProcessesGoesOnAfterAStepThatIsLeft) {
  tenon::tests::in_processes(2, [](int rank) {
    const tenon::tests::Process process;
    const tn::Context context = tn::Context::borrow(process.context);
    const tn::Use use(context);
    std::vector<float> expected;
    {
      Training one({}, 4);
      for (int step = 0; step < 3; ++step) one.step();
      expected = one.tensors();
    }
    const Group world = tn::processes::join("test.shm", {}, std::chrono::seconds(20));
    EXPECT_EQ(world.rank(), rank);
    Training run(world, 4);
    run.step();
    const auto fail = [&] { run.step(rank == 1 ? Ending::wrong_call : Ending::none, 3); };
    const tn::ErrorRecord error = error_of(fail);
    EXPECT_EQ(error.status, rank == 1 ? TENON_E_SHAPE : TENON_E_PEER) << error.message;
    EXPECT_TRUE(rank == 1 || error.operand == "rank 1") << error.message;
    EXPECT_EQ(run.parallel.step(), 1);
    for (int step = 1; step < 3; ++step) run.step();
    EXPECT_EQ(run.tensors(), expected);

    const Tensor x = tn::full({2}, rank + 1.0), y = tn::zeros({2});
    world.begin_all({{Collective::send, x, {}, 1 - rank}, {Collective::receive, {}, y, 1 - rank}})
        .end();
    EXPECT_EQ(numbers(y), std::vector<float>(2, static_cast<float>(2 - rank)));
  });
}

}  // namespace
