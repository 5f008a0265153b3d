// SPDX-License-Identifier: Apache-2.0
// tests/cpu/same_bits_test.cc: every kernel of tenon.cpu gives the same bits as the plugin of the
// same objects that uses only AVX2, and for any number of threads.
//
// What is tested is what the registry lists: a new kernel is found here by itself. Operands are
// those of the samples, in many dtypes and layouts, and larger ones.
#include <tenon/plugin.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "tests/cpu/same_bits_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

std::vector<std::string> folders() {
  return {plugin_dir(), std::string(test_plugin_dir()) + "/cpu"};
}

std::set<std::string> kernels_of(std::string_view plugin) { return ops_of(folders(), plugin); }

// A sanitizer looks for other things, and takes its time.
const bool kSanitized = sanitizer() != TENON_SANITIZER_NONE;

class CpuSameBits : public testing::Test {
 protected:
  void SetUp() override {
#if !defined(TENON_TEST_CPU)
    GTEST_SKIP() << "tenon.cpu was not built here";
#else
    if (kernels_of(kPlugin).empty()) GTEST_SKIP() << "this processor cannot run tenon.cpu";
#endif
  }
};

// The order of arithmetic is that of the elements, wherever they lie in memory.
TEST_F(CpuSameBits, InEveryLayout) {
  const Session session(std::vector<std::string>{plugin_dir()}, 2);
  pin(session, kPlugin);
  const std::set<std::string> ops = kernels_of(kPlugin);
  std::map<std::string, int> tried;
  for (const Case& from : good_cases()) {
    if (!ops.contains(from.op) || tried[from.op] == (kSanitized ? 1 : 4)) continue;
    const auto larger = enlarged(from, 5000);
    if (!larger || !is_accepted(session, *larger)) continue;
    ++tried[from.op];
    const Outcome wanted = run(session, *larger, Bound(session, *larger));
    for (size_t first = 0; first < std::size(kLayouts); ++first) {
      const auto layouts = mixed(larger->arrays.size(), first);
      const Outcome found = run(session, *larger, Bound(session, *larger, larger->arrays, layouts));
      const std::string what = larger->label + ", first operand " + name_of(layouts[0]);
      expect_same(wanted.outputs, found.outputs, what);
      expect_same(wanted.operands, found.operands, what);
    }
    if (HasFailure()) return;
  }
  EXPECT_GE(tried.size() + 4, ops.size()) << "few ops could be made larger";
}

#if defined(TENON_TEST_CPU_TWIN)

constexpr std::string_view kTwin = "test.cpu_avx2";

// Bits of results alone: of operands that are written, too.
void expect_twins(const Session& session, const Case& from, const std::vector<Layout>& layouts) {
  const Outcome found = run_pinned(session, kPlugin, from, layouts);
  const Outcome wanted = run_pinned(session, kTwin, from, layouts);
  expect_same(wanted.outputs, found.outputs, from.label);
  expect_same(wanted.operands, found.operands, from.label + ", operands");
}

TEST_F(CpuSameBits, TheTwinHasTheSameKernels) { EXPECT_EQ(kernels_of(kTwin), kernels_of(kPlugin)); }

TEST_F(CpuSameBits, OfSamplesOnEveryInstructionSet) {
  const Session session(folders(), 1);
  const std::set<std::string> ops = kernels_of(kPlugin);
  std::map<std::string, int> run_by_op;
  size_t number = 0;
  for (const Case& from : good_cases()) {
    if (!ops.contains(from.op)) continue;
    const std::vector<Layout> row_major(from.arrays.size(), Layout::RowMajor);
    expect_twins(session, from, row_major);
    expect_twins(session, from, mixed(from.arrays.size(), number++));
    pin(session, kPlugin);
    // Kernels of view ops are for operands of which no view exists.
    const std::vector<Layout> transposed(from.arrays.size(), Layout::Transposed);
    for (const auto& layouts : {row_major, transposed}) {
      const Bound bound(session, from, from.arrays, layouts);
      if (chosen(session, from, bound) == kPlugin) ++run_by_op[from.op];
    }
    if (HasFailure()) return;
  }
  for (const std::string& op : ops) EXPECT_GT(run_by_op[op], 0) << op << ": no sample runs it";
}

TEST_F(CpuSameBits, OfLargerOperandsOnEveryInstructionSet) {
  const Session session(folders(), 1);
  const std::set<std::string> ops = kernels_of(kPlugin);
  size_t number = 0;
  for (const Case& from : good_cases()) {
    if (!ops.contains(from.op)) continue;
    // Sizes around whole vectors of every instruction set and dtype.
    const auto larger = enlarged(from, 150.0 + static_cast<double>(++number % 400));
    if (!larger || !is_accepted(session, *larger)) continue;
    expect_twins(session, *larger, mixed(larger->arrays.size(), number));
    if (HasFailure()) return;
  }
}

#endif

TEST_F(CpuSameBits, ForAnyNumberOfThreads) {
  std::vector<int32_t> counts = {1, 2, 3, 8};
  if (kSanitized) counts = {1, 3};
  std::vector<std::unique_ptr<Session>> sessions;
  for (const int32_t count : counts) {
    sessions.push_back(std::make_unique<Session>(std::vector<std::string>{plugin_dir()}, count));
    pin(*sessions.back(), kPlugin);
  }
  const std::set<std::string> ops = kernels_of(kPlugin);
  std::map<std::string, int> tried;
  for (const Case& from : good_cases()) {
    // Two of each op: what differs between dtypes is not how work is cut.
    if (!ops.contains(from.op) || tried[from.op] == (kSanitized ? 1 : 2)) continue;
    const auto larger = enlarged(from, kSanitized ? 30000 : 100000);
    if (!larger || !is_accepted(*sessions[0], *larger)) continue;
    ++tried[from.op];
    const Outcome alone = run(*sessions[0], *larger, Bound(*sessions[0], *larger));
    for (size_t i = 1; i < counts.size(); ++i) {
      const Outcome found = run(*sessions[i], *larger, Bound(*sessions[i], *larger));
      const std::string what = larger->label + ", threads: " + std::to_string(counts[i]);
      expect_same(alone.outputs, found.outputs, what);
      expect_same(alone.operands, found.operands, what);
    }
    if (HasFailure()) return;
  }
  EXPECT_GE(tried.size() + 4, ops.size()) << "few ops could be made larger";
}

}  // namespace
}  // namespace tenon::tests
