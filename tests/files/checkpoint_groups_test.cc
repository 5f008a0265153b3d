// SPDX-License-Identifier: Apache-2.0
// tests/files/checkpoint_groups_test.cc: groups of parameters in a checkpoint: a run goes on with
// the same bits, and a file with other groups is refused.
#include <gmock/gmock.h>
#include <tenon/ext/draft/checkpoints.h>

#include "tests/files/files_support.h"
#include "tests/training/groups_support.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct ReleaseCheckpoint {
  void operator()(tenon_checkpoint* checkpoint) const { tenon_checkpoint_release(checkpoint); }
};
using SavedRun = std::unique_ptr<tenon_checkpoint, ReleaseCheckpoint>;

class CheckpointGroups : public Groups {
 protected:
  // Three matrices and an optimizer over them.
  struct Model {
    std::vector<Tensor> params;
    Optimizer optimizer;
    SavedRun run;
  };
  // groups  how many parameters each has; empty: one list
  Model model(const std::string& name, const std::vector<size_t>& sizes, double lr = 0.05) {
    Model made;
    std::vector<tenon_tensor*> all;
    for (int i = 0; i < 3; ++i) {
      made.params.push_back(parameter(tensor<double>({2, 2}, {1.0 * i, -2, 3, -4})));
      all.push_back(made.params.back().get());
    }
    std::vector<GroupOf> groups;
    auto next = all.begin();
    for (const size_t size : sizes) {
      const auto end = next + static_cast<ptrdiff_t>(size);
      groups.push_back({{next, end}, {{"lr", real(lr / static_cast<double>(groups.size() + 1))}}});
      next = end;
    }
    made.optimizer =
        sizes.empty() ? optimizer(name, all, {{"lr", real(lr)}}) : grouped(name, groups);
    tenon_checkpoint* run = nullptr;
    must(tenon_checkpoint_create(context, &run));
    made.run.reset(run);
    for (int i = 0; i < 3; ++i) {
      const std::string part = "p" + std::to_string(i);
      must(tenon_checkpoint_set_tensor(context, run, part.data(), part.size(),
                                       made.params[static_cast<size_t>(i)].get()));
    }
    must(tenon_checkpoint_set_optimizer(context, run, "o", TENON_NUL, made.optimizer.get()));
    return made;
  }
  void steps(const Model& model, double from) {
    for (double round = from; round < from + 3; ++round) {
      for (size_t i = 0; i < 2; ++i) {  // the last one has no gradient: no state, either
        set_grad(model.params[i], tensor<double>({2, 2}, {round, 1, -2, 0.5 * round}));
      }
      step(model.optimizer);
    }
  }
  void save(const Model& model, const std::string& file) {
    must(tenon_checkpoint_save(context, model.run.get(), file.data(), file.size()));
  }
  tenon_status load(const Model& model, const std::string& file) {
    return tenon_checkpoint_load(context, model.run.get(), file.data(), file.size(), 0, nullptr);
  }
  std::vector<double> values_of_all(const Model& model) {
    std::vector<double> all;
    for (const Tensor& param : model.params) {
      for (const double value : values_of<double>(param.get())) all.push_back(value);
    }
    return all;
  }
};

TEST_F(CheckpointGroups, EveryOptimizerGoesOnFromAFile) {
  for (const auto& kind : optimizers()) {
    const std::string name = kind.at("name");
    SCOPED_TRACE(name);
    const Model first = model(name, {1, 2});
    steps(first, 1);
    must(set(first.optimizer, 1, "lr", real(0.125)));
    const std::string file = path(name + ".safetensors");
    save(first, file);
    steps(first, 4);
    const Model second = model(name, {1, 2}, 0.5);
    must(load(second, file));
    EXPECT_EQ(number(second.optimizer, 0, "lr"), 0.05);
    EXPECT_EQ(number(second.optimizer, 1, "lr"), 0.125);
    steps(second, 4);
    EXPECT_EQ(values_of_all(second), values_of_all(first));
  }
}

TEST_F(CheckpointGroups, OtherGroupsAreRefused) {
  const std::string one = path("one.safetensors"), two = path("two.safetensors");
  const Model plain = model("tenon.adam", {}), pair = model("tenon.adam", {1, 2});
  steps(plain, 1);
  steps(pair, 1);
  save(plain, one);
  save(pair, two);
  const auto words_of = [&](const Model& into, const std::string& file) {
    const std::vector<double> before = values_of_all(into);
    std::string words = refused(load(into, file), TENON_E_DATA);
    EXPECT_EQ(values_of_all(into), before);
    return words;
  };
  EXPECT_THAT(words_of(pair, one),
              StartsWith("checkpoint: \"o\" has other groups of parameters in the file\n\no\n"
                         "groups of 1 2 parameters\none group\n"));
  EXPECT_THAT(words_of(plain, two), HasSubstr("\none group\ngroups of 1 2 parameters\n"));
  const Model turned = model("tenon.adam", {2, 1}), three = model("tenon.adam", {1, 1, 1});
  EXPECT_THAT(words_of(turned, two), HasSubstr("groups of 2 1 parameters\ngroups of 1 2 "));
  EXPECT_THAT(words_of(three, two), HasSubstr("groups of 1 1 1 parameters\ngroups of 1 2 "));
}

// One group is one list: the files are the same.
TEST_F(CheckpointGroups, OneGroupIsWhatTheFilesOfListsHold) {
  const std::string file = path("list.safetensors");
  const Model plain = model("tenon.adam", {}), group = model("tenon.adam", {3}, 0.5);
  steps(plain, 1);
  save(plain, file);
  must(load(group, file));
  EXPECT_EQ(number(group.optimizer, 0, "lr"), 0.05);
  steps(plain, 4);
  steps(group, 4);
  EXPECT_EQ(values_of_all(group), values_of_all(plain));
  save(group, file);
  must(load(plain, file));
}

// A number of one group out of its range changes nothing of the others.
TEST_F(CheckpointGroups, AllOrNothing) {
  const std::string file = path("wrong.safetensors");
  const Model first = model("tenon.adam", {1, 2});
  steps(first, 1);
  save(first, file);
  tenon_archive* read = nullptr;
  must(tenon_archive_load(context, file.data(), file.size(), nullptr, 0, TENON_ARCHIVE_IN_MEMORY,
                          &read));
  const ArchiveHandle archive(read);
  must(tenon_archive_set_metadata(context, read, "o.group.1.beta1", TENON_NUL, "2", 1));
  must(tenon_archive_set_metadata(context, read, "o.group.0.lr", TENON_NUL, "0.5", 3));
  must(tenon_file_set(context, file.data(), file.size(), nullptr, 0, read));
  const std::vector<double> before = values_of_all(first);
  EXPECT_THAT(refused(load(first, file), TENON_E_ATTRIBUTE),
              HasSubstr("\"beta1\" is out of range"));
  EXPECT_EQ(number(first.optimizer, 0, "lr"), 0.05);
  EXPECT_EQ(values_of_all(first), before);
}

}  // namespace
}  // namespace tenon::tests
