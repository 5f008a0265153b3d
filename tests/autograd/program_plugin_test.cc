// SPDX-License-Identifier: Apache-2.0
// tests/autograd/program_plugin_test.cc: ops with gradients that the program itself defines.
#include <gmock/gmock.h>

#include "tests/autograd/autograd_support.h"
#include "tests/support/program_plugin.h"

namespace tenon::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ProgramOps : public Autograd {
 protected:
  void SetUp() override {
    program_plugin = {};
    Autograd::SetUp();
  }
  void TearDown() override {
    Autograd::TearDown();
    EXPECT_EQ(program_plugin.open, 0);
  }
  std::string listed() {
    tenon_text* text = nullptr;
    must(tenon_runtime_query(context, "plugins", TENON_NUL, &text));
    const char* data = nullptr;
    must(tenon_text_get(text, &data, nullptr));
    std::string all = data;
    tenon_text_release(text);
    return all;
  }
};

TEST_F(ProgramOps, AreOpsLikeAnyOther) {
  must(tenon_plugin_load(context, program::query));
  const Tensor x = leaf({1, 2});
  const Tensor y = call("acme.cube", {one(x.get())});
  EXPECT_THAT(values_of<double>(y.get()), ElementsAre(1, 8));
  must(backward(sum(y)));
  EXPECT_EQ(program_plugin.rules, 1);
  EXPECT_THAT(grad(x), ElementsAre(3, 12));
  EXPECT_THAT(listed(), HasSubstr("\"acme.program\""));
}

// The result of the last op inside is the composition's, without a copy.
TEST_F(ProgramOps, LaunchWhatTheyAreComposedOfAndNothingElse) {
  must(tenon_plugin_load(context, program::query));
  const Tensor x = tensor<double>({2}, {1, 2});
  const auto launches = [&] {
    tenon_stats stats{};
    stats.struct_size = sizeof stats;
    must(tenon_runtime_get_stats(context, &stats));
    return stats.launches;
  };
  const uint64_t before = launches();
  const Tensor y = call("acme.cube", {one(x.get())});
  EXPECT_EQ(launches() - before, 2U);
  EXPECT_THAT(values_of<double>(y.get()), ElementsAre(1, 8));
}

TEST_F(ProgramOps, AreDifferentiableTwice) {
  must(tenon_plugin_load(context, program::query));
  const Tensor x = leaf({2});
  const Tensor y = call("acme.cube", {one(x.get())});
  tenon_tensor* const roots[] = {y.get()};
  tenon_tensor* const inputs[] = {x.get()};
  tenon_tensor* slope = nullptr;
  must(tenon_gradient_call(context, roots, nullptr, 1, inputs, 1, TENON_BACKWARD_CREATE_GRAPH,
                           &slope));
  const Tensor first(slope);
  must(backward(first));
  EXPECT_THAT(values_of<double>(first.get()), ElementsAre(12));
  EXPECT_THAT(grad(x), ElementsAre(12));
}

TEST_F(ProgramOps, SeeWhatAnOpDidWrong) {
  must(tenon_plugin_load(context, program::query));
  const Tensor whole = tensor<int64_t>({1}, {2});
  const tenon_op* op = nullptr;
  must(tenon_op_find(context, "acme.cube", TENON_NUL, 0, &op));
  const tenon_value inputs[] = {one(whole.get())};
  tenon_tensor* out = nullptr;
  EXPECT_THAT(refused(tenon_op_call(context, op, inputs, 1, nullptr, 0, &out, 1), TENON_E_DTYPE),
              HasSubstr("acme.cube"));
}

TEST_F(ProgramOps, CanBeTakenOutOfUse) {
  must(tenon_plugin_load(context, program::query));
  must(tenon_plugin_deactivate(context, "acme.program", TENON_NUL));
  const tenon_op* op = nullptr;
  EXPECT_NE(tenon_op_find(context, "acme.cube", TENON_NUL, 0, &op), TENON_OK);
  // Another one may have the name now.
  program_plugin.id = "acme.program2";
  must(tenon_plugin_load(context, program::query));
  EXPECT_EQ(tenon_op_find(context, "acme.cube", TENON_NUL, 0, &op), TENON_OK);
}

TEST_F(ProgramOps, AreRefusedWithTheReasonAndLeaveNothing) {
  const auto refusal = [&] {
    return refused(tenon_plugin_load(context, program::query), TENON_E_PLUGIN);
  };
  program_plugin.query_status = TENON_E_STATE;
  EXPECT_THAT(refusal(), HasSubstr("tenon_plugin_query_v0 reported: status"));
  program_plugin = {.draft = TENON_ABI_DRAFT + 1};
  EXPECT_THAT(refusal(), HasSubstr("built for ABI draft"));
  program_plugin = {.id = ""};
  EXPECT_THAT(refusal(), HasSubstr("\"id\" is empty"));
  program_plugin = {.id = "tenon.ref"};
  EXPECT_THAT(refusal(), HasSubstr("there is a plugin of this id already"));
  program_plugin = {.init_status = TENON_E_STATE};
  EXPECT_THAT(refusal(), HasSubstr("acme.program was refused: its init reported: no room for it"));
  program_plugin = {.op = "tenon.neg", .schema = "neg(x: T[...]) -> T[...] where T: float"};
  EXPECT_THAT(refusal(), HasSubstr("op \"tenon.neg\" is offered by plugin tenon.ops already"));
  program_plugin = {.schema = "cube(x: T[...]) -> "};
  EXPECT_THAT(refusal(), HasSubstr("acme.program was refused: "));
  EXPECT_EQ(listed().find("acme.program"), std::string::npos);
  program_plugin = {};
  must(tenon_plugin_load(context, program::query));
  EXPECT_THAT(refusal(), HasSubstr("there is a plugin of this id already"));
}

TEST_F(ProgramOps, AreRefusedInACapture) {
  must(tenon_capture_begin(context, nullptr, 0));
  EXPECT_EQ(tenon_plugin_load(context, program::query), TENON_E_CAPTURE);
  tenon_plan* plan = nullptr;
  must(tenon_capture_end(context, &plan));
  tenon_plan_release(plan);
}

}  // namespace
}  // namespace tenon::tests
