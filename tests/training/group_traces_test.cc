// SPDX-License-Identifier: Apache-2.0
// tests/training/group_traces_test.cc: the golden traces of every optimizer, computed without
// Tenon, all of them at once: each case is a group with its hyper-parameters.
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tests/support/paths.h"
#include "tests/training/groups_support.h"

namespace tenon::tests {
namespace {

using nlohmann::json;

// Element `index` of tensor `tensor`, from -1 to 1, as docs/goldens.md says.
double drawn(uint64_t seed, uint64_t tensor, uint64_t index) {
  uint64_t z = seed + 0x9E3779B97F4A7C15U * ((tensor << 32) + index + 1);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  z = z ^ (z >> 31);
  const double unit = static_cast<double>(z >> 11) * 0x1p-53;
  return -1 + unit * 2;
}

// What one case of a file says of its parameters.
struct Case {
  json trace;
  std::vector<Option> hypers;
  std::vector<Tensor> params;
  size_t steps() const { return trace.size(); }
  const json& like(size_t param) const { return trace.at(0).at("params").at(param); }
};

class GroupTraces : public Groups {
 protected:
  Tensor draw(uint64_t seed, uint64_t number, const json& like) {
    const Shape shape = like.at("shape").get<Shape>();
    int64_t count = 1;
    for (const int64_t size : shape) count *= size;
    std::vector<double> wide;
    for (int64_t i = 0; i < count; ++i)
      wide.push_back(drawn(seed, number, static_cast<uint64_t>(i)));
    if (like.at("dtype") == "f64") return tensor<double>(shape, wide);
    return tensor<float>(shape, std::vector<float>(wide.begin(), wide.end()));
  }
  std::vector<double> all_of(const Tensor& found, const json& like) {
    if (like.at("dtype") == "f64") return values_of<double>(found.get());
    const std::vector<float> narrow = values_of<float>(found.get());
    return {narrow.begin(), narrow.end()};
  }
  // The hyper-parameters after the bar of "f64[4] | lr=0.05, nesterov=true".
  std::vector<Option> hypers_of(const std::string& sample, const json& kind) {
    std::vector<Option> hypers;
    const size_t bar = sample.find('|');
    if (bar == std::string::npos) return hypers;
    std::stringstream rest(sample.substr(bar + 1));
    for (std::string part; std::getline(rest, part, ',');) {
      const size_t equals = part.find('=');
      const std::string name =
          part.substr(part.find_first_not_of(' '), equals - part.find_first_not_of(' '));
      const std::string words = part.substr(equals + 1);
      const auto& all = kind.at("hypers");
      const auto hyper = std::find_if(all.begin(), all.end(),
                                      [&](const json& each) { return each.at("name") == name; });
      EXPECT_NE(hyper, all.end()) << name;
      const bool is_flag = hyper->at("type") == "bool";
      hypers.push_back({name, is_flag ? flag(words == "true") : real(std::stod(words))});
    }
    return hypers;
  }
  std::vector<Case> cases_of(const json& golden, const json& kind) {
    std::vector<Case> cases;
    for (const json& each : golden.at("cases")) {
      Case made{each.at("trace"), hypers_of(each.at("sample"), kind), {}};
      for (size_t i = 0; i < made.trace.at(0).at("params").size(); ++i) {
        made.params.push_back(parameter(draw(golden.at("seed"), i, made.like(i))));
      }
      cases.push_back(std::move(made));
    }
    return cases;
  }
  void expect_close(const json& golden, const json& expected, const std::vector<double>& found) {
    const auto values = expected.at("values").get<std::vector<double>>();
    ASSERT_EQ(found.size(), values.size());
    double largest = 0;
    for (const double value : values) largest = std::max(largest, std::abs(value));
    for (const json& tolerance : golden.at("tolerances")) {
      if (tolerance.at("dtype") != expected.at("dtype")) continue;
      // Four units in the last place are less than this.
      const double bound = tolerance.at("relative").get<double>() * largest;
      for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(found[i], values[i], bound) << i;
      return;
    }
    FAIL() << "no tolerance for " << expected.at("dtype");
  }
  void judge(const json& kind);
};

void GroupTraces::judge(const json& kind) {
  const std::string name = kind.at("name");
  SCOPED_TRACE(name);
  std::ifstream file(std::string(source_dir()) + "/tests/goldens/optimizers/" + name + ".json");
  const json golden = json::parse(file);
  const std::vector<Case> cases = cases_of(golden, kind);
  ASSERT_GE(cases.size(), 2U);
  std::vector<GroupOf> groups;
  size_t most = 0;
  for (const Case& each : cases) {
    GroupOf& group = groups.emplace_back(GroupOf{{}, each.hypers});
    for (const Tensor& param : each.params) group.params.push_back(param.get());
    most = std::max(most, each.steps());
  }
  const Optimizer together = grouped(name, groups);
  for (size_t round = 0; round < most; ++round) {
    for (const Case& each : cases) {
      const size_t n = each.params.size();
      for (size_t i = 0; i < n && round < each.steps(); ++i) {
        set_grad(each.params[i], draw(golden.at("seed"), n * (round + 1) + i, each.like(i)));
      }
    }
    step(together);
    for (const Case& each : cases) {
      // A case that is over stays where it is.
      const json& then = each.trace.at(std::min(round, each.steps() - 1)).at("params");
      for (size_t i = 0; i < then.size(); ++i) {
        expect_close(golden, then.at(i), all_of(each.params[i], then.at(i)));
      }
    }
  }
}

TEST_F(GroupTraces, OfEveryOptimizer) {
  const json all = optimizers();
  ASSERT_GE(all.size(), 11U);
  for (const json& kind : all) judge(kind);
}

}  // namespace
}  // namespace tenon::tests
