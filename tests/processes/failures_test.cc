// SPDX-License-Identifier: Apache-2.0
// tests/processes/failures_test.cc: processes that do otherwise, do not come, or die: all others
// are told who and what, and nobody hangs.
#include <signal.h>
#include <tenon/ext/draft/processes.h>
#include <unistd.h>

#include "tests/processes/processes_support.h"

namespace tenon::tests {
namespace {

void expect_error(Process& p, tenon_status found, tenon_status status, const std::string& message,
                  const std::string& expected, const std::string& seen) {
  EXPECT_EQ(found, status) << tenon_status_get_name(found) << ": " << p.error().message;
  if (found == TENON_OK) return;
  const tenon_error error = p.error();
  EXPECT_NE(std::string(error.message).find(message), std::string::npos) << error.message;
  EXPECT_EQ(std::string(error.expected), expected);
  EXPECT_EQ(std::string(error.found), seen);
  EXPECT_NE(std::string(error.operand), "");
}

// After a mismatch nothing has changed, and the group goes on.
void expect_whole(Process& p, tenon_group* group, tenon_tensor* x, float first) {
  EXPECT_EQ(p.read(x)[0], first);
  EXPECT_EQ(p.move(group, TENON_COLLECTIVE_BARRIER, nullptr, nullptr), TENON_OK)
      << p.error().message;
}

TEST(Mismatches, AreToldToAll) {
  in_processes(3, [](int rank) {
    Process p;
    tenon_group* group = p.join();
    const std::vector<double> doubles(6);
    tenon_tensor* x = p.floats({2, 3}, {1, 2, 3, 4, 5, 6});
    tenon_tensor* turned = p.floats({3, 2}, {1, 2, 3, 4, 5, 6});
    tenon_tensor* d = p.tensor(TENON_DTYPE_F64, {2, 3}, doubles.data());
    const bool odd = rank == 1;
    const std::string who = odd ? "rank 0 " : "rank 1 ";
    tenon_tensor* const other = odd ? turned : x;
    expect_error(p, p.move(group, TENON_COLLECTIVE_ALL_REDUCE, other, other), TENON_E_SHAPE,
                 "all_reduce, transfer 1: " + who + "has another shape",
                 odd ? "all_reduce of f32[3,2]" : "all_reduce of f32[2,3]",
                 odd ? "all_reduce of f32[2,3]" : "all_reduce of f32[3,2]");
    expect_whole(p, group, x, 1);
    tenon_tensor* const wide = odd ? d : x;
    expect_error(p, p.move(group, TENON_COLLECTIVE_ALL_REDUCE, wide, wide), TENON_E_DTYPE,
                 "transfer 3: " + who + "has another dtype",
                 odd ? "all_reduce of f64[2,3]" : "all_reduce of f32[2,3]",
                 odd ? "all_reduce of f32[2,3]" : "all_reduce of f64[2,3]");
    expect_whole(p, group, x, 1);
    const tenon_status order = odd ? p.move(group, TENON_COLLECTIVE_BARRIER, nullptr, nullptr)
                                   : p.move(group, TENON_COLLECTIVE_ALL_REDUCE, x, x);
    expect_error(p, order, TENON_E_PEER, who + "makes another transfer",
                 odd ? "barrier" : "all_reduce of f32[2,3]",
                 odd ? "all_reduce of f32[2,3]" : "barrier");
    expect_whole(p, group, x, 1);
    const tenon_status root =
        p.move(group, TENON_COLLECTIVE_BROADCAST, odd || rank == 0 ? x : nullptr, x, odd ? 1 : 0);
    expect_error(p, root, TENON_E_PEER, who + "takes another rank's data",
                 odd ? "broadcast of f32[2,3] from rank 1" : "broadcast of f32[2,3] from rank 0",
                 odd ? "broadcast of f32[2,3] from rank 0" : "broadcast of f32[2,3] from rank 1");
    expect_whole(p, group, x, 1);
    if (odd) {
      ASSERT_EQ(tenon_context_set_arithmetic(p.context, TENON_ARITHMETIC_FAST), TENON_OK);
    }
    expect_error(p, p.move(group, TENON_COLLECTIVE_ALL_REDUCE, x, x), TENON_E_PEER,
                 who + "adds in another order", odd ? "fast arithmetic" : "canonical arithmetic",
                 odd ? "canonical arithmetic" : "fast arithmetic");
    expect_whole(p, group, x, 1);
  });
}

TEST(Mismatches, BetweenTwoAreToldToBoth) {
  in_processes(3, [](int rank) {
    Process p;
    tenon_group* group = p.join();
    tenon_tensor* x = p.floats({2}, {1, 2});
    tenon_tensor* y = p.floats({3}, {0, 0, 0});
    if (rank == 0) {
      // To rank 1 the right thing, to rank 2 another shape: the first arrives all the same.
      const tenon_transfer_request good = {sizeof good, 0, TENON_COLLECTIVE_SEND, 1, x, nullptr};
      const tenon_transfer_request bad = {sizeof bad, 0, TENON_COLLECTIVE_SEND, 2, x, nullptr};
      const tenon_transfer_request* const both[] = {&good, &bad};
      tenon_transfer* transfer = nullptr;
      ASSERT_EQ(tenon_group_begin(p.context, group, both, 2, 0, &transfer), TENON_OK);
      expect_error(p, tenon_transfer_end(p.context, transfer), TENON_E_SHAPE,
                   "rank 2 has another shape", "receive of f32[2]", "receive of f32[3]");
      tenon_transfer_release(transfer);
    } else if (rank == 1) {
      tenon_tensor* z = p.floats({2}, {0, 0});
      EXPECT_EQ(p.move(group, TENON_COLLECTIVE_RECEIVE, nullptr, z, 0), TENON_OK);
      EXPECT_EQ(p.read(z)[1], 2);
    } else {
      expect_error(p, p.move(group, TENON_COLLECTIVE_RECEIVE, nullptr, y, 0), TENON_E_SHAPE,
                   "rank 0 has another shape", "send of f32[3]", "send of f32[2]");
      EXPECT_EQ(p.read(y)[0], 0);
    }
    EXPECT_EQ(p.move(group, TENON_COLLECTIVE_BARRIER, nullptr, nullptr), TENON_OK);
  });
}

// A process that does not come is named; then the group is of no more use.
TEST(Failures, ATimeoutNamesWhoIsMissing) {
  in_processes(4, [](int rank) {
    Process p;
    tenon_group* group = p.join();
    ASSERT_EQ(p.move(group, TENON_COLLECTIVE_BARRIER, nullptr, nullptr), TENON_OK);
    if (rank == 1 || rank == 3) {
      usleep(1'500'000);
      return;
    }
    tenon_tensor* x = p.floats({2}, {1, 2});
    const tenon_status status = p.move(group, TENON_COLLECTIVE_ALL_REDUCE, x, x, 0, 300);
    EXPECT_EQ(status, TENON_E_TIMEOUT);
    EXPECT_STREQ(p.error().message,
                 "all_reduce, transfer 2: ranks 1 and 3 have not come within 300 ms");
    EXPECT_STREQ(p.error().operand, "ranks 1 and 3");
    EXPECT_EQ(p.move(group, TENON_COLLECTIVE_BARRIER, nullptr, nullptr), TENON_E_STATE);
    EXPECT_NE(std::string(p.error().message).find("failed before"), std::string::npos);
    EXPECT_NE(std::string(p.error().found).find("ranks 1 and 3"), std::string::npos);
    EXPECT_EQ(p.read(x)[0], 1);
  });
}

TEST(Failures, WhoDiesIsNamed) {
  in_processes(4,
               [](int rank) {
                 Process p;
                 tenon_group* group = p.join();
                 tenon_tensor* x = p.floats({1000}, std::vector<float>(1000, 1));
                 for (int i = 0; i < 3; ++i) {
                   ASSERT_EQ(p.move(group, TENON_COLLECTIVE_ALL_REDUCE, x, x), TENON_OK);
                 }
                 if (rank == 2) kill(getpid(), SIGKILL);
                 EXPECT_EQ(p.move(group, TENON_COLLECTIVE_ALL_REDUCE, x, x), TENON_E_PEER);
                 EXPECT_NE(std::string(p.error().message).find("rank 2 is gone"), std::string::npos)
                     << p.error().message;
                 EXPECT_STREQ(p.error().operand, "rank 2");
               },
               {2});
}

TEST(Failures, JoiningEndsInTime) {
  in_processes(2, [](int rank) {
    if (rank == 1) return;
    Process p;
    tenon_group* group = nullptr;
    EXPECT_EQ(
        tenon_group_create(p.context, "test.shm", TENON_NUL, nullptr, nullptr, 0, 200, &group),
        TENON_E_TIMEOUT);
    EXPECT_NE(std::string(p.error().message).find("rank 1 has not joined within 200 ms"),
              std::string::npos);
  });
}

// An interrupt leaves the wait, not the transfer.
TEST(Failures, AWaitIsInterrupted) {
  in_processes(2, [](int rank) {
    Process p;
    tenon_group* group = p.join();
    tenon_tensor* x = p.floats({1}, {1});
    if (rank == 1) usleep(600'000);
    const tenon_transfer_request sum = {sizeof sum, 0, TENON_COLLECTIVE_ALL_REDUCE, 0, x, x};
    const tenon_transfer_request* const requests = &sum;
    tenon_transfer* transfer = nullptr;
    ASSERT_EQ(tenon_group_begin(p.context, group, &requests, 1, 0, &transfer), TENON_OK);
    if (rank == 0) {
      ASSERT_EQ(tenon_context_interrupt(p.context), TENON_OK);
      EXPECT_EQ(tenon_transfer_end(p.context, transfer), TENON_E_INTERRUPTED);
    }
    EXPECT_EQ(tenon_transfer_end(p.context, transfer), TENON_OK);
    EXPECT_EQ(p.read(x)[0], 2);
    tenon_transfer_release(transfer);
  });
}

}  // namespace
}  // namespace tenon::tests
