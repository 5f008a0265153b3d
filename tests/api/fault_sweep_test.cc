// SPDX-License-Identifier: Apache-2.0
// tests/api/fault_sweep_test.cc: every exported function, with its allocations failing one after
// the other, on the host and on a device: it returns TENON_E_MEMORY, or TENON_OK where the memory
// was a convenience; a failure has no effect, nothing is lost, and the same call works afterwards.
#include "tests/api/fault_sweep_support.h"

#ifdef TENON_TESTS_FAILING_MEMORY

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <set>

namespace tenon::tests {
namespace {

// No call makes more allocations; one that never gets through would go on for ever.
constexpr uint64_t kMaxAllocations = 100000;
// Up to here each fails in turn, from here on every 17th: what makes so many goes over a list, and
// a prime meets every place of the loop. All of them would take the square of their number.
constexpr uint64_t kEachInTurn = 1000;
constexpr uint64_t kStride = 17;

tenon_stats stats_of(tenon_context* cx) {
  tenon_stats stats{};
  stats.struct_size = sizeof stats;
  EXPECT_EQ(tenon_runtime_get_stats(cx, &stats), TENON_OK);
  return stats;
}

// The first difference, or "".
std::string difference(const tenon_stats& before, const tenon_stats& after) {
  const auto compare = [](const char* what, int64_t a, int64_t b) {
    return a == b ? std::string()
                  : std::string(what) + " " + std::to_string(a) + " -> " + std::to_string(b);
  };
  for (const std::string& text :
       {compare("tensors", before.tensors, after.tensors),
        compare("storages", before.storages, after.storages),
        compare("nodes", before.nodes, after.nodes), compare("plans", before.plans, after.plans),
        compare("bytes", static_cast<int64_t>(before.bytes_live),
                static_cast<int64_t>(after.bytes_live))}) {
    if (!text.empty()) return text;
  }
  return "";
}

// Cached blocks go back to their devices, so that the next one is asked for.
void empty_caches(tenon_context* cx) {
  EXPECT_EQ(tenon_runtime_set_memory_limit(cx, 1), TENON_OK);
  EXPECT_EQ(tenon_runtime_set_memory_limit(cx, 0), TENON_OK);
}

size_t failures_so_far() {
  return static_cast<size_t>(
      testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count());
}

class Sweep {
 public:
  Sweep(FaultWorld& world, const FaultRow& row, const FailurePlan& plan)
      : w_(world), row_(row), plan_(plan) {}

  // Returns how many allocations have failed.
  uint64_t run() {
    const size_t failures = failures_so_far();
    succeed();
    const tenon_stats before = stats_of(w_.cx);
    uint64_t count = 0;
    for (uint64_t index = 0; index < kMaxAllocations;
         index += index < kEachInTurn ? 1 : kStride, ++count) {
      where_ = row_.function + ", " + row_.what + ", " + plan_.name + ", number " +
               std::to_string(index);
      std::snprintf(words_, kWords, "%s", where_.c_str());
      // Looks at what the failure has left behind, then goes on from there.
      for (const bool again : {false, true}) {
        const bool failed = attempt(index, again);
        const std::string moved = difference(before, stats_of(w_.cx));
        EXPECT_EQ(moved, "") << where_;
        if (!failed || failures_so_far() != failures) return count;
      }
    }
    ADD_FAILURE() << where_ << ": does not end";
    return count;
  }

  // In memory that the parent process sees: what the child was doing when it died.
  static constexpr size_t kWords = 256;
  static char* words() {
    static char* const shared = static_cast<char*>(
        mmap(nullptr, kWords, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    return shared;
  }

 private:
  void prepare() {
    w_.reset_outs();
    if (row_.before) row_.before(w_);
    if (plan_.device) empty_caches(w_.cx);
  }

  void finish(tenon_status status) {
    if (row_.check) row_.check(w_, status);
    if (status == TENON_OK && row_.undo) row_.undo(w_);
    w_.drop_outs();
  }

  void succeed() {
    prepare();
    finish(call_unharmed());
  }

  tenon_status call_unharmed() {
    const tenon_status status = row_.call(w_);
    EXPECT_EQ(status, TENON_OK) << where_ << ", unharmed: " << said(status);
    return status;
  }

  std::string said(tenon_status status) {
    tenon_error error{};
    error.struct_size = sizeof error;
    EXPECT_EQ(tenon_context_get_error(w_.cx, &error), TENON_OK);
    return std::string(tenon_status_get_name(status)) + ", " + error.message;
  }

  // True if an allocation failed. `again`: then makes the same call once more.
  bool attempt(uint64_t index, bool again) {
    prepare();
    tenon_status status = TENON_OK;
    {
      const FailingMemory armed(plan_, index);
      status = row_.call(w_);
    }
    const bool failed = FailingMemory::has_failed();
    if (status != TENON_OK) {
      EXPECT_TRUE(failed) << where_ << ": fails by itself";
      EXPECT_EQ(status, TENON_E_MEMORY) << where_ << ": " << said(status);
      EXPECT_TRUE(w_.outs_untouched()) << where_ << ": an output was written";
      if (again && !row_.uses_up) status = call_unharmed();
    }
    finish(status);
    return failed;
  }

  FaultWorld& w_;
  const FaultRow& row_;
  const FailurePlan& plan_;
  std::string where_;
  char* const words_ = words();
};

// Each function in a process of its own, so that one that crashes is named and the others run.
void sweep_all(const FaultRows& rows) {
  ASSERT_NE(Sweep::words(), MAP_FAILED);
  uint64_t failures = 0;
  for (const FaultRow& row : rows) {
    int channel[2];
    ASSERT_EQ(pipe(channel), 0);
    std::fflush(nullptr);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      uint64_t count = 0;
      const size_t before = failures_so_far();
      FaultWorld world;  // of the child: its device has a thread
      for (const FailurePlan& plan : kFailurePlans) {
        if (failures_so_far() == before) count += Sweep(world, row, plan).run();
      }
      const bool told = write(channel[1], &count, sizeof count) == sizeof count;
      std::fflush(nullptr);
      _exit(failures_so_far() != before || !told ? 1 : 0);
    }
    close(channel[1]);
    uint64_t count = 0;
    if (read(channel[0], &count, sizeof count) == sizeof count) failures += count;
    close(channel[0]);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_FALSE(WIFSIGNALED(status))
        << Sweep::words() << ": the process ended by signal " << WTERMSIG(status);
    EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0)
        << row.function << ", " << row.what;
  }
  testing::Test::RecordProperty("failures", std::to_string(failures));
  EXPECT_GT(failures, rows.size()) << "allocations that failed";
}

// Each topic by itself: that of all ops alone takes minutes.
class FaultSweepQueriesFull : public testing::TestWithParam<FaultRow> {};
TEST_P(FaultSweepQueriesFull, Topic) { sweep_all({GetParam()}); }
INSTANTIATE_TEST_SUITE_P(All, FaultSweepQueriesFull, testing::ValuesIn(query_faults()),
                         [](const auto& row) { return row.param.what; });
TEST(FaultSweep, Runtime) { sweep_all(runtime_faults()); }
TEST(FaultSweep, Context) { sweep_all(context_faults()); }
TEST(FaultSweep, Tensors) { sweep_all(tensor_faults()); }
TEST(FaultSweep, Gradients) { sweep_all(gradient_faults()); }
TEST(FaultSweep, Ops) { sweep_all(op_faults()); }
TEST(FaultSweep, Training) { sweep_all(training_faults()); }
TEST(FaultSweepFull, Archives) { sweep_all(archive_faults()); }
TEST(FaultSweep, Layers) { sweep_all(layer_faults()); }
TEST(FaultSweep, Loaders) { sweep_all(loader_faults()); }
TEST(FaultSweepFull, RunFiles) { sweep_all(run_file_faults()); }
TEST(FaultSweep, Tokenizers) { sweep_all(tokenizer_faults()); }
TEST(FaultSweepFull, TokenizerFiles) { sweep_all(tokenizer_file_faults()); }
TEST(FaultSweep, Processes) { sweep_all(process_faults()); }
TEST(FaultSweep, History) { sweep_all(history_faults()); }
TEST(FaultSweep, Entries) { sweep_all(entry_faults()); }
TEST(FaultSweep, Opening) { sweep_all(opening_faults()); }
TEST(FaultSweep, AllowLists) { sweep_all({allow_list_faults().front()}); }
TEST(FaultSweep, SealedCopies) { sweep_all({allow_list_faults().back()}); }

TEST(FaultSweep, CoversEveryExportedFunction) {
  std::set<std::string> covered;
  for (const FaultRows& rows :
       {query_faults(), runtime_faults(), context_faults(), tensor_faults(), gradient_faults(),
        op_faults(), training_faults(), archive_faults(), layer_faults(), loader_faults(),
        run_file_faults(), tokenizer_faults(), tokenizer_file_faults(), process_faults(),
        history_faults(), entry_faults(), opening_faults(), allow_list_faults()}) {
    for (const FaultRow& row : rows) covered.insert(row.function);
  }
  EXPECT_EQ(covered, exported_functions());
}

}  // namespace
}  // namespace tenon::tests

#endif
