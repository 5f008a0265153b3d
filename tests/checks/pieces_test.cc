// SPDX-License-Identifier: Apache-2.0
// tests/checks/pieces_test.cc: of the pieces of parallel work that fail, the lowest is told of,
// whatever the threads did: its status and its words, in C and in C++.
#include "tests/checks/plugins/test.pieces/pieces.h"
#include "tests/checks/checks_support.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;

constexpr int kRuns = 60;

class PiecesThreads : public testing::TestWithParam<int32_t> {
 protected:
  // Pieces 3 and 7 fail. In one run of two, 3 is so slow that 7 has failed before.
  void start(int run) {
    work.fails = {};
    work.fails[3] = work.fails[7] = true;
    work.slow = run % 2 == 0 ? 3 : -1;
    for (auto& ran : work.ran) ran = false;
    work.lowest = INT64_MAX;
  }
  tenon_status call(const char* op) {
    Tensor out;
    return cx.try_call(op, {arg(x)}, {Value(reinterpret_cast<int64_t>(&work))}, out);
  }
  // What lies below the lowest that fails has run, always.
  void expect_below_ran() {
    for (size_t i = 0; i <= 3; ++i) EXPECT_TRUE(work.ran[i]) << i;
  }

  PiecesWork work;
  RuntimeHandle runtime = make_checked("", GetParam());
  Session cx{runtime};
  Tensor x = cx.floats({2}, {1, 2});
};

TEST_P(PiecesThreads, InCTheLowestGivesStatusAndWords) {
  for (int run = 0; run < kRuns; ++run) {
    start(run);
    const Failure f = cx.refused(TENON_E_DATA, call("test.raw"));
    ASSERT_EQ(f.message, "test.raw: piece 3 is bad");
    EXPECT_EQ(f.plugin, "test.pieces");
    EXPECT_TRUE(f.causes.empty());
    expect_below_ran();
  }
}

TEST_P(PiecesThreads, AStatusWithoutWordsIsKept) {
  for (int run = 0; run < kRuns; ++run) {
    start(run);
    const Failure f = cx.refused(TENON_E_DATA, call("test.wordless"));
    ASSERT_THAT(f.message, HasSubstr("failed without saying why"));
  }
}

TEST_P(PiecesThreads, InCppWhatTheLowestThrowsReachesTheCaller) {
  for (int run = 0; run < kRuns; ++run) {
    start(run);
    const Failure f = cx.refused(TENON_E_DATA, call("test.failures"));
    ASSERT_EQ(f.message, "test.failures: piece 3 is bad");
    EXPECT_EQ(f.operand, "x");
    EXPECT_EQ(f.expected, "good pieces");
    EXPECT_EQ(f.found, "3");
    expect_below_ran();
    start(run);
    ASSERT_THAT(cx.refused(TENON_E_PLUGIN, call("test.exceptions")).message,
                HasSubstr("piece 3 is bad"));
    start(run);
    cx.must(call("test.survivor"));
    ASSERT_EQ(work.lowest, 3);
  }
}

// A failure is over with its call.
TEST_P(PiecesThreads, WithoutFailuresAllPiecesRun) {
  for (const char* op : {"test.raw", "test.wordless", "test.failures", "test.exceptions"}) {
    start(0);
    cx.refused(op == std::string("test.exceptions") ? TENON_E_PLUGIN : TENON_E_DATA, call(op));
    start(1);
    work.fails = {};
    cx.must(call(op));
    for (const auto& ran : work.ran) EXPECT_TRUE(ran);
  }
}

// The lowest of all, the highest, and all of them.
TEST_P(PiecesThreads, AnyPieceMayBeTheLowest) {
  for (int64_t lowest = 0; lowest < PiecesWork::kPieces; ++lowest) {
    start(1);
    work.fails = {};
    for (auto i = static_cast<size_t>(lowest); i < work.fails.size(); ++i) work.fails[i] = true;
    const tenon_status status = lowest == 3 ? TENON_E_DATA : TENON_E_SHAPE;
    const std::string words = "piece " + std::to_string(lowest) + " is bad";
    EXPECT_THAT(cx.refused(status, call("test.raw")).message, HasSubstr(words));
    EXPECT_THAT(cx.refused(status, call("test.failures")).message, HasSubstr(words));
  }
}

INSTANTIATE_TEST_SUITE_P(, PiecesThreads, testing::Values(1, 2, 3, 8));

}  // namespace
}  // namespace tenon::tests
