// SPDX-License-Identifier: Apache-2.0
// tests/training/groups_test.cc: parameters in groups: each steps as by an optimizer of its own, to
// the bit, and as the float64 traces of its hyper-parameters say.
#include <gmock/gmock.h>
#include <tenon/ext/draft/schedules.h>

#include <algorithm>
#include <cmath>

#include "tests/training/groups_support.h"

namespace tenon::tests {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

// Different values for each `seed`.
std::vector<double> numbers(size_t count, size_t seed) {
  std::vector<double> values;
  for (size_t i = 0; i < count; ++i) {
    values.push_back(std::sin(1 + static_cast<double>(i) + 31 * static_cast<double>(seed)));
  }
  return values;
}

// What each group has otherwise: the first two are alike.
std::vector<std::vector<Option>> hypers_of_groups(const json& kind) {
  std::vector<std::vector<Option>> all = {
      {{"lr", real(0.05)}}, {{"lr", real(0.05)}}, {{"lr", real(0.01)}}};
  for (const json& hyper : kind.at("hypers")) {
    if (hyper.at("name") == "weight_decay") all[2].push_back({"weight_decay", real(0.25)});
    if (hyper.at("name") == "momentum") all[2].push_back({"momentum", real(0.5)});
  }
  return all;
}

class OptimizerGroups : public Groups {
 protected:
  // Two matrices for each of three groups, in two dtypes; a matrix is what every optimizer takes.
  std::vector<Tensor> matrices() {
    std::vector<Tensor> made;
    for (size_t i = 0; i < 6; ++i) made.push_back(parameter(matrix(i)));
    return made;
  }
  Tensor matrix(size_t index, size_t seed = 0) {
    const std::vector<double> wide = numbers(6, index + 100 * seed);
    if (index % 3 == 2) return tensor<double>({2, 3}, wide);
    return tensor<float>({2, 3}, std::vector<float>(wide.begin(), wide.end()));
  }
  std::vector<double> all_of(tenon_tensor* tensor) {
    tenon_tensor_info info{};
    info.struct_size = sizeof info;
    must(tenon_tensor_get_info(context, tensor, &info));
    tenon_view view{};
    must(tenon_tensor_get_view(context, tensor, &view));
    const auto widened = [](const auto& values) {
      return std::vector<double>(values.begin(), values.end());
    };
    if (view.dtype == TENON_DTYPE_F64) return values_of<double>(tensor);
    if (view.dtype == TENON_DTYPE_I64) return widened(values_of<int64_t>(tensor));
    return widened(values_of<float>(tensor));
  }
  void set_grads(const std::vector<Tensor>& params, size_t round) {
    for (size_t i = 0; i < params.size(); ++i) set_grad(params[i], matrix(i, round + 1));
  }
  Optimizer in_groups(const json& kind, const std::vector<Tensor>& params) {
    std::vector<GroupOf> groups;
    for (const std::vector<Option>& hypers : hypers_of_groups(kind)) {
      const size_t at = 2 * groups.size();
      groups.push_back({{params[at].get(), params[at + 1].get()}, hypers});
    }
    return grouped(kind.at("name").get<std::string>(), groups);
  }
  std::vector<Optimizer> one_each(const json& kind, const std::vector<Tensor>& params) {
    std::vector<Optimizer> made;
    for (const std::vector<Option>& hypers : hypers_of_groups(kind)) {
      const size_t at = 2 * made.size();
      made.push_back(optimizer(kind.at("name").get<std::string>(),
                               {params[at].get(), params[at + 1].get()}, hypers));
    }
    return made;
  }
  // Values and states.
  void expect_equal(const json& kind, const std::vector<Tensor>& params, const Optimizer& together,
                    const std::vector<Tensor>& alone, const std::vector<Optimizer>& each) {
    for (size_t i = 0; i < params.size(); ++i) {
      SCOPED_TRACE("parameter " + std::to_string(i));
      EXPECT_EQ(all_of(params[i].get()), all_of(alone[i].get()));
      for (const json& entry : kind.at("states")) {
        const std::string name = entry.at("name");
        EXPECT_EQ(all_of(state(together, i, name)), all_of(state(each[i / 2], i % 2, name)))
            << name;
      }
    }
  }
};

TEST_F(OptimizerGroups, HaveTheBitsOfSeparateOptimizers) {
  for (const json& kind : optimizers()) {
    SCOPED_TRACE(kind.at("name"));
    const std::vector<Tensor> params = matrices(), alone = matrices();
    const Optimizer together = in_groups(kind, params);
    const std::vector<Optimizer> each = one_each(kind, alone);
    for (size_t round = 0; round < 3; ++round) {
      set_grads(params, round);
      set_grads(alone, round);
      step(together);
      for (const Optimizer& one : each) step(one);
    }
    expect_equal(kind, params, together, alone, each);
  }
}

// A captured step follows every dynamic number of the group that it is of.
TEST_F(OptimizerGroups, ReplaysFollowTheNumbersOfEachGroup) {
  for (const json& kind : optimizers()) {
    SCOPED_TRACE(kind.at("name"));
    const std::vector<Tensor> params = matrices(), alone = matrices();
    const Optimizer together = in_groups(kind, params);
    const std::vector<Optimizer> each = one_each(kind, alone);
    set_grads(params, 0);
    set_grads(alone, 0);
    tenon_plan* plan = nullptr;
    must(tenon_capture_begin(context, nullptr, 0));
    must(tenon_optimizer_run(context, together.get(), 0));
    must(tenon_capture_end(context, &plan));
    for (const Optimizer& one : each) must(tenon_optimizer_run(context, one.get(), 0));
    for (uint32_t round = 0; round < 4; ++round) {
      const tenon_value lr = real(0.5 / (1 + round));
      must(set(together, round % 3, "lr", lr));
      must(set(each[round % 3], "lr", lr));
      must(tenon_plan_run(context, plan));
      for (const Optimizer& one : each) must(tenon_optimizer_run(context, one.get(), 0));
    }
    expect_equal(kind, params, together, alone, each);
    tenon_plan_release(plan);
  }
}

// A number that a captured step took as it was makes the plan stale, whichever group it is of.
TEST_F(OptimizerGroups, FixedNumbersFreezePerGroup) {
  for (const json& kind : optimizers()) {
    SCOPED_TRACE(kind.at("name"));
    const std::vector<Tensor> params = matrices();
    const Optimizer together = in_groups(kind, params);
    set_grads(params, 0);
    tenon_plan* plan = nullptr;
    must(tenon_capture_begin(context, nullptr, 0));
    must(tenon_optimizer_run(context, together.get(), 0));
    for (const json& hyper : kind.at("hypers")) {
      if (hyper.at("dynamic")) continue;
      const std::string name = hyper.at("name");
      refused(set(together, 1, name, value_of(together, 1, name)), TENON_E_CAPTURE);
    }
    must(tenon_capture_end(context, &plan));
    for (const json& hyper : kind.at("hypers")) {
      if (hyper.at("dynamic")) continue;
      const std::string name = hyper.at("name");
      const tenon_value before = value_of(together, 1, name);
      must(set(together, 1, name, other_than(before, hyper)));
      EXPECT_THAT(refused(tenon_plan_run(context, plan), TENON_E_STATE),
                  HasSubstr("hyper-parameter \"" + name + "\" of " +
                            kind.at("name").get<std::string>() + " in group 1"));
      must(set(together, 1, name, before));
      must(tenon_plan_run(context, plan));
    }
    tenon_plan_release(plan);
  }
}

TEST_F(OptimizerGroups, EqualGroupsShareALaunch) {
  std::vector<Tensor> params;
  for (size_t i = 0; i < 4; ++i) params.push_back(parameter(tensor<float>({2}, {1, 2})));
  const auto launches_of = [&](const Optimizer& optimizer) {
    for (int round = 0;; ++round) {
      for (const Tensor& param : params) set_grad(param, tensor<float>({2}, {1, -1}));
      const uint64_t before = launches();
      step(optimizer);
      if (round == 1) return launches() - before;  // in the first one states are made
    }
  };
  tenon_tensor* const p[] = {params[0].get(), params[1].get(), params[2].get(), params[3].get()};
  const uint64_t one = launches_of(optimizer("tenon.adam", {p[0], p[1], p[2], p[3]}, {}));
  const Optimizer groups = grouped("tenon.adam", {{{p[0]}, {{"lr", real(0.1)}}},
                                                  {{p[1]}, {{"lr", real(0.2)}}},
                                                  {{p[2]}, {{"lr", real(0.1)}}},
                                                  {{p[3]}, {}}});
  EXPECT_EQ(launches_of(groups), 3 * one);
  must(set(groups, 1, "lr", real(0.1)));
  EXPECT_EQ(launches_of(groups), 2 * one);
  must(set(groups, "lr", real(0.3)));
  EXPECT_EQ(launches_of(groups), one);
  must(set(groups, 3, "eps", real(1e-6)));
  EXPECT_EQ(launches_of(groups), 2 * one);
}

TEST_F(OptimizerGroups, NumbersOfOneAndOfAll) {
  const Tensor a = parameter(tensor<float>({1}, {1})), b = parameter(tensor<float>({1}, {1}));
  const Optimizer sgd = grouped("tenon.sgd", {{{a.get()}, {{"lr", real(0.5)}}}, {{b.get()}, {}}},
                                {{"lr", real(0.25)}, {"momentum", real(0.9)}});
  EXPECT_EQ(number(sgd, 0, "lr"), 0.5);
  EXPECT_EQ(number(sgd, 1, "lr"), 0.25);
  EXPECT_EQ(number(sgd, 0, "momentum"), 0.9);
  tenon_value value{};
  must(tenon_optimizer_get(context, sgd.get(), "momentum", TENON_NUL, &value));
  EXPECT_EQ(value.as.f64, 0.9);
  EXPECT_EQ(
      refused(tenon_optimizer_get(context, sgd.get(), "lr", TENON_NUL, &value), TENON_E_STATE),
      "tenon.sgd: hyper-parameter \"lr\" is not the same in all groups\ntenon.sgd\nlr\n"
      "0.5, as in group 0\n0.25 in group 1\n\nask each group, with "
      "tenon_optimizer_get_group\n");
  must(set(sgd, "lr", real(0.125)));
  must(tenon_optimizer_get(context, sgd.get(), "lr", TENON_NUL, &value));
  EXPECT_EQ(value.as.f64, 0.125);
  EXPECT_EQ(number(sgd, 1, "lr"), 0.125);
  // One list is group 0.
  const Optimizer plain = optimizer("tenon.sgd", {a.get()}, {{"lr", real(0.5)}});
  EXPECT_EQ(number(plain, 0, "lr"), 0.5);
  EXPECT_EQ(refused(set(plain, 1, "lr", real(1)), TENON_E_NOT_FOUND),
            "tenon.sgd: the optimizer has no group 1\ntenon.sgd\ngroup\nan index below 1\n1\n\n\n");
}

// A schedule acts on one group, or on all.
TEST_F(OptimizerGroups, SchedulesOfOneGroup) {
  const Tensor a = parameter(tensor<double>({1}, {1})), b = parameter(tensor<double>({1}, {1}));
  const Optimizer sgd =
      grouped("tenon.sgd", {{{a.get()}, {}}, {{b.get()}, {}}}, {{"lr", real(0.5)}});
  tenon_schedule* halves = nullptr;
  const tenon_string factor = {"factor", TENON_NUL};
  const tenon_value half = real(0.5);
  must(tenon_schedule_create(context, "tenon.exponential", TENON_NUL, 0.5, &factor, &half, 1,
                             &halves));
  for (int round = 0; round < 2; ++round) {
    double lr = 0;
    must(tenon_schedule_run(context, halves, nullptr, &lr));
    must(set(sgd, 1, "lr", real(lr)));
    set_grad(a, tensor<double>({1}, {1}));
    set_grad(b, tensor<double>({1}, {1}));
    step(sgd);
  }
  EXPECT_EQ(values_of<double>(a.get()), std::vector<double>{0});
  EXPECT_EQ(values_of<double>(b.get()), std::vector<double>{0.25});
  tenon_schedule_release(halves);
}

// ---- Frozen parameters --------------------------------------------------------------------------

TEST_F(OptimizerGroups, FrozenParametersAreLeftAlone) {
  for (const json& kind : optimizers()) {
    SCOPED_TRACE(kind.at("name"));
    const std::vector<Tensor> params = matrices(), alone = matrices();
    set_wanted(params[1], false);
    set_wanted(params[4], false);
    const Optimizer together = in_groups(kind, params);
    const std::vector<Optimizer> each = one_each(kind, alone);
    const std::string name = kind.at("states").at(0).at("name");
    for (size_t round = 0; round < 4; ++round) {
      if (round == 2) set_wanted(params[4], true);
      set_grads(params, round);
      set_grads(alone, round);
      // What was frozen makes the steps of one that had no gradient until then.
      must(tenon_tensor_set_grad(context, alone[1].get(), nullptr));
      if (round < 2) must(tenon_tensor_set_grad(context, alone[4].get(), nullptr));
      step(together);
      for (const Optimizer& one : each) step(one);
      EXPECT_EQ(state(together, 1, name), nullptr);
      EXPECT_EQ(state(together, 4, name) == nullptr, round < 2);
    }
    EXPECT_EQ(all_of(params[1].get()), all_of(matrix(1).get()));
    EXPECT_NE(all_of(params[4].get()), all_of(matrix(4).get()));
    for (size_t i = 0; i < params.size(); ++i) {
      EXPECT_EQ(all_of(params[i].get()), all_of(alone[i].get())) << i;
    }
  }
}

// Not a word of a plan, either.
TEST_F(OptimizerGroups, ACapturedStepLeavesOutWhatIsFrozen) {
  const Tensor a = parameter(tensor<double>({1}, {1})), b = parameter(tensor<double>({1}, {1}));
  const Optimizer sgd =
      grouped("tenon.sgd", {{{a.get()}, {}}, {{b.get()}, {}}}, {{"lr", real(0.5)}});
  set_wanted(b, false);
  set_grad(a, tensor<double>({1}, {1}));
  set_grad(b, tensor<double>({1}, {1}));
  tenon_plan* plan = nullptr;
  must(tenon_capture_begin(context, nullptr, 0));
  must(tenon_optimizer_run(context, sgd.get(), 0));
  must(tenon_capture_end(context, &plan));
  must(tenon_plan_run(context, plan));
  must(tenon_tensor_set_grad(context, b.get(), nullptr));
  must(tenon_plan_run(context, plan));
  // What begins to be trained now is not in the plan.
  set_wanted(b, true);
  EXPECT_THAT(refused(tenon_plan_run(context, plan), TENON_E_STATE),
              StartsWith("the plan was captured with requires_grad of the leaf f64[1] = false"));
  set_wanted(b, false);
  must(tenon_plan_run(context, plan));
  EXPECT_EQ(values_of<double>(a.get()), std::vector<double>{-1});
  EXPECT_EQ(values_of<double>(b.get()), std::vector<double>{1});
  tenon_plan_release(plan);
}

TEST_F(OptimizerGroups, NothingToStep) {
  const Tensor a = parameter(tensor<double>({1}, {1}));
  const Optimizer sgd = grouped("tenon.sgd", {{{a.get()}, {}}});
  set_grad(a, tensor<double>({1}, {1}));
  set_wanted(a, false);
  EXPECT_THAT(refused(tenon_optimizer_run(context, sgd.get(), 0), TENON_E_GRAD),
              StartsWith("tenon.sgd: no parameter has a gradient"));
  EXPECT_EQ(values_of<double>(a.get()), std::vector<double>{1});
}

// ---- What is refused ----------------------------------------------------------------------------

TEST_F(OptimizerGroups, WhatIsWrongIsNamedByGroup) {
  const Tensor a = parameter(tensor<float>({2}, {1, 2})), b = parameter(tensor<float>({1}, {1}));
  const Tensor whole_numbers = tensor<int64_t>({1}, {1});
  const Tensor made = call("tenon.neg", {one(a.get())});
  EXPECT_EQ(refused_groups({{{a.get()}, {}}, {{b.get(), a.get()}, {}}}, TENON_E_ARGUMENT),
            "parameter 1 of group 1 is listed twice\n\ngroups[1].params[1]\neach parameter once\n"
            "the same as groups[0].params[0]\n\ngive each once\n");
  EXPECT_EQ(refused_groups({{{a.get()}, {}}, {{}, {}}}, TENON_E_ARGUMENT),
            "group 1 is empty\n\ngroups[1].params\nat least one parameter\nnone\n\n\n");
  EXPECT_EQ(refused_groups({}, TENON_E_ARGUMENT),
            "an optimizer has at least one group\n\nn_groups\nat least 1\n0\n\n\n");
  EXPECT_EQ(refused_groups({{{a.get()}, {{"speed", real(1)}}}}, TENON_E_ATTRIBUTE),
            "tenon.sgd: no hyper-parameter \"speed\", in group 0\ntenon.sgd\ngroups[0].speed\n"
            "one of: lr momentum dampening weight_decay nesterov\nspeed\n\n\n");
  EXPECT_EQ(refused_groups({{{a.get()}, {}}, {{b.get()}, {{"lr", real(-1)}}}}, TENON_E_ATTRIBUTE),
            "tenon.sgd: hyper-parameter \"lr\" is out of range, in group 1\ntenon.sgd\n"
            "groups[1].lr\nat least 0\n-1\n\n\n");
  EXPECT_THAT(refused_groups({{{a.get()}, {}}}, TENON_E_ATTRIBUTE, {{"lr", real(-1)}}),
              StartsWith("tenon.sgd: hyper-parameter \"lr\" is out of range\n"));
  EXPECT_EQ(refused_groups({{{whole_numbers.get()}, {}}}, TENON_E_GRAD),
            "parameter 0 of group 0 cannot have a gradient\n\ngroups[0].params[0]\n"
            "f16 bf16 f32 f64\ni64[1]\n\n\n");
  EXPECT_THAT(refused_groups({{{a.get(), made.get()}, {}}}, TENON_E_GRAD),
              StartsWith("parameter 1 of group 0 is not a leaf\n\ngroups[0].params[1]\n"));
}

TEST_F(OptimizerGroups, StructsOfOtherHeaders) {
  const Tensor a = parameter(tensor<float>({2}, {1, 2}));
  tenon_tensor* const params[] = {a.get()};
  struct {
    tenon_optimizer_group known;
    uint64_t more;
  } longer = {{sizeof longer, 0, params, nullptr, nullptr, 1, 0}, 0};
  const tenon_optimizer_group* const groups[] = {&longer.known};
  tenon_optimizer* made = nullptr;
  const auto create = [&] {
    return tenon_optimizer_create_groups(context, "tenon.sgd", TENON_NUL, groups, 1, nullptr,
                                         nullptr, 0, &made);
  };
  must(create());
  tenon_optimizer_release(made);
  longer.more = 1;
  EXPECT_THAT(refused(create(), TENON_E_ARGUMENT),
              StartsWith("needs a newer Tenon: tenon_optimizer_group has unknown data at offset " +
                         std::to_string(sizeof(tenon_optimizer_group)) + "\n\ngroups[0]\n"));
  longer.known.struct_size = 0;
  EXPECT_THAT(refused(create(), TENON_E_ARGUMENT),
              StartsWith("tenon_optimizer_group.struct_size is not set\n\ngroups[0]\n"));
  longer.known.struct_size = sizeof longer.known;
  longer.known.flags = 4;
  EXPECT_THAT(refused(create(), TENON_E_ARGUMENT), StartsWith("unknown flags\n"));
}

}  // namespace
}  // namespace tenon::tests
