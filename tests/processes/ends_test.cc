// SPDX-License-Identifier: Apache-2.0
// tests/processes/ends_test.cc: every way in which one of three processes may end, while it waits
// in a transfer, while it computes, and between two steps: the others are told its rank long before
// the time is over. tests/outside/ends_test.py does the same under real launchers.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <new>
#include <stdexcept>
#include <thread>

#include "tests/processes/processes_support.h"

namespace tenon::tests {
namespace {

constexpr int kVictim = 1;
constexpr int64_t kTimeout = 60'000;

struct Way {
  const char* name;
  void (*end)();
  bool leaves = false;  // in order: "has left the group", else "is gone"
};

std::atomic<bool> without_end = true;
void overflow(volatile char* last) {
  volatile char more[4096];
  more[0] = *last;
  if (without_end) overflow(more);
  *last = more[0];
}

// Of the process whose group it is to be aborted.
tenon_context* own_context = nullptr;
tenon_group* own_group = nullptr;

// What the shell would call it.
const Way kWays[] = {
    {"exit(0)", [] { std::exit(0); }, true},
    {"exit(3)", [] { std::exit(3); }},
    {"_exit(0)", [] { std::_Exit(0); }},
    {"_exit(3)", [] { std::_Exit(3); }},
    {"quick_exit(0)", [] { std::quick_exit(0); }},
    {"abort()", [] { std::abort(); }},
    {"terminate()", [] { std::terminate(); }},
    {"an exception", [] { throw std::runtime_error("nobody catches this"); }},
    {"out of memory", [] { (void)std::make_unique<std::byte[]>(size_t{1} << 62); }},
    {"tenon_group_abort",
     [] { tenon_group_abort(own_context, own_group, 7, "no more of this", TENON_NUL); }},
    {"SIGKILL", [] { raise(SIGKILL); }},
    {"SIGTERM", [] { raise(SIGTERM); }},
    {"SIGINT", [] { raise(SIGINT); }},
    {"SIGHUP", [] { raise(SIGHUP); }},
    {"SIGSEGV", [] { raise(SIGSEGV); }},
    {"SIGBUS", [] { raise(SIGBUS); }},
    {"SIGFPE", [] { raise(SIGFPE); }},
    {"SIGILL", [] { raise(SIGILL); }},
    {"an alarm", [] { raise(SIGALRM); }},
    {"a stack that is full",
     [] {
       char first = 0;
       overflow(&first);
     }},
    {"another program", [] { execl("/bin/true", "true", nullptr); }},
};

// Without a frame of GoogleTest's above it that would catch something.
void do_it(const Way& way) noexcept { way.end(); }

enum class Place { Waits, Computes, Between };

tenon_status step(Process& p, tenon_group* group, tenon_tensor* x) {
  return p.move(group, TENON_COLLECTIVE_ALL_REDUCE, x, x);
}

void expect_told(Process& p, tenon_group* group, tenon_tensor* x, const Way& way) {
  const auto begin = std::chrono::steady_clock::now();
  tenon_status status = TENON_OK;
  while ((status = step(p, group, x)) == TENON_OK) {
  }
  EXPECT_EQ(status, TENON_E_PEER) << way.name << ": " << p.error().message;
  const std::string words = p.error().message;
  EXPECT_NE(words.find(way.leaves ? "rank 1 has left the group" : "rank 1 is gone"),
            std::string::npos)
      << way.name << ": " << words;
  EXPECT_STREQ(p.error().operand, "rank 1") << way.name;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(kTimeout / 2));
  EXPECT_EQ(step(p, group, x), TENON_E_STATE);
}

void no_core() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  std::freopen("/dev/null", "w", stderr);
}

void end_in(const Way& way, Place place) {
  std::map<int, int> anyhow = {{kVictim, 0}};
  in_processes(
      3,
      [&](int rank) {
        Process p;
        tenon_group* group = p.join(kTimeout);
        tenon_tensor* x = p.floats({1000}, std::vector<float>(1000, 1));
        ASSERT_EQ(step(p, group, x), TENON_OK);
        if (rank != kVictim) {
          if (place == Place::Waits) usleep(100'000);
          return expect_told(p, group, x, way);
        }
        no_core();
        tenon_diag diag{};
        ASSERT_EQ(tenon_context_create(p.runtime, &diag, &own_context), TENON_OK);
        own_group = group;
        if (place == Place::Between) do_it(way);
        std::thread ends([&] {
          usleep(50'000);
          do_it(way);
        });
        if (place == Place::Waits) step(p, group, x);
        tenon_tensor* const square = p.floats({64, 64}, noise(1, 4096, 1));
        for (;;) p.call("tenon.matmul", {square, square}, {});
      },
      {}, &anyhow);
}

void in_every_way(Place place) {
  for (const Way& way : kWays) end_in(way, place);
}

TEST(Ends, BetweenSteps) { in_every_way(Place::Between); }
TEST(EndsFull, InComputation) { in_every_way(Place::Computes); }
TEST(EndsFull, InATransfer) { in_every_way(Place::Waits); }

// ---- In order -----------------------------------------------------------------------------------

// Who has done its work may go, and who works on is not disturbed.
TEST(Ends, WhoLeavesDoesNotDisturb) {
  in_processes(3, [](int rank) {
    Process p;
    tenon_group* group = p.join(kTimeout);
    tenon_tensor* x = p.floats({1}, {1});
    ASSERT_EQ(step(p, group, x), TENON_OK);
    if (rank == 0) usleep(500'000);
  });
}

// "rank 1 has left the group", also where several are waited for and in what is split.
TEST(Ends, LeavingIsToldInEveryGroup) {
  in_processes(3, [](int rank) {
    Process p;
    tenon_group* all = p.join(kTimeout);
    tenon_group* part = nullptr;
    ASSERT_EQ(tenon_group_split(p.context, all, rank / 2, 0, &part), TENON_OK);
    tenon_tensor* x = p.floats({1}, {1});
    if (rank != 1) {
      tenon_group* const used = rank == 0 ? part : all;
      EXPECT_EQ(step(p, used, x), TENON_E_PEER);
      const std::string words = p.error().message;
      const std::string number = rank == 0 ? "1" : "2";  // parting was the first of all
      EXPECT_EQ(words, "all_reduce, transfer " + number + ": rank 1 has left the group");
      EXPECT_STREQ(p.error().found, "the end of the process, or of its group");
      EXPECT_NE(std::string(p.error().hint).find("rank 1 said last"), std::string::npos);
      if (rank == 0) {
        tenon_group* more = nullptr;
        EXPECT_EQ(tenon_group_split(p.context, all, 0, 0, &more), TENON_E_PEER);
        EXPECT_STREQ(p.error().message, "split, transfer 2: rank 1 has left the group");
      }
    }
    tenon_group_release(part);
  });
}

// Groups may be released in any order.
TEST(Ends, GroupsAreReleasedInAnyOrder) {
  in_processes(3, [](int rank) {
    Process p;
    tenon_group* all = nullptr;
    ASSERT_EQ(
        tenon_group_create(p.context, "test.shm", TENON_NUL, nullptr, nullptr, 0, kTimeout, &all),
        TENON_OK);
    tenon_group* parts[2] = {};
    for (tenon_group*& part : parts) {
      ASSERT_EQ(tenon_group_split(p.context, all, 0, rank, &part), TENON_OK);
    }
    tenon_tensor* x = p.floats({1}, {1});
    for (tenon_group* const each : {parts[1], all, parts[0]}) {
      ASSERT_EQ(step(p, each, x), TENON_OK);
    }
    tenon_group* const order[] = {parts[0], all, parts[1], parts[0], all};
    for (int i = 0; i < 3; ++i) tenon_group_release(order[rank + i]);
  });
}

// One that leaves is told nothing more, and what the others send each other arrives.
TEST(Ends, ABatchOfPairsIsToldOnce) {
  in_processes(3, [](int rank) {
    Process p;
    tenon_group* group = p.join(kTimeout);
    if (rank == 1) return;
    tenon_tensor* x = p.floats({1}, {5});
    tenon_tensor* y = p.floats({1}, {0});
    tenon_tensor* z = p.floats({1}, {0});
    const int32_t other = rank == 0 ? 2 : 0;
    const auto asked = [&](uint32_t collective, int32_t peer) {
      const bool sends = collective == TENON_COLLECTIVE_SEND;
      return tenon_transfer_request{
          sizeof(tenon_transfer_request),       0, collective, peer, sends ? x : nullptr,
          sends ? nullptr : (peer == 1 ? z : y)};
    };
    const tenon_transfer_request all[] = {
        asked(TENON_COLLECTIVE_SEND, 1), asked(TENON_COLLECTIVE_RECEIVE, 1),
        asked(TENON_COLLECTIVE_SEND, 1), asked(TENON_COLLECTIVE_SEND, other),
        asked(TENON_COLLECTIVE_RECEIVE, other)};
    std::vector<const tenon_transfer_request*> requests;
    for (const tenon_transfer_request& each : all) requests.push_back(&each);
    tenon_transfer* transfer = nullptr;
    ASSERT_EQ(tenon_group_begin(p.context, group, requests.data(), 5, 0, &transfer), TENON_OK);
    EXPECT_EQ(tenon_transfer_end(p.context, transfer), TENON_E_PEER);
    EXPECT_NE(std::string(p.error().message).find("rank 1 has left the group"), std::string::npos)
        << p.error().message;
    tenon_transfer_release(transfer);
    EXPECT_EQ(p.read(y)[0], 5);
    EXPECT_EQ(p.read(z)[0], 0);
    EXPECT_EQ(step(p, group, x), TENON_E_STATE);
  });
}

// What all gather names who has left, too.
TEST(EndsFull, InALargeGroup) {
  in_processes(66, [](int rank) {
    Process p;
    tenon_group* group = p.join(kTimeout);
    tenon_tensor* x = p.floats({1}, {1});
    ASSERT_EQ(step(p, group, x), TENON_OK);
    if (rank == 1) return;
    EXPECT_EQ(step(p, group, x), TENON_E_PEER);
    EXPECT_STREQ(p.error().message, "all_reduce, transfer 2: rank 1 has left the group");
  });
}

TEST(Ends, SplittingIsATransfer) {
  in_processes(2, [](int rank) {
    Process p;
    tenon_group* group = p.join(kTimeout);
    tenon_tensor* x = p.floats({1}, {1});
    tenon_group* part = nullptr;
    if (rank == 0) {
      EXPECT_EQ(tenon_group_split(p.context, group, 0, 0, &part), TENON_E_PEER);
      EXPECT_STREQ(p.error().message, "split, transfer 1: rank 1 makes another transfer");
      EXPECT_STREQ(p.error().expected, "split");
    } else {
      EXPECT_EQ(step(p, group, x), TENON_E_PEER);
      EXPECT_STREQ(p.error().found, "split");
    }
  });
}

// A process that is stopped has not ended: it is named when the time is over.
TEST(Ends, AStopIsATimeOut) {
  in_processes(2, [](int rank) {
    Process p;
    tenon_group* group = p.join(kTimeout);
    tenon_tensor* x = p.floats({1}, {1});
    const float ours = static_cast<float>(getpid());
    tenon_tensor* pid = p.floats({1}, {rank == 1 ? ours : 0});
    ASSERT_EQ(step(p, group, pid), TENON_OK);
    if (rank == 1) {
      raise(SIGSTOP);
      return;
    }
    EXPECT_EQ(p.move(group, TENON_COLLECTIVE_ALL_REDUCE, x, x, 0, 500), TENON_E_TIMEOUT);
    EXPECT_STREQ(p.error().operand, "rank 1");
    kill(static_cast<pid_t>(p.read(pid)[0]), SIGCONT);
  });
}

// ---- Groups that live as long as the process ----------------------------------------------------

std::string content(const std::string& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

struct Ended {
  int status = 0;
  std::string words;  // on the standard error
};
// Rank 1 of two does it with its group; the other one goes with it.
Ended end_of(const std::function<void(Process&, tenon_group*)>& way) {
  const std::string file = testing::TempDir() + "/tenon-ends-" + std::to_string(getpid());
  std::map<int, int> statuses = {{1, 0}};
  in_processes(
      2,
      [&](int rank) {
        Process p;
        tenon_group* group = p.join(kTimeout);
        tenon_tensor* x = p.floats({1}, {1});
        ASSERT_EQ(step(p, group, x), TENON_OK);
        if (rank == 0) {
          while (step(p, group, x) == TENON_OK) {
          }
          return;
        }
        no_core();
        std::freopen(file.c_str(), "w", stderr);
        way(p, group);
      },
      {}, &statuses);
  const Ended ended{statuses.at(1), content(file)};
  std::remove(file.c_str());
  return ended;
}

TEST(Ends, AnAbortSaysWhoAndWhy) {
  const Ended with = end_of([](Process& p, tenon_group* group) {
    tenon_group_abort(p.context, group, 7, "ValueError: no such file", TENON_NUL);
  });
  EXPECT_EQ(WEXITSTATUS(with.status), 7);
  EXPECT_EQ(with.words, "tenon: rank 1 of 2: ValueError: no such file\n");
  const Ended without = end_of(
      [](Process& p, tenon_group* group) { tenon_group_abort(p.context, group, 255, nullptr, 0); });
  EXPECT_EQ(WEXITSTATUS(without.status), 255);
  EXPECT_EQ(without.words, "tenon: rank 1 of 2\n");
}

TEST(Ends, AnExitStatusIsSaid) {
  const Ended ended = end_of([](Process&, tenon_group*) { std::exit(3); });
  EXPECT_EQ(WEXITSTATUS(ended.status), 3);
  EXPECT_EQ(ended.words, "tenon: rank 1 of 2: the process has ended with exit status 3\n");
}

// What exit() calls after Tenon's part of it was registered before: the group is left by then.
tenon_group* late_group = nullptr;
Process* late_process = nullptr;

TEST(Ends, NothingIsSentOnceTheProcessEnds) {
  in_processes(2, [](int) {
    std::atexit([] {
      tenon_tensor* x = late_process->floats({1}, {1});
      EXPECT_EQ(step(*late_process, late_group, x), TENON_E_STATE);
      const std::string words = late_process->error().message;
      EXPECT_EQ(words, "test.shm: the process is ending, and has left its groups");
      tenon_group* part = nullptr;
      EXPECT_EQ(tenon_group_split(late_process->context, late_group, 0, 0, &part), TENON_E_STATE);
      EXPECT_EQ(tenon_group_abort(late_process->context, late_group, 1, "x", 1), TENON_E_STATE);
      delete late_process;
      std::_Exit(testing::Test::HasFailure() ? 1 : 0);
    });
    late_process = new Process;
    late_group = late_process->join(kTimeout);
    std::exit(0);
  });
}

// A process that was forked has no part in the group, and does not leave it.
TEST(Ends, AForkedProcessDoesNotLeave) {
  in_processes(2, [](int rank) {
    Process p;
    tenon_group* group = p.join(kTimeout);
    tenon_tensor* x = p.floats({1}, {1});
    if (rank == 1) {
      const pid_t child = fork();
      if (child == 0) {
        EXPECT_EQ(tenon_group_abort(p.context, group, 1, "x", 1), TENON_E_STATE);
        p.release_groups();
        std::exit(testing::Test::HasFailure() ? 1 : 0);
      }
      int status = 0;
      waitpid(child, &status, 0);
      EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(step(p, group, x), TENON_OK) << p.error().message;
    EXPECT_EQ(step(p, group, x), TENON_OK) << p.error().message;
  });
}

}  // namespace
}  // namespace tenon::tests
