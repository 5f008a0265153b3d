// SPDX-License-Identifier: Apache-2.0
// tests/nccl/transfers_test.cc: tensors on emulated GPUs move among processes as tensors of the
// host do, and the kit passes the engine.
#include "tests/nccl/nccl_support.h"

namespace tenon::tests {
namespace {

// A number whose sums depend on their order.
float term(int rank, int i) { return std::pow(0.3F, static_cast<float>(rank)) + 0.1F * i; }

std::vector<float> terms(int rank, int count) {
  std::vector<float> data;
  for (int i = 0; i < count; ++i) data.push_back(term(rank, i));
  return data;
}

// In the order of canonical sums, for three processes.
float sum_of_three(int i) { return (term(0, i) + term(1, i)) + term(2, i); }

TEST(NcclTransfers, CanonicalSumsOnTheDevice) {
  in_ranks(3, [](int rank) {
    Member m;
    m.must_join();
    constexpr int kCount = 500;  // not a multiple of 3: the input is padded
    const Tensor x = m.there({kCount}, terms(rank, kCount));
    const Tensor doubled =
        m.session.call("tenon.add", {tensor_value(x.get()), tensor_value(x.get())});
    const Tensor y = m.there({kCount}, std::vector<float>(kCount));
    m.session.must(m.move(TENON_COLLECTIVE_ALL_REDUCE, doubled.get(), y.get()));
    m.session.must(m.move(TENON_COLLECTIVE_ALL_REDUCE, x.get(), x.get()));  // in place
    const std::vector<float> sums = m.session.floats(x);
    const std::vector<float> doubles = m.session.floats(y);
    for (int i = 0; i < kCount; ++i) {
      EXPECT_EQ(sums[static_cast<size_t>(i)], sum_of_three(i));
      EXPECT_EQ(doubles[static_cast<size_t>(i)], 2 * sum_of_three(i));
    }
    const Tensor rows = m.there({3, 5}, terms(rank, 15));
    const Tensor row = m.there({5}, std::vector<float>(5));
    m.session.must(m.move(TENON_COLLECTIVE_REDUCE_SCATTER, rows.get(), row.get()));
    const std::vector<float> part = m.session.floats(row);
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(part[static_cast<size_t>(i)], sum_of_three(rank * 5 + i));
    }
  });
}

TEST(NcclTransfers, WhatIsMovedOnTheDevice) {
  in_ranks(3, [](int rank) {
    Member m;
    m.must_join();
    const Tensor x = m.there({40}, terms(rank, 40));
    const Tensor all = m.there({3, 40}, std::vector<float>(120));
    m.session.must(m.move(TENON_COLLECTIVE_ALL_GATHER, x.get(), all.get()));
    const Tensor back = m.there({3, 40}, std::vector<float>(120));
    m.session.must(m.move(TENON_COLLECTIVE_ALL_TO_ALL, all.get(), back.get()));
    const std::vector<float> gathered = m.session.floats(all);
    const std::vector<float> exchanged = m.session.floats(back);
    for (int from = 0; from < 3; ++from) {
      for (int i = 0; i < 40; ++i) {
        const auto place = static_cast<size_t>(from) * 40 + static_cast<size_t>(i);
        EXPECT_EQ(gathered[place], term(from, i));
        EXPECT_EQ(exchanged[place], term(rank, i));
      }
    }
    const Tensor same = m.there({40}, std::vector<float>(40));
    m.session.must(
        m.move(TENON_COLLECTIVE_BROADCAST, rank == 1 ? x.get() : nullptr, same.get(), 1));
    EXPECT_EQ(m.session.floats(same), terms(1, 40));
  });
}

// Columns as they lie, which is not in rows.
TEST(NcclTransfers, AnyLayoutOnTheDevice) {
  in_ranks(2, [](int rank) {
    Member m;
    m.must_join();
    const int64_t shape[] = {4, 3};
    const int64_t strides[] = {1, 4};
    const auto columns = [&](const Tensor& base) {
      tenon_tensor* view = nullptr;
      m.session.must(tenon_tensor_create_view(m.session, base.get(), 2, shape, strides, 0, &view));
      return Tensor(view);
    };
    const Tensor x = columns(m.there({3, 4}, terms(rank, 12)));
    const Tensor base = m.there({3, 4}, std::vector<float>(12));
    const Tensor y = columns(base);
    m.session.must(m.move(TENON_COLLECTIVE_ALL_REDUCE, x.get(), y.get()));
    const std::vector<float> sums = m.session.floats(base);
    for (int i = 0; i < 12; ++i) EXPECT_EQ(sums[static_cast<size_t>(i)], term(0, i) + term(1, i));
  });
}

// Short and long ones, from the host to a device and the other way round, in one list.
TEST(NcclTransfers, PairsOfAnyMemory) {
  in_ranks(2, [](int rank) {
    Member m;
    m.must_join();
    const bool first = rank == 0;
    const tenon_device& ours = first ? m.session.cuda : m.session.cpu;
    std::vector<Tensor> held;
    std::vector<tenon_transfer_request> requests;
    const int32_t peer = 1 - rank;
    for (const int count : {1, 5000, 32, 33}) {
      held.push_back(m.session.f32(ours, {count}, terms(rank + count, count)));
      requests.push_back({sizeof(tenon_transfer_request), 0, TENON_COLLECTIVE_SEND, peer,
                          held.back().get(), nullptr});
      held.push_back(m.session.f32(ours, {count}, std::vector<float>(static_cast<size_t>(count))));
      requests.push_back({sizeof(tenon_transfer_request), 0, TENON_COLLECTIVE_RECEIVE, peer,
                          nullptr, held.back().get()});
    }
    std::vector<const tenon_transfer_request*> pointers;
    for (const auto& each : requests) pointers.push_back(&each);
    tenon_transfer* transfer = nullptr;
    m.session.must(tenon_group_begin(m.session, m.group, pointers.data(),
                                     static_cast<uint32_t>(pointers.size()), 0, &transfer));
    m.session.must(tenon_transfer_end(m.session, transfer));
    tenon_transfer_release(transfer);
    size_t place = 1;
    for (const int count : {1, 5000, 32, 33}) {
      EXPECT_EQ(m.session.floats(held[place]), terms(peer + count, count));
      place += 2;
    }
  });
}

TEST(NcclTransfers, SumsOfTheEngineForEachDtype) {
  in_ranks(2, [](int rank) {
    Member m;
    m.must_join();
    m.session.must(tenon_context_set_arithmetic(m.session, TENON_ARITHMETIC_FAST));
    for (const tenon_dtype dtype :
         {TENON_DTYPE_U8, TENON_DTYPE_I8, TENON_DTYPE_I32, TENON_DTYPE_I64, TENON_DTYPE_F16,
          TENON_DTYPE_BF16, TENON_DTYPE_F32, TENON_DTYPE_F64}) {
      const Tensor floats = m.there({3}, {1.0F + static_cast<float>(rank), 5, 100});
      const auto as = [&](const Tensor& x, tenon_dtype to) {
        return m.session.call("tenon.cast", {tensor_value(x.get())}, {{"dtype", dtype_value(to)}});
      };
      const Tensor x = as(floats, dtype);
      const Tensor y = as(floats, dtype);
      m.session.must(m.move(TENON_COLLECTIVE_ALL_REDUCE, x.get(), y.get()));
      const float third = dtype == TENON_DTYPE_I8 ? 200 - 256 : 200;
      EXPECT_EQ(m.session.floats(as(y, TENON_DTYPE_F32)), (std::vector<float>{3, 10, third}))
          << dtype;
    }
  });
}

TEST(NcclTransfers, PartsAreGroups) {
  in_ranks(3, [](int rank) {
    Member m;
    m.must_join();
    tenon_group* part = nullptr;
    m.session.must(tenon_group_split(m.session, m.group, rank == 1 ? 7 : 0, -rank, &part));
    tenon_group* const whole = std::exchange(m.group, part);
    const Tensor x = m.there({40}, terms(rank, 40));
    const int n = rank == 1 ? 1 : 2;
    const Tensor all = m.there({n, 40}, std::vector<float>(static_cast<size_t>(n) * 40));
    m.session.must(m.move(TENON_COLLECTIVE_ALL_GATHER, x.get(), all.get()));
    std::vector<float> expected = terms(rank == 1 ? 1 : 2, 40);
    if (n == 2) {
      for (const float each : terms(0, 40)) expected.push_back(each);
    }
    EXPECT_EQ(m.session.floats(all), expected);
    m.group = whole;
    tenon_group_release(part);
    m.session.must(m.move(TENON_COLLECTIVE_BARRIER, nullptr, nullptr));
  });
}

TEST(NcclTransfers, JoinedAgainAndAlone) {
  in_ranks(2, [](int rank) {
    for (int i = 0; i < 2; ++i) {
      Member m;
      m.must_join();
      m.session.must(m.move(TENON_COLLECTIVE_BARRIER, nullptr, nullptr));
    }
    Member alone;
    ASSERT_EQ(alone.join({{"rank", int_value(0)}, {"size", int_value(1)}}), TENON_OK)
        << alone.failure();
    const Tensor x = alone.there({2}, {1, 2});
    alone.session.must(alone.move(TENON_COLLECTIVE_ALL_REDUCE, x.get(), x.get()));
    EXPECT_EQ(alone.session.floats(x), (std::vector<float>{1, 2})) << rank;
  });
}

TEST(NcclVerifyFull, TheKitPasses) {
  for (const int n : {1, 2, 3}) {
    const int port = free_port();
    const Judged judged = judge(n, "tenon.nccl", {std::string(build_dir()) + "/cuda_plugins"},
                                [&](int rank) { set_environment(rank, n, port, {}); });
    for (const int status : judged.statuses) EXPECT_EQ(status, 0) << judged.text;
  }
}

}  // namespace
}  // namespace tenon::tests
