// SPDX-License-Identifier: Apache-2.0
// tests/cost/system_calls_test.cc: what repeats on one thread asks nothing of the system. A child
// process gives up every system call but write and exit: the first other one kills it.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <memory>

#include "tests/cost/work_support.h"

#if defined(__linux__) && TENON_SANITIZER_BUILT == TENON_SANITIZER_NONE

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

namespace tenon::tests {
namespace {

constexpr int kNoSeccomp = 3;

// Runs `body` kSteps times without system calls, after some with; the wait status of the child
// that did. `body` is made in the child.
template <class Make>
int run_alone(Make&& make) {
  const pid_t child = fork();
  if (child == 0) {
    Work work(1);
    auto body = make(work);
    for (int i = 0; i < kWarm; ++i) body();
    if (testing::Test::HasFailure()) _exit(1);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) _exit(kNoSeccomp);
    for (int i = 0; i < kSteps; ++i) body();
    syscall(SYS_exit, testing::Test::HasFailure() ? 1 : 0);  // exit_group would be one too many
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

#define TENON_SKIP_WITHOUT_SECCOMP(status)                    \
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNoSeccomp) \
  GTEST_SKIP() << "this system has no strict seccomp"

TEST(SystemCalls, AreSeen) {
  const int status = run_alone([](Work&) { return [] { getppid(); }; });
  TENON_SKIP_WITHOUT_SECCOMP(status);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
}

TEST(SystemCalls, SmallOpsMakeNone) {
  const int status = run_alone([](Work& work) {
    return [&work, add = work.op("tenon.add"), a = work.floats({64}), p = work.parameter({64})] {
      tenon_tensor_release(work.call(add, {a, a}));
      tenon_tensor_release(work.call(add, {p, a}));
    };
  });
  TENON_SKIP_WITHOUT_SECCOMP(status);
  EXPECT_EQ(status, 0);
}

TEST(SystemCalls, AnEagerTrainingStepMakesNone) {
  const int status = run_alone([](Work& work) {
    return [training = std::make_unique<Training>(work)] { training->step(); };
  });
  TENON_SKIP_WITHOUT_SECCOMP(status);
  EXPECT_EQ(status, 0);
}

TEST(SystemCalls, ACapturedTrainingStepMakesNone) {
  const int status = run_alone([](Work& work) {
    auto training = std::make_unique<Training>(work);
    training->capture();
    return [kept = std::move(training)] { kept->replay(); };
  });
  TENON_SKIP_WITHOUT_SECCOMP(status);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace tenon::tests

#endif
