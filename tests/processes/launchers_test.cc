// SPDX-License-Identifier: Apache-2.0
// tests/processes/launchers_test.cc: what launchers put into the environment, and what tenon.mpi
// says where MPI finds none of the processes that they have started. No launcher is needed:
// tests/outside/launchers_test.py has real ones.
#include <cstdlib>
#include <filesystem>
#include <map>

#include "tests/processes/processes_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

using Variables = std::map<std::string, std::string>;

void set_environment(const Variables& variables) {
  for (const char* const each :
       {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_SIZE", "PMI_RANK", "PMIX_RANK",
        "PMIX_NAMESPACE", "SLURM_JOBID", "SLURM_STEP_ID", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID",
        "SLURM_NTASKS", "SLURM_NODELIST", "FLUX_JOB_SIZE", "FLUX_TASK_RANK", "WORLD_SIZE",
        "RANK"}) {
    unsetenv(each);
  }
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
}

class LaunchersFull : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(std::string(plugin_dir()) + "/tenon.mpi")) {
      GTEST_SKIP() << "tenon.mpi was not built";
    }
  }

  // In a process of its own, which has to end by itself whatever joining says.
  static void in_environment(const Variables& variables,
                             const std::function<void(Process&, tenon_status)>& body) {
    in_processes(1, [&](int) {
      set_environment(variables);
      Process process;
      tenon_group* group = nullptr;
      const tenon_status status = tenon_group_create(process.context, "tenon.mpi", TENON_NUL,
                                                     nullptr, nullptr, 0, 10'000, &group);
      body(process, status);
      if (group) {
        EXPECT_EQ(process.info(group).size, 1);
      }
      tenon_group_release(group);
    });
  }

  static void expect_alone(const Variables& variables) {
    in_environment(variables, [](Process& process, tenon_status status) {
      EXPECT_EQ(status, TENON_OK) << process.error().message;
    });
  }

  static void expect_refused(const Variables& variables, const std::string& words) {
    in_environment(variables, [&](Process& process, tenon_status status) {
      ASSERT_EQ(status, TENON_E_STATE) << words;
      const tenon_error error = process.error();
      EXPECT_NE(std::string(error.message).find(words), std::string::npos) << error.message;
      EXPECT_NE(std::string(error.hint).find("by the mpirun of"), std::string::npos) << error.hint;
      EXPECT_NE(std::string(error.hint).find("tenon.self"), std::string::npos) << error.hint;
      tenon_group* again = nullptr;
      EXPECT_EQ(tenon_group_create(process.context, "tenon.mpi", TENON_NUL, nullptr, nullptr, 0,
                                   10'000, &again),
                TENON_E_STATE);
    });
  }
};

TEST_F(LaunchersFull, OneOfSeveralIsNotAlone) {
  const std::string rest = " says that this process is one of 2, and MPI has found no other";
  expect_refused({{"PMI_SIZE", "2"}, {"PMI_RANK", "0"}}, "PMI_SIZE" + rest);
  expect_refused({{"OMPI_COMM_WORLD_SIZE", "2"}, {"OMPI_COMM_WORLD_RANK", "1"}},
                 "OMPI_COMM_WORLD_SIZE" + rest);
  expect_refused({{"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_PROCID", "1"}},
                 "SLURM_STEP_NUM_TASKS" + rest);
  expect_refused({{"FLUX_JOB_SIZE", "2"}, {"FLUX_TASK_RANK", "0"}}, "FLUX_JOB_SIZE" + rest);
  expect_refused({{"WORLD_SIZE", "2"}, {"RANK", "0"}}, "WORLD_SIZE" + rest);
}

// Open MPI 4 ends such a process in MPI_Init, and writes PMIX_RANK there.
TEST_F(LaunchersFull, SrunWithoutPmixIsRefusedBeforeMpiBegins) {
  expect_refused({{"SLURM_JOBID", "5"},
                  {"SLURM_STEP_ID", "0"},
                  {"SLURM_NODELIST", "node0"},
                  {"SLURM_STEP_NUM_TASKS", "2"},
                  {"SLURM_NTASKS", "2"},
                  {"SLURM_PROCID", "0"}},
                 "this process");
}

TEST_F(LaunchersFull, OneProcessIsAlone) {
  expect_alone({});
  // A batch script of a job of four tasks.
  expect_alone({{"SLURM_JOBID", "5"},
                {"SLURM_NODELIST", "node0"},
                {"SLURM_NTASKS", "4"},
                {"SLURM_PROCID", "0"}});
  // One process of mpirun's in a step of srun's that starts mpirun's helpers.
  expect_alone({{"OMPI_COMM_WORLD_SIZE", "1"},
                {"OMPI_COMM_WORLD_RANK", "0"},
                {"SLURM_STEP_NUM_TASKS", "4"},
                {"SLURM_PROCID", "3"}});
  // torchrun's of one process, and half of them.
  expect_alone({{"WORLD_SIZE", "1"}, {"RANK", "0"}});
  expect_alone({{"WORLD_SIZE", "1"}});
}

// What a launcher says in half is no sign of one process.
TEST_F(LaunchersFull, AVariableWithoutTheOtherIsRefused) {
  const auto expect_half = [](const Variables& variables, const std::string& half,
                              const std::string& wanted, const std::string& found) {
    in_environment(variables, [&](Process& process, tenon_status status) {
      ASSERT_EQ(status, TENON_E_STATE) << half;
      const tenon_error error = process.error();
      EXPECT_EQ(std::string(error.message),
                "tenon.mpi: " + half +
                    " says that this process is one of several, and MPI has found no other");
      EXPECT_EQ(std::string(error.operand), wanted);
      EXPECT_TRUE(std::string(error.expected).starts_with(wanted + " beside it, a whole number"))
          << error.expected;
      EXPECT_EQ(std::string(error.found), found);
    });
  };
  expect_half({{"RANK", "1"}}, "RANK", "WORLD_SIZE", "none");
  expect_half({{"RANK", "0"}, {"WORLD_SIZE", "two"}}, "RANK", "WORLD_SIZE", "two");
  expect_half({{"WORLD_SIZE", "2"}}, "WORLD_SIZE", "RANK", "none");
  expect_half({{"WORLD_SIZE", "2"}, {"RANK", "1.0"}}, "WORLD_SIZE", "RANK", "1.0");
  expect_half({{"PMI_RANK", "0"}}, "PMI_RANK", "PMI_SIZE", "none");
  expect_half({{"PMI_SIZE", "many"}, {"PMI_RANK", "0"}}, "PMI_RANK", "PMI_SIZE", "many");
  expect_half({{"OMPI_COMM_WORLD_SIZE", "2"}}, "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK",
              "none");
}

}  // namespace
}  // namespace tenon::tests
