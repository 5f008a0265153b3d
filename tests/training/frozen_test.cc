// SPDX-License-Identifier: Apache-2.0
// tests/training/frozen_test.cc: every hyper-parameter of every optimizer after its step was
// captured: a replay follows the change or is refused with its name.
#include "tests/training/groups_support.h"

namespace tenon::tests {
namespace {

using nlohmann::json;

class FrozenHypers : public Groups {
 protected:
  tenon_value get(tenon_optimizer* optimizer, const std::string& name) {
    tenon_value value{};
    must(tenon_optimizer_get(context, optimizer, name.data(), name.size(), &value));
    return value;
  }
  void judge(const json& kind);
};

void FrozenHypers::judge(const json& kind) {
  const std::string name = kind.at("name");
  SCOPED_TRACE(name);
  const Tensor w = parameter(tensor<float>({2, 2}, {1, 2, 3, 4}));
  const Optimizer made = optimizer(name, {w.get()}, {});
  const Tensor x = tensor<float>({2, 2}, {4, 3, 2, 1});
  tenon_plan* plan = nullptr;
  must(tenon_capture_begin(context, nullptr, 0));
  const Tensor product = call("tenon.mul", {one(w.get()), one(x.get())});
  const Tensor loss = call("tenon.sum", {one(product.get())});
  tenon_tensor* const root = loss.get();
  must(tenon_backward_run(context, &root, nullptr, 1, 0));
  must(tenon_optimizer_run(context, made.get(), TENON_OPTIMIZER_CLEAR_GRAD));
  must(tenon_capture_end(context, &plan));
  must(tenon_plan_run(context, plan));
  for (const json& hyper : kind.at("hypers")) {
    const std::string number = hyper.at("name");
    SCOPED_TRACE(number);
    const tenon_value before = get(made.get(), number);
    must(set(made, number, other_than(before, hyper)));
    const std::vector<float> values = values_of<float>(w.get());
    const tenon_status status = tenon_plan_run(context, plan);
    if (hyper.at("dynamic")) {
      must(status);
    } else {
      const std::string words = refused(status, TENON_E_STATE);
      EXPECT_NE(words.find("hyper-parameter \"" + number + "\" of " + name), std::string::npos)
          << words;
      EXPECT_EQ(values_of<float>(w.get()), values);
    }
    must(set(made, number, before));
    must(tenon_plan_run(context, plan));
  }
  tenon_plan_release(plan);
}

TEST_F(FrozenHypers, AreFollowedOrTold) {
  const json all = optimizers();
  ASSERT_GE(all.size(), 11u);
  for (const json& kind : all) judge(kind);
}

}  // namespace
}  // namespace tenon::tests
