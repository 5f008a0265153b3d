// SPDX-License-Identifier: Apache-2.0
// tests/checks/op_log_test.cc: the printed log of ops: what its lines are, and that it changes
// nothing.
#include <tenon/ext/draft/checks.h>
#include <tenon/ext/draft/op_log.h>

#include <cstdlib>
#include <functional>
#include <regex>

#include "tests/checks/checks_support.h"

namespace tenon::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

void keep(void* state, const char* line, uint64_t length) {
  static_cast<std::vector<std::string>*>(state)->emplace_back(line, length);
}

class OpLog : public testing::Test {
 protected:
  void begin() { cx.must(tenon_op_log_begin(cx.get(), keep, &lines)); }
  void end() { cx.must(tenon_op_log_end(cx.get())); }
  // The lines of `body`; times, which differ, as "T".
  std::vector<std::string> logged(const std::function<void()>& body) {
    lines.clear();
    begin();
    body();
    end();
    for (std::string& line : lines)
      line = std::regex_replace(line, std::regex("  [0-9]+[.][0-9] us$"), "  T");
    return lines;
  }

  RuntimeHandle runtime = make_checked("");
  Session cx{runtime};
  std::vector<std::string> lines;
  const Tensor x = cx.floats({2, 3}, {1, 2, 3, 4, 5, 6});
};

TEST_F(OpLog, SaysWhatBeginsAndWhatHasRun) {
  EXPECT_THAT(logged([&] {
                cx.call("tenon.add", {arg(x), Value(2.5)});
              }),
              ElementsAre("tenon.add f32[2,3] 2.5", "  tenon.cpu f32[6] f32[6] f32[6]  T"));
  // No kernel runs for a view.
  EXPECT_THAT(logged([&] {
                cx.call("tenon.permute", {arg(x)}, {ints({1, 0})});
              }),
              ElementsAre("tenon.permute f32[2,3] axes=[1,0]"));
  EXPECT_THAT(logged([&] {
                cx.must(tenon_scope_begin(cx.get(), "block", TENON_NUL));
                cx.call("tenon.neg", {arg(x)});
                cx.must(tenon_scope_end(cx.get()));
              }),
              ElementsAre("[block] tenon.neg f32[2,3]", "  tenon.cpu f32[6] f32[6]  T"));
}

TEST_F(OpLog, WhatAnOpIsMadeOfStandsFurtherIn) {
  const Tensor target = cx.floats({2, 3}, {1, 2, 3, 4, 5, 6});
  const std::vector<std::string> found = logged([&] {
    cx.call("tenon.mse_loss", {arg(x), arg(target)});
  });
  ASSERT_GE(found.size(), 3U);
  EXPECT_EQ(found[0], "tenon.mse_loss f32[2,3] f32[2,3]");
  EXPECT_THAT(found[1], testing::StartsWith("  tenon."));
  EXPECT_THAT(found, testing::Contains(testing::StartsWith("    tenon.cpu f32")));
}

TEST_F(OpLog, AFailedOpIsTheLast) {
  EXPECT_THAT(logged([&] {
                EXPECT_NE(cx.try_call("tenon.matmul", {arg(x), arg(x)}), TENON_OK);
                cx.call("tenon.neg", {arg(x)});
              }),
              ElementsAre("tenon.matmul f32[2,3] f32[2,3]", "  failed", "tenon.neg f32[2,3]",
                          "  tenon.cpu f32[6] f32[6]  T"));
  // What is no call at all has no line, and an error as ever.
  EXPECT_THAT(logged([&] { EXPECT_NE(cx.try_call("tenon.neg", {}), TENON_OK); }), IsEmpty());
}

TEST_F(OpLog, KnowsCallsSeenBeforeBackwardsAndPlans) {
  for (int i = 0; i < 5; ++i) cx.call("tenon.neg", {arg(x)});
  const std::vector<std::string> one = logged([&] { cx.call("tenon.neg", {arg(x)}); });
  EXPECT_EQ(one.size(), 2U);
  const Tensor leaf = cx.leaf(cx.floats({2, 3}, {1, 2, 3, 4, 5, 6}));
  const Tensor y = cx.call("tenon.sum", {arg(cx.call("tenon.neg", {arg(leaf)}))});
  const std::vector<std::string> backward = logged([&] { cx.backward(y); });
  EXPECT_THAT(backward, testing::Contains("tenon.neg f32[2,3]"));
  cx.begin_capture();
  const Tensor captured = cx.call("tenon.neg", {arg(x)});
  const Plan plan = cx.end_capture();
  EXPECT_THAT(logged([&] { cx.must(tenon_plan_run(cx.get(), plan.get())); }),
              ElementsAre("tenon.neg tenon.cpu f32[6] f32[6]  T"));
}

TEST_F(OpLog, OneAtATimeAndTheContextsAlone) {
  const Session other(runtime);
  EXPECT_THAT(logged([&] { other.call("tenon.neg", {arg(x)}); }), IsEmpty());
  begin();
  EXPECT_THAT(cx.refused(TENON_E_STATE, tenon_op_log_begin(cx.get(), keep, &lines)).message,
              HasSubstr("the log of ops is begun already"));
  end();
  EXPECT_THAT(cx.refused(TENON_E_STATE, tenon_op_log_end(cx.get())).message,
              HasSubstr("tenon_op_log_end without tenon_op_log_begin"));
  lines.clear();
  cx.call("tenon.neg", {arg(x)});
  EXPECT_THAT(lines, IsEmpty());
}

// A check that ends restores the modes from before it, but no log.
TEST_F(OpLog, GoesOnWhenACheckEnds) {
  cx.must(tenon_check_begin(cx.get(), TENON_CHECK_FINITE));
  begin();
  cx.must(tenon_check_end(cx.get()));
  cx.call("tenon.neg", {arg(x)});
  EXPECT_EQ(lines.size(), 2U);
  cx.must(tenon_check_begin(cx.get(), TENON_CHECK_FINITE));
  end();
  cx.must(tenon_check_end(cx.get()));
  cx.call("tenon.neg", {arg(x)});
  EXPECT_EQ(lines.size(), 2U);
}

// TENON_OP_LOG=1: all contexts, to standard error, for programs that nobody wants to change.
TEST(OpLogOfTheEnvironment, GoesToStandardError) {
  const auto make = [](tenon_diag& diag) {
    tenon_runtime_options options{};
    options.struct_size = sizeof options;
    const std::string folder = plugin_dir();
    const tenon_string path{folder.data(), folder.size()};
    options.paths = &path;
    options.n_paths = 1;
    tenon_runtime* runtime = nullptr;
    tenon_runtime_create(&options, &diag, &runtime);
    return RuntimeHandle(runtime);
  };
  tenon_diag diag{};
  setenv("TENON_OP_LOG", "yes", 1);
  EXPECT_FALSE(make(diag));
  EXPECT_THAT(diag.message, HasSubstr("TENON_OP_LOG is neither 0 nor 1"));
  setenv("TENON_OP_LOG", "1", 1);
  const RuntimeHandle runtime = make(diag);
  unsetenv("TENON_OP_LOG");
  ASSERT_TRUE(runtime);
  const Session cx(runtime);
  const Tensor x = cx.floats({2}, {1, 2});
  testing::internal::CaptureStderr();
  cx.call("tenon.neg", {arg(x)});
  // A log that the program begins takes its place until it ends.
  std::vector<std::string> lines;
  cx.must(tenon_op_log_begin(cx.get(), keep, &lines));
  cx.call("tenon.abs", {arg(x)});
  cx.must(tenon_op_log_end(cx.get()));
  cx.call("tenon.exp", {arg(x)});
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, MatchesRegex("tenon.neg f32.2.\n  tenon.cpu f32.2. f32.2.  [0-9.]* us\n"
                                 "tenon.exp f32.2.\n  tenon.cpu f32.2. f32.2.  [0-9.]* us\n"));
  EXPECT_EQ(lines.size(), 2U);
}

}  // namespace
}  // namespace tenon::tests
