// SPDX-License-Identifier: Apache-2.0
// tests/processes/transfers_test.cc: what processes send each other arrives, and sums have the bits
// of their tree.
#include <tenon/ext/draft/processes.h>

#include <cmath>
#include <cstring>

#include "tests/processes/processes_support.h"

namespace tenon::tests {
namespace {

float value(int rank, int i) { return static_cast<float>(rank * 1000 + i) + 0.25F; }

std::vector<float> values(int rank, int count) {
  std::vector<float> data;
  for (int i = 0; i < count; ++i) data.push_back(value(rank, i));
  return data;
}

TEST(Transfers, EachCollectiveInAnySize) {
  for (const int n : {1, 2, 3, 4}) {
    in_processes(n, [n](int rank) {
      Process p;
      tenon_group* group = p.join();
      for (const int count : {0, 1, 5, 1000, 100'000}) {
        const std::vector<float> zeros(static_cast<size_t>(count * n));
        tenon_tensor* mine = p.floats({count}, values(rank, count));
        tenon_tensor* all = p.floats({n, count}, zeros);
        ASSERT_EQ(p.move(group, TENON_COLLECTIVE_ALL_GATHER, mine, all), TENON_OK);
        std::vector<float> expected;
        for (int r = 0; r < n; ++r) {
          for (int i = 0; i < count; ++i) expected.push_back(value(r, i));
        }
        EXPECT_EQ(p.read(all), expected);
        // Row r of mine is for rank r: it is rank * 1000 + r * count + i.
        tenon_tensor* rows = p.floats({n, count}, values(rank, n * count));
        ASSERT_EQ(p.move(group, TENON_COLLECTIVE_ALL_TO_ALL, rows, all), TENON_OK);
        expected.clear();
        for (int r = 0; r < n; ++r) {
          for (int i = 0; i < count; ++i) expected.push_back(value(r, rank * count + i));
        }
        EXPECT_EQ(p.read(all), expected);
        tenon_tensor* one = p.floats({count}, std::vector<float>(static_cast<size_t>(count)));
        ASSERT_EQ(
            p.move(group, TENON_COLLECTIVE_BROADCAST, rank == n - 1 ? mine : nullptr, one, n - 1),
            TENON_OK);
        EXPECT_EQ(p.read(one), values(n - 1, count));
        ASSERT_EQ(p.move(group, TENON_COLLECTIVE_BARRIER, nullptr, nullptr), TENON_OK);
      }
    });
  }
}

// By halves of a power of two: what the header says.
float tree(const std::vector<float>& terms, size_t begin, size_t end) {
  std::vector<float> level(terms.begin() + static_cast<std::ptrdiff_t>(begin),
                           terms.begin() + static_cast<std::ptrdiff_t>(end));
  while (level.size() > 1) {
    std::vector<float> next;
    for (size_t i = 0; i < level.size(); i += 2) {
      next.push_back(i + 1 < level.size() ? level[i] + level[i + 1] : level[i]);
    }
    level = next;
  }
  return level[0];
}

float term(int rank, int i) {
  return std::sin(static_cast<float>(rank * 77 + i)) *
         std::pow(10.0F, static_cast<float>(rank % 5));
}

TEST(Transfers, SumsHaveTheBitsOfTheTree) {
  for (const int n : {1, 2, 3, 4, 5, 8}) {
    in_processes(n, [n](int rank) {
      Process p;
      tenon_group* group = p.join();
      for (const int count : {1, 7, 64, 1003}) {
        std::vector<float> mine;
        std::vector<float> expected;
        for (int i = 0; i < count; ++i) {
          mine.push_back(term(rank, i));
          std::vector<float> terms;
          for (int r = 0; r < n; ++r) terms.push_back(term(r, i));
          expected.push_back(tree(terms, 0, terms.size()));
        }
        tenon_tensor* x = p.floats({count}, mine);
        tenon_tensor* y = p.floats({count}, std::vector<float>(mine.size()));
        ASSERT_EQ(p.move(group, TENON_COLLECTIVE_ALL_REDUCE, x, y), TENON_OK);
        EXPECT_EQ(p.read(y), expected) << n << " processes, " << count;
        EXPECT_EQ(p.read(x), mine);
        ASSERT_EQ(p.move(group, TENON_COLLECTIVE_ALL_REDUCE, x, x), TENON_OK);
        EXPECT_EQ(p.read(x), expected);
      }
    });
  }
}

TEST(Transfers, ReduceScatterGivesOurRowOfTheSum) {
  in_processes(3, [](int rank) {
    Process p;
    tenon_group* group = p.join();
    std::vector<float> rows;
    for (int i = 0; i < 15; ++i) rows.push_back(term(rank, i));
    tenon_tensor* y = p.floats({5}, std::vector<float>(5));
    ASSERT_EQ(p.move(group, TENON_COLLECTIVE_REDUCE_SCATTER, p.floats({3, 5}, rows), y), TENON_OK);
    for (int i = 0; i < 5; ++i) {
      const int k = rank * 5 + i;
      EXPECT_EQ(p.read(y)[static_cast<size_t>(i)], (term(0, k) + term(1, k)) + term(2, k));
    }
  });
}

TEST(Transfers, FastSumsAreTheEngines) {
  in_processes(3, [](int rank) {
    Process p;
    tenon_group* group = p.join();
    ASSERT_EQ(tenon_context_set_arithmetic(p.context, TENON_ARITHMETIC_FAST), TENON_OK);
    tenon_tensor* x = p.floats({1}, {term(rank, 3)});
    ASSERT_EQ(p.move(group, TENON_COLLECTIVE_ALL_REDUCE, x, x), TENON_OK);
    // test.shm adds from the last to the first.
    EXPECT_EQ(p.read(x)[0], (term(2, 3) + term(1, 3)) + term(0, 3));
    // What the engine does not sum is summed by the host.
    const std::vector<int32_t> whole = {rank + 1};
    tenon_tensor* i = p.tensor(TENON_DTYPE_I32, {1}, whole.data());
    ASSERT_EQ(p.move(group, TENON_COLLECTIVE_ALL_REDUCE, i, i), TENON_OK) << p.error().message;
    int32_t sum = 0;
    ASSERT_EQ(tenon_tensor_get_data(p.context, i, &sum, sizeof sum), TENON_OK);
    EXPECT_EQ(sum, 6);
  });
}

TEST(Transfers, AnyLayout) {
  in_processes(2, [](int rank) {
    Process p;
    tenon_group* group = p.join();
    const std::vector<float> data = values(rank, 12);
    const std::vector<float> other = values(1 - rank, 12);
    const int64_t shape[] = {4, 3};
    const int64_t strides[] = {1, 4};
    tenon_tensor* columns = nullptr;
    ASSERT_EQ(
        tenon_tensor_create_view(p.context, p.floats({3, 4}, data), 2, shape, strides, 0, &columns),
        TENON_OK);
    p.keep(columns);
    tenon_tensor* base = p.floats({3, 4}, std::vector<float>(12));
    tenon_tensor* out = nullptr;
    ASSERT_EQ(tenon_tensor_create_view(p.context, base, 2, shape, strides, 0, &out), TENON_OK);
    p.keep(out);
    ASSERT_EQ(p.move(group, TENON_COLLECTIVE_ALL_REDUCE, columns, out), TENON_OK)
        << p.error().message;
    for (size_t i = 0; i < 12; ++i) EXPECT_EQ(p.read(base)[i], data[i] + other[i]);
    EXPECT_EQ(p.read(columns)[1], data[4]);
  });
}

TEST(TransfersThreads, SendAndReceiveSideBySide) {
  in_processes(3, [](int rank) {
    Process p;
    tenon_group* group = p.join();
    // A ring, with more than a stream holds, which one after the other would never end.
    constexpr int kCount = 200'000;
    tenon_tensor* mine = p.floats({kCount}, values(rank, kCount));
    tenon_tensor* theirs = p.floats({kCount}, std::vector<float>(kCount));
    const tenon_transfer_request send = {sizeof send,    0,    TENON_COLLECTIVE_SEND,
                                         (rank + 1) % 3, mine, nullptr};
    const tenon_transfer_request receive = {sizeof receive, 0,       TENON_COLLECTIVE_RECEIVE,
                                            (rank + 2) % 3, nullptr, theirs};
    const tenon_transfer_request* const both[] = {&send, &receive};
    tenon_transfer* transfer = nullptr;
    ASSERT_EQ(tenon_group_begin(p.context, group, both, 2, 0, &transfer), TENON_OK);
    ASSERT_EQ(tenon_transfer_end(p.context, transfer), TENON_OK) << p.error().message;
    uint32_t ended = 0;
    ASSERT_EQ(tenon_transfer_get_ended(p.context, transfer, &ended), TENON_OK);
    EXPECT_EQ(ended, 1U);
    tenon_transfer_release(transfer);
    EXPECT_EQ(p.read(theirs), values((rank + 2) % 3, kCount));
  });
}

// Each sends first, and then receives: to the same partner.
TEST(Transfers, BothWaysAtOnce) {
  in_processes(2, [](int rank) {
    Process p;
    tenon_group* group = p.join();
    tenon_tensor* mine = p.floats({9}, values(rank, 9));
    tenon_tensor* more = p.floats({2}, values(rank + 5, 2));
    tenon_tensor* theirs = p.floats({9}, std::vector<float>(9));
    tenon_tensor* last = p.floats({2}, std::vector<float>(2));
    const int32_t other = 1 - rank;
    const tenon_transfer_request list[] = {
        {sizeof *list, 0, TENON_COLLECTIVE_SEND, other, mine, nullptr},
        {sizeof *list, 0, TENON_COLLECTIVE_SEND, other, more, nullptr},
        {sizeof *list, 0, TENON_COLLECTIVE_RECEIVE, other, nullptr, theirs},
        {sizeof *list, 0, TENON_COLLECTIVE_RECEIVE, other, nullptr, last}};
    const tenon_transfer_request* const requests[] = {&list[0], &list[1], &list[2], &list[3]};
    tenon_transfer* transfer = nullptr;
    ASSERT_EQ(tenon_group_begin(p.context, group, requests, 4, 0, &transfer), TENON_OK);
    ASSERT_EQ(tenon_transfer_end(p.context, transfer), TENON_OK) << p.error().message;
    tenon_transfer_release(transfer);
    EXPECT_EQ(p.read(theirs), values(other, 9));
    EXPECT_EQ(p.read(last), values(other + 5, 2));
  });
}

TEST(TransfersThreads, RunInTheirOrderBesideTheProgram) {
  in_processes(2, [](int rank) {
    Process p;
    tenon_group* group = p.join();
    std::vector<tenon_transfer*> begun;
    std::vector<tenon_tensor*> tensors;
    for (int i = 0; i < 20; ++i) {
      tenon_tensor* x = p.floats({1000}, values(rank + i, 1000));
      const tenon_transfer_request sum = {sizeof sum, 0, TENON_COLLECTIVE_ALL_REDUCE, 0, x, x};
      const tenon_transfer_request* const requests = &sum;
      tenon_transfer* transfer = nullptr;
      ASSERT_EQ(tenon_group_begin(p.context, group, &requests, 1, 0, &transfer), TENON_OK);
      begun.push_back(transfer);
      tensors.push_back(x);
    }
    for (int i = 19; i >= 0; --i) {
      ASSERT_EQ(tenon_transfer_end(p.context, begun[static_cast<size_t>(i)]), TENON_OK);
      EXPECT_EQ(p.read(tensors[static_cast<size_t>(i)])[7], value(i, 7) + value(i + 1, 7));
      tenon_transfer_release(begun[static_cast<size_t>(i)]);
    }
  });
}

TEST(Transfers, GroupsAreSplit) {
  in_processes(4, [](int rank) {
    Process p;
    tenon_group* group = p.join();
    // Even and odd ranks, each the other way round.
    tenon_group* half = nullptr;
    ASSERT_EQ(tenon_group_split(p.context, group, rank % 2, -rank, &half), TENON_OK)
        << p.error().message;
    const tenon_group_info info = p.info(half);
    EXPECT_EQ(info.size, 2);
    EXPECT_EQ(info.rank, rank < 2 ? 1 : 0);
    tenon_tensor* x = p.floats({2}, values(rank, 2));
    ASSERT_EQ(p.move(half, TENON_COLLECTIVE_ALL_REDUCE, x, x), TENON_OK);
    EXPECT_EQ(p.read(x)[1], value(rank % 2, 1) + value(rank % 2 + 2, 1));
    // The whole is still there, and what was split may go first or last.
    ASSERT_EQ(p.move(group, TENON_COLLECTIVE_BARRIER, nullptr, nullptr), TENON_OK);
    tenon_group_release(half);
    ASSERT_EQ(p.move(group, TENON_COLLECTIVE_BARRIER, nullptr, nullptr), TENON_OK);
  });
}

TEST(Transfers, CountWhatIsSent) {
  in_processes(4, [](int rank) {
    Process p;
    tenon_group* group = p.join();
    tenon_tensor* x = p.floats({1 << 16}, values(rank, 1 << 16));
    ASSERT_EQ(p.move(group, TENON_COLLECTIVE_ALL_REDUCE, x, x), TENON_OK);
    const tenon_group_info info = p.info(group);
    EXPECT_EQ(info.transfers, 1);
    EXPECT_EQ(info.bytes_sent, 2 * 3 * ((4 << 16) / 4));
    EXPECT_GT(info.bytes_agreed, 0);
    EXPECT_LT(info.bytes_agreed, 1024);
  });
}

TEST(Transfers, OneProcessByTenonSelf) {
  Process p;
  tenon_group* group = p.join(0, "tenon.self");
  tenon_tensor* x = p.floats({5}, values(3, 5));
  tenon_tensor* y = p.floats({1, 5}, std::vector<float>(5));
  ASSERT_EQ(p.move(group, TENON_COLLECTIVE_ALL_REDUCE, x, x), TENON_OK) << p.error().message;
  EXPECT_EQ(p.read(x), values(3, 5));
  ASSERT_EQ(p.move(group, TENON_COLLECTIVE_ALL_GATHER, x, y), TENON_OK);
  EXPECT_EQ(p.read(y), values(3, 5));
  ASSERT_EQ(p.move(group, TENON_COLLECTIVE_BROADCAST, x, x), TENON_OK);
  tenon_group* part = nullptr;
  ASSERT_EQ(tenon_group_split(p.context, group, 7, 0, &part), TENON_OK);
  EXPECT_NE(p.number(part), p.number(group));
  tenon_group_release(part);
}

}  // namespace
}  // namespace tenon::tests
