// SPDX-License-Identifier: Apache-2.0
// tests/evolution/grown_ops_test.cc: ops gained an attribute with a default, a trailing optional
// input, an aux output. Kernels and backward rules built before serve the calls that use none of
// it, and are passed over, with the reason, for those that do.
#include "tests/evolution/evolution_support.h"

namespace tenon::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct OldCall {
  const char* op;
  size_t n_inputs;
  Floats expected;  // of inputs {1,2,3,4} and {5,6,7,8}
  Floats gradient;  // of sum(output) by the first input
};

const OldCall kOldCalls[] = {{"evo.scale", 1, {2, 4, 6, 8}, {2, 2, 2, 2}},
                             {"evo.join", 2, {5, 12, 21, 32}, {5, 6, 7, 8}},
                             {"evo.gate", 1, {1, 4, 9, 16}, {2, 4, 6, 8}},
                             {"evo.grown", 1, {3, 6, 9, 12}, {3, 3, 3, 3}}};

// The ops as evo.old was built against them, and as they are now: the same for it.
class OldCalls : public testing::TestWithParam<const char*> {
 protected:
  std::vector<std::string> folders() const {
    return {test_plugin(GetParam()), test_plugin("evo.old")};
  }
  static Inputs inputs(const OldCall& old, const Tensor& a, const Tensor& b) {
    return old.n_inputs == 1 ? Inputs{value_of(a)} : Inputs{value_of(a), value_of(b)};
  }
};

TEST_P(OldCalls, AreServedByTheOldKernel) {
  Session s(folders());
  const Tensor a = s.tensor({1, 2, 3, 4});
  const Tensor b = s.tensor({5, 6, 7, 8});
  for (const OldCall& old : kOldCalls) {
    SCOPED_TRACE(old.op);
    const auto explained = s.explain(old.op, inputs(old, a, b));
    EXPECT_EQ(explained.at("chosen").at("plugin"), "evo.old") << explained;
    EXPECT_EQ(s.reason(explained, "evo.old"), "");
    EXPECT_EQ(explained.at("backward").at("plugin"), "evo.old");
    EXPECT_EQ(explained.at("backward").at("reason"), "");
    EXPECT_EQ(s.floats(s.call(old.op, inputs(old, a, b))[0].get()), old.expected);
  }
}

TEST_P(OldCalls, TakeAnyLayout) {
  Session s(folders(), "layout,finite");
  const Tensor a = s.tensor({1, 0, 2, 0, 3, 0, 4, 0});
  const Tensor b = s.tensor({5, 0, 6, 0, 7, 0, 8, 0});
  const Tensor out = s.tensor(Floats(8, -1.0f));
  for (const OldCall& old : kOldCalls) {
    SCOPED_TRACE(old.op);
    const Tensor strided = s.every_second(out);
    s.apply(old.op, inputs(old, s.every_second(a), s.every_second(b)), strided);
    EXPECT_EQ(s.floats(strided.get()), old.expected);
    for (size_t i = 1; i < 8; i += 2) EXPECT_EQ(s.floats(out.get())[i], -1.0f);
  }
}

TEST_P(OldCalls, AreDifferentiatedByTheOldRule) {
  Session s(folders());
  const Tensor b = s.tensor({5, 6, 7, 8});
  for (const OldCall& old : kOldCalls) {
    SCOPED_TRACE(old.op);
    const Tensor a = s.parameter({1, 2, 3, 4});
    const std::vector<Tensor> y = s.call(old.op, inputs(old, a, b));
    EXPECT_EQ(s.floats(y[0].get()), old.expected);
    s.backward(y[0]);
    EXPECT_EQ(s.grad(a), old.gradient);
  }
}

TEST_P(OldCalls, AreReplayedFromAPlan) {
  Session s(folders());
  const Tensor a = s.tensor({0, 0, 0, 0});
  const Tensor b = s.tensor({0, 0, 0, 0});
  for (const OldCall& old : kOldCalls) {
    SCOPED_TRACE(old.op);
    s.call(old.op, inputs(old, a, b));  // opens what is needed
    tenon_tensor* const declared[] = {a.get(), b.get()};
    s.must(tenon_capture_begin(s.context, declared, 2));
    const std::vector<Tensor> y = s.call(old.op, inputs(old, a, b));
    tenon_plan* plan = nullptr;
    s.must(tenon_capture_end(s.context, &plan));
    const Tensor fresh_a = s.tensor({1, 2, 3, 4});
    const Tensor fresh_b = s.tensor({5, 6, 7, 8});
    s.must(tenon_plan_set(s.context, plan, 0, fresh_a.get()));
    s.must(tenon_plan_set(s.context, plan, 1, fresh_b.get()));
    s.must(tenon_plan_run(s.context, plan));
    EXPECT_EQ(s.floats(y[0].get()), old.expected);
    tenon_plan_release(plan);
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, OldCalls, testing::Values("evo.first", "evo.ops"),
                         [](const auto& param) {
                           return std::string(param.param) == "evo.ops" ? "Grown" : "AsTheyWere";
                         });

// ---- New calls ----------------------------------------------------------------------------------

std::vector<std::string> only_old() { return {test_plugin("evo.ops"), test_plugin("evo.old")}; }
std::vector<std::string> with(const std::string& more) {
  auto folders = only_old();
  folders.push_back(test_plugin(more));
  return folders;
}

TEST(NewCalls, ANewAttributePassesOverOldKernels) {
  Session s(only_old());
  const Tensor x = s.tensor({1, 2, 3});
  const Inputs bias = {value_of(1.5)};
  const std::string words = "was built before attribute \"bias\" existed";
  EXPECT_EQ(s.reason(s.explain("evo.scale", {value_of(x)}, bias), "evo.old"), words);
  std::vector<Tensor> y(1);
  EXPECT_THAT(s.refusal(s.try_call("evo.scale", {value_of(x)}, bias, y), TENON_E_NO_KERNEL),
              HasSubstr("evo.old: " + words));
  // Its default, said aloud, is an old call.
  EXPECT_THAT(s.floats(s.call("evo.scale", {value_of(x)}, {value_of(0.0)})[0].get()),
              ElementsAre(2, 4, 6));
}

TEST(NewCalls, AnOlderRuleIsNotUsedForANewAttribute) {
  Session s(with("evo.recent"));
  const Tensor x = s.parameter({1, 2, 3});
  const Inputs bias = {value_of(1.5)};
  const std::string words = "was built before attribute \"bias\" existed";
  const auto explained = s.explain("evo.scale", {value_of(x)}, bias);
  EXPECT_EQ(explained.at("backward").at("reason"), "evo.old " + words);
  EXPECT_TRUE(explained.at("backward").at("plugin").is_null());
  const std::vector<Tensor> y = s.call("evo.scale", {value_of(x)}, bias);
  EXPECT_THAT(s.floats(y[0].get()), ElementsAre(3.5, 5.5, 7.5));
  const Tensor seed = s.tensor({1, 1, 1});
  tenon_tensor* const root = y[0].get();
  tenon_tensor* const seeds = seed.get();
  EXPECT_THAT(s.refusal(tenon_backward_run(s.context, &root, &seeds, 1, 0), TENON_E_GRAD),
              HasSubstr("the backward rule of evo.scale " + words));
  EXPECT_TRUE(s.grad(x).empty());
}

TEST(NewCalls, ANewInputGoesThroughTheComposition) {
  Session s(only_old());
  const Tensor a = s.parameter({1, 2});
  const Tensor b = s.tensor({3, 4});
  const Tensor c = s.parameter({10, 20});
  const Inputs inputs = {value_of(a), value_of(b), value_of(c)};
  const std::string words = "was built before operand \"c\" existed";
  const auto explained = s.explain("evo.join", inputs);
  EXPECT_EQ(s.reason(explained, "evo.old"), words);
  EXPECT_EQ(explained.at("chosen"), "composition");
  EXPECT_EQ(explained.at("backward").at("reason"), "evo.old " + words);
  const std::vector<Tensor> y = s.call("evo.join", inputs);
  EXPECT_THAT(s.floats(y[0].get()), ElementsAre(13, 28));
  s.backward(y[0]);
  EXPECT_THAT(s.grad(a), ElementsAre(3, 4));
  EXPECT_THAT(s.grad(c), ElementsAre(1, 1));
}

TEST(NewCalls, ANewOutputPassesOverOldKernels) {
  Session s(only_old());
  const Tensor x = s.tensor({1, 2, 3});
  const auto explained = s.explain("evo.gate", {value_of(x)});
  EXPECT_EQ(explained.at("candidates").at(0).at("lacks_outputs").at(0), "slope");
  std::vector<Tensor> y(2);
  EXPECT_THAT(s.refusal(s.try_call("evo.gate", {value_of(x)}, {}, y), TENON_E_NO_KERNEL),
              HasSubstr("evo.old: was built before output \"slope\" existed"));
  // Both ways: what was refused or served before does not decide for the other.
  EXPECT_THAT(s.floats(s.call("evo.gate", {value_of(x)})[0].get()), ElementsAre(1, 4, 9));
  EXPECT_EQ(s.try_call("evo.gate", {value_of(x)}, {}, y), TENON_E_NO_KERNEL);
}

TEST(NewCalls, ANewerKernelServesThem) {
  Session s(with("evo.recent"));
  const Tensor x = s.tensor({1, 2, 3});
  const auto scaled = s.explain("evo.scale", {value_of(x)}, {value_of(1.0)});
  EXPECT_EQ(scaled.at("chosen").at("plugin"), "evo.recent");
  EXPECT_THAT(s.floats(s.call("evo.scale", {value_of(x)}, {value_of(1.0)})[0].get()),
              ElementsAre(3, 5, 7));
  EXPECT_EQ(s.explain("evo.scale", {value_of(x)}).at("chosen").at("plugin"), "evo.old");

  const std::vector<Tensor> gated = s.call("evo.gate", {value_of(x)}, {}, 2);
  EXPECT_THAT(s.floats(gated[0].get()), ElementsAre(1, 4, 9));
  EXPECT_THAT(s.floats(gated[1].get()), ElementsAre(2, 4, 6));

  const Tensor shift = s.tensor({100, 200, 300});
  const Inputs grown = {value_of(x), value_of(shift)};
  const std::vector<Tensor> all = s.call("evo.grown", grown, {value_of(int64_t{2})}, 2);
  EXPECT_THAT(s.floats(all[0].get()), ElementsAre(106, 212, 318));
  EXPECT_THAT(s.floats(all[1].get()), ElementsAre(212, 424, 636));
  EXPECT_EQ(s.reason(s.explain("evo.grown", grown), "evo.old"),
            "was built before operand \"shift\" existed");
  EXPECT_EQ(s.reason(s.explain("evo.grown", {value_of(x)}, {value_of(int64_t{2})}), "evo.old"),
            "was built before attribute \"power\" existed");
}

// An old rule knows nothing of the aux output, whose gradient nobody asks for: it still serves.
TEST(NewCalls, AnOlderRuleServesACallThatTakesANewOutput) {
  Session s(with("evo.recent"));
  const Tensor x = s.parameter({1, 2, 3});
  const std::vector<Tensor> y = s.call("evo.gate", {value_of(x)}, {}, 2);
  EXPECT_THAT(s.floats(y[1].get()), ElementsAre(2, 4, 6));
  s.backward(y[0]);
  EXPECT_THAT(s.grad(x), ElementsAre(2, 4, 6));
  tenon_tensor_info info{};
  info.struct_size = sizeof info;
  s.must(tenon_tensor_get_info(s.context, y[1].get(), &info));
  EXPECT_EQ(info.flags & TENON_TENSOR_REQUIRES_GRAD, 0u);
}

TEST(NewCalls, ANewerRuleThatWantsANewOutputPassesOverOldKernels) {
  const std::string words = "was built before output \"slope\" existed";
  {
    Session s(with("evo.rules"));
    const Tensor x = s.parameter({1, 2, 3});
    std::vector<Tensor> y(1);
    EXPECT_THAT(s.refusal(s.try_call("evo.gate", {value_of(x)}, {}, y), TENON_E_NO_KERNEL),
                HasSubstr("evo.old: " + words));
    EXPECT_EQ(s.reason(s.explain("evo.gate", {value_of(x)}), "evo.old"), words);
    const Tensor plain = s.tensor({1, 2, 3});
    EXPECT_THAT(s.floats(s.call("evo.gate", {value_of(plain)})[0].get()), ElementsAre(1, 4, 9));
  }
  auto folders = with("evo.rules");
  folders.push_back(test_plugin("evo.recent"));
  Session s(folders);
  const Tensor x = s.parameter({1, 2, 3});
  EXPECT_EQ(s.explain("evo.gate", {value_of(x)}).at("chosen").at("plugin"), "evo.recent");
  const std::vector<Tensor> y = s.call("evo.gate", {value_of(x)});
  s.backward(y[0]);
  EXPECT_THAT(s.grad(x), ElementsAre(2, 4, 6));
}

TEST(NewCalls, ACompositionThatForgetsANewOutputIsAnError) {
  Session s({test_plugin("evo.ops")});
  for (const Tensor& a : {s.tensor({1, 2}), s.parameter({1, 2})}) {
    EXPECT_THAT(s.floats(s.call("evo.partial", {value_of(a)})[0].get()), ElementsAre(-1, -2));
    std::vector<Tensor> y(2);
    EXPECT_THAT(
        s.refusal(s.try_call("evo.partial", {value_of(a)}, {}, y), TENON_E_PLUGIN),
        AllOf(HasSubstr("evo.partial: its composition gave nothing as forgotten, not f32[2]\n"),
              HasSubstr("evo.partial\nforgotten\n")));
  }
}

}  // namespace
}  // namespace tenon::tests
