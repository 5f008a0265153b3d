// SPDX-License-Identifier: Apache-2.0
// tests/processes/verify_test.cc: the conformance kit passes an engine that is right, and finds
// each fault of one that is not.
#include <cstdlib>
#include <filesystem>
#include <map>

#include "tests/processes/processes_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

Judged judge_shm(int n, const std::string& engine, const std::string& fault) {
  return judge(n, engine, {std::string(test_plugin_dir()) + "/processes"},
               [&](int) { setenv("TEST_SHM_FAULT", fault.c_str(), 1); });
}

TEST(VerifyEnginesFull, TheRightOnePasses) {
  for (const int n : {1, 2, 3}) {
    const Judged judged = judge_shm(n, "test.shm", "");
    for (const int status : judged.statuses) EXPECT_EQ(status, 0) << judged.text;
  }
  const Judged alone = judge_shm(1, "tenon.self", "");
  EXPECT_EQ(alone.statuses[0], 0) << alone.text;
}

TEST(VerifyEnginesFull, MpiPasses) {
  if (std::system("command -v mpirun > /dev/null") != 0 ||
      !std::filesystem::exists(std::string(plugin_dir()) + "/tenon.mpi")) {
    GTEST_SKIP() << "no mpirun, or tenon.mpi was not built";
  }
  const std::string command =
      "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
      "OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none "
      "timeout 120 mpirun -n 3 " +
      std::string(command_path()) + " --plugin-path " + plugin_dir() + " verify tenon.mpi 2>&1";
  std::string text;
  FILE* const pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  char piece[4096];
  for (size_t n = 0; (n = fread(piece, 1, sizeof piece, pipe)) != 0;) text.append(piece, n);
  pclose(pipe);
  size_t passed = 0;
  for (size_t at = 0; (at = text.find(" 0 failed", at)) != std::string::npos; ++at) ++passed;
  EXPECT_EQ(passed, 6U) << text;  // twice in each process
  EXPECT_EQ(text.find("FAILED"), std::string::npos) << text;
}

TEST(VerifyEnginesFull, EachFaultIsFound) {
  const std::map<std::string, std::string> faults = {
      {"members_reversed", "wrong-members"},
      {"members_of_all", "wrong-members"},
      {"color_ignored", "wrong-members"},
      {"key_ignored", "wrong-members"},
      {"time_out_late", "late"},
      {"time_out_is_success", ""},
      {"done_is_not_told", "late"},
      {"prints", "output"},
      {"input_changed", "input-changed"},
      {"broadcast_from_0", "wrong-value"},
      {"exchange_is_gather", "wrong-value"},
      {"long_ones_are_cut", "wrong-value"},
      {"last_one_is_lost", "skipped-tail"},
      {"second_overtakes", ""},
      {"pair_is_shifted", "wrong-value"},
      {"sum_refused", "refused"},
      {"writes_beside", "overrun"},
      {"own_row_is_missing", "wrong-value"},
      {"rows_reversed", "wrong-value"},
      {"sum_without_us", "wrong-value"},
      {"sum_in_float", "wrong-value"},
      {"parts_of_rank_0", "wrong-value"},
  };
  for (const auto& [fault, cause] : faults) {
    const Judged judged = judge_shm(3, "test.shm_faulty", fault);
    bool found = false;
    for (const int status : judged.statuses) found = found || status != 0;
    EXPECT_TRUE(found) << fault << " was not found\n" << judged.text;
    EXPECT_NE(judged.text.find(cause), std::string::npos) << fault << "\n" << judged.text;
  }
}

}  // namespace
}  // namespace tenon::tests
