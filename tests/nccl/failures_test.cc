// SPDX-License-Identifier: Apache-2.0
// tests/nccl/failures_test.cc: what is missing or wrong is said, and nobody waits for ever.
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "tests/nccl/nccl_support.h"

namespace tenon::tests {
namespace {

using Clock = std::chrono::steady_clock;

std::string library(const char* name) { return std::string(build_dir()) + "/lib/" + name; }

void expect_words(const std::string& text, const std::vector<std::string>& words) {
  for (const std::string& each : words) {
    EXPECT_NE(text.find(each), std::string::npos) << each << " is not in\n" << text;
  }
}

// Joining fails with these words in one process of two, which has this environment.
void expect_refused(const Environment& environment, const Named& options,
                    const std::vector<std::string>& words) {
  Environment more = environment;
  more.try_emplace("WORLD_SIZE", "2");
  more.try_emplace("RANK", "0");
  in_ranks(
      1,
      [&](int) {
        Member m;
        EXPECT_NE(m.join(options, 300), TENON_OK);
        expect_words(m.failure(), words);
      },
      more);
}

TEST(NcclLibraries, MissingOnesAreNamed) {
  expect_refused({{"TENON_NCCL_LIBRARY", "libno_such_nccl.so.2"}}, {},
                 {"TENON_E_NOT_FOUND", "libno_such_nccl.so.2 cannot be opened", "| libnccl.so.2 |",
                  "libnccl2", "nvidia-nccl-cu12", "TENON_NCCL_LIBRARY"});
  expect_refused({{"TENON_NCCL_DRIVER", "libno_such_driver.so.1"}}, {},
                 {"TENON_E_NOT_FOUND", "libno_such_driver.so.1 cannot be opened",
                  "| libcuda.so.1 |", "libcuda1", "TENON_NCCL_DRIVER"});
}

TEST(NcclLibraries, WhatTheyLackIsNamed) {
  expect_refused({{"TENON_NCCL_LIBRARY", library("libtenon_bare_nccl.so")}}, {},
                 {"TENON_E_NOT_FOUND", "has no function ncclGetUniqueId", "nvidia-nccl-cu12"});
  expect_refused({{"TENON_NCCL_DRIVER", library("libtenon_bare_nccl.so")}}, {},
                 {"TENON_E_NOT_FOUND", "has no function cuInit"});
  expect_refused({{"TEST_NCCL_FAULT", "old"}}, {},
                 {"TENON_E_NOT_FOUND", "is NCCL 2.10.3, which is too old",
                  "expected 2.14.0 or later", "found 2.10.3"});
}

TEST(NcclPlaces, WrongOnesAreRefused) {
  expect_refused({{"RANK", ""}}, {},
                 {"TENON_E_STATE", "WORLD_SIZE is in the environment, and RANK is not",
                  "| RANK | expected a whole number, beside WORLD_SIZE | found none", "torchrun"});
  expect_refused({{"WORLD_SIZE", ""}}, {},
                 {"TENON_E_STATE", "RANK is in the environment, and WORLD_SIZE is not"});
  expect_refused({{"RANK", ""}, {"WORLD_SIZE", ""}}, {},
                 {"TENON_E_STATE", "nothing says which of the processes this one is", "torchrun"});
  expect_refused({{"RANK", "two"}}, {},
                 {"TENON_E_ARGUMENT", "RANK is not a whole number", "found two"});
  expect_refused({{"RANK", "2"}}, {}, {"TENON_E_ARGUMENT", "| rank | expected 0 to 1 | found 2"});
  expect_refused({{"WORLD_SIZE", "0"}}, {}, {"TENON_E_ARGUMENT", "| WORLD_SIZE |", "at least 1"});
  expect_refused({}, {{"rank", int_value(0)}},
                 {"TENON_E_ARGUMENT", "rank and size are given together", "| size |"});
  expect_refused({}, {{"device", int_value(-1)}}, {"TENON_E_ARGUMENT", "| device |", "found -1"});
  expect_refused({{"MASTER_ADDR", ""}}, {},
                 {"TENON_E_STATE", "nothing says where the processes meet", "MASTER_PORT"});
  expect_refused({{"MASTER_PORT", "70000"}}, {},
                 {"TENON_E_ARGUMENT", "| MASTER_PORT | expected a port from 1 to 65535"});
  expect_refused({}, {{"address", text_value("here")}},
                 {"TENON_E_ARGUMENT", "| address | expected \"host:port\" | found here"});
  expect_refused({{"RANK", "1"}}, {{"address", text_value("no.such.host.invalid:1")}},
                 {"TENON_E_IO", "the address of no.such.host.invalid is not found"});
}

TEST(NcclPlaces, DevicesThatAreNotThere) {
  expect_refused({{"LOCAL_RANK", "2"}}, {},
                 {"TENON_E_DEVICE", "no such CUDA device", "expected 0 to 1 | found 2"});
  expect_refused({{"LOCAL_RANK", ""}}, {},
                 {"TENON_E_STATE", "nothing says which of the CUDA devices", "option device"});
  expect_refused({{"TEST_NCCL_FAULT", "no_device"}}, {},
                 {"TENON_E_DEVICE", "the CUDA driver sees no device"});
}

// As mpirun and srun say it, and as torchrun does, whose agent listens at MASTER_PORT.
TEST(NcclPlaces, LaunchersAreUnderstood) {
  for (const std::string launcher : {"OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE "
                                     "OMPI_COMM_WORLD_LOCAL_RANK",
                                     "SLURM_PROCID SLURM_NTASKS SLURM_LOCALID"}) {
    std::istringstream names(launcher);
    std::string rank_name, size_name, local_name;
    names >> rank_name >> size_name >> local_name;
    in_ranks(2,
             [&](int rank) {
               setenv(rank_name.c_str(), std::to_string(rank).c_str(), 1);
               setenv(size_name.c_str(), "2", 1);
               setenv(local_name.c_str(), std::to_string(rank).c_str(), 1);
               Member m;
               m.must_join();
               const tenon_device own = m.session.device("cuda", rank);
               const Tensor x = m.session.f32(own, {1}, {1.0F + static_cast<float>(rank)});
               m.session.must(m.move(TENON_COLLECTIVE_ALL_REDUCE, x.get(), x.get()));
               EXPECT_EQ(m.session.floats(x), std::vector<float>{3});
             },
             {{"RANK", ""}, {"WORLD_SIZE", ""}, {"LOCAL_RANK", ""}});
  }
  const int taken = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  ASSERT_EQ(bind(taken, reinterpret_cast<sockaddr*>(&address), length), 0);
  ASSERT_EQ(listen(taken, 1), 0);
  ASSERT_EQ(getsockname(taken, reinterpret_cast<sockaddr*>(&address), &length), 0);
  const std::string port = std::to_string(ntohs(address.sin_port));
  in_ranks(2,
           [&](int) {
             Member m;
             m.must_join();
           },
           {{"MASTER_PORT", port}, {"TORCHELASTIC_USE_AGENT_STORE", "True"}});
  expect_refused({{"MASTER_PORT", port}}, {},
                 {"TENON_E_IO", "rank 0 cannot listen at 127.0.0.1:" + port, "in use"});
  close(taken);
}

TEST(NcclJoining, WhoDoesNotComeIsNamed) {
  in_ranks(2,
           [](int rank) {
             Member m;
             EXPECT_EQ(m.join({}, 300), TENON_E_TIMEOUT);
             // Of three, the last does not come.
             expect_words(m.failure(),
                          {"rank 2 has not joined within 300 ms",
                           rank == 0 ? "start all of the processes" : "rank 0 says: "});
           },
           {{"WORLD_SIZE", "3"}});
  expect_refused({{"RANK", "1"}}, {},
                 {"TENON_E_TIMEOUT", "rank 0 has not listened at 127.0.0.1:", "within 300 ms"});
}

TEST(NcclJoining, OthersThatDisagree) {
  in_ranks(2, [](int rank) {
    Member m;
    if (rank == 0) {
      EXPECT_EQ(m.join(), TENON_E_ARGUMENT);
      expect_words(m.failure(), {"rank 1 joins as one of another number of processes",
                                 "expected 2 processes | found 3"});
    } else {
      EXPECT_EQ(m.join({{"rank", int_value(1)}, {"size", int_value(3)}, {"device", int_value(0)}}),
                TENON_E_ARGUMENT);
      expect_words(m.failure(),
                   {"rank 0 says: rank 1 joins as one of another number of processes"});
    }
  });
}

TEST(NcclJoining, OneRankForTwo) {
  in_ranks(3, [](int rank) {
    Member m;
    const int own = rank == 0 ? 0 : 1;
    EXPECT_EQ(m.join({{"rank", int_value(own)}, {"size", int_value(3)}, {"device", int_value(0)}}),
              TENON_E_ARGUMENT);
    expect_words(m.failure(), {"two processes say that they are rank 1"});
  });
}

// At the address is somebody else.
TEST(NcclJoining, AnotherProgramListens) {
  const int other = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  ASSERT_EQ(bind(other, reinterpret_cast<sockaddr*>(&address), length), 0);
  ASSERT_EQ(listen(other, 8), 0);
  ASSERT_EQ(getsockname(other, reinterpret_cast<sockaddr*>(&address), &length), 0);
  std::thread closes([&] { close(accept(other, nullptr, nullptr)); });
  expect_refused({{"RANK", "1"}, {"MASTER_PORT", std::to_string(ntohs(address.sin_port))}}, {},
                 {"TENON_E_PEER", "rank 0 at 127.0.0.1:", "has not let us join", "listens there?"});
  closes.join();
  close(other);
}

// Who speaks another language is left alone.
TEST(NcclJoining, StrangersAreIgnored) {
  in_ranks(2, [](int rank) {
    Member m;
    if (rank == 0) return m.must_join();
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(std::stoi(std::getenv("MASTER_PORT"))));
    const int file = socket(AF_INET, SOCK_STREAM, 0);
    while (connect(file, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) usleep(1000);
    const std::string words(200, 'x');
    EXPECT_EQ(write(file, words.data(), words.size()), 200);
    m.must_join();
    close(file);
  });
}

TEST(NcclJoining, NcclItselfFails) {
  in_ranks(2,
           [](int) {
             Member m;
             EXPECT_EQ(m.join(), TENON_E_PEER);
             expect_words(m.failure(), {"ncclCommInitRankConfig has failed", "NCCL_DEBUG"});
           },
           {{"TEST_NCCL_FAULT", "init_fails"}});
  in_ranks(2,
           [](int) {
             Member m;
             EXPECT_EQ(m.join({}, 500), TENON_E_TIMEOUT);
             expect_words(m.failure(), {"ncclCommInitRankConfig was not done within 500 ms"});
           },
           {{"TEST_NCCL_FAULT", "init_hangs"}});
}

// A transfer of device memory that fails with these words, under a fault; leaving is quick.
void expect_failure(const char* fault, uint32_t collective, tenon_status status,
                    const std::vector<std::string>& words) {
  in_ranks(2, [&](int rank) {
    auto m = std::make_unique<Member>();
    m->must_join();
    setenv("TEST_NCCL_FAULT", fault, 1);
    const Tensor x = m->there({2, 400}, std::vector<float>(800, 1));
    const Tensor y = m->there({2, 2, 400}, std::vector<float>(1600));
    const bool pair = collective == TENON_COLLECTIVE_SEND;
    const tenon_status found =
        pair ? m->move(rank == 0 ? TENON_COLLECTIVE_SEND : TENON_COLLECTIVE_RECEIVE,
                       rank == 0 ? x.get() : nullptr, rank == 0 ? nullptr : x.get(), 1 - rank, 500)
             : m->move(collective, x.get(), y.get(), 0, 500);
    if (!pair || rank == 0) {
      EXPECT_EQ(found, status);
      expect_words(m->failure(), words);
    } else {
      EXPECT_NE(found, TENON_OK);
    }
    EXPECT_EQ(m->move(TENON_COLLECTIVE_BARRIER, nullptr, nullptr), TENON_E_STATE);
    const auto begin = Clock::now();
    m.reset();
    EXPECT_LT(Clock::now() - begin, std::chrono::seconds(2));
  });
}

TEST(NcclFailures, ATransferThatFails) {
  expect_failure("gather_fails", TENON_COLLECTIVE_ALL_GATHER, TENON_E_PEER,
                 {"ncclAllGather has failed: invalid usage or argument", "NCCL_DEBUG=WARN"});
  expect_failure("send_fails", TENON_COLLECTIVE_SEND, TENON_E_PEER, {"ncclSend has failed"});
  expect_failure("async_error", TENON_COLLECTIVE_ALL_GATHER, TENON_E_PEER,
                 {"NCCL's transfer has failed: unhandled system error"});
  expect_failure("device_fails", TENON_COLLECTIVE_ALL_GATHER, TENON_E_DEVICE,
                 {"CUDA_ERROR_LAUNCH_FAILED"});
}

TEST(NcclFailures, ATransferThatDoesNotEnd) {
  expect_failure("never_done", TENON_COLLECTIVE_ALL_GATHER, TENON_E_TIMEOUT,
                 {"NCCL's transfer was not done within"});
}

TEST(NcclFailures, WhoIsLateIsNamed) {
  in_ranks(3, [](int rank) {
    Member m;
    m.must_join();
    const Tensor x = m.there({4}, {1, 2, 3, 4});
    if (rank == 1) std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    const tenon_status found = m.move(TENON_COLLECTIVE_ALL_REDUCE, x.get(), x.get(), 0, 400);
    EXPECT_NE(found, TENON_OK);
    if (rank == 1) return;
    EXPECT_EQ(found, TENON_E_TIMEOUT);
    expect_words(m.failure(), {"rank 1 has not come within 400 ms"});
  });
}

TEST(NcclFailures, WhoIsGoneIsNamed) {
  in_ranks(3,
           [](int rank) {
             Member m;
             m.must_join();
             if (rank == 2) raise(SIGKILL);
             const Tensor x = m.there({4}, {1, 2, 3, 4});
             const auto begin = Clock::now();
             EXPECT_EQ(m.move(TENON_COLLECTIVE_ALL_REDUCE, x.get(), x.get()), TENON_E_PEER);
             EXPECT_LT(Clock::now() - begin, std::chrono::seconds(5));
             expect_words(m.failure(), {"rank 2 is gone"});
           },
           {}, {2});
}

// After all have agreed, while NCCL waits: it says nothing itself here.
TEST(NcclFailures, WhoGoesMeanwhileIsNamed) {
  in_ranks(2,
           [](int rank) {
             Member m;
             m.must_join();
             setenv("TEST_NCCL_FAULT", "never_done", 1);
             if (rank == 1) {
               std::thread([] {
                 std::this_thread::sleep_for(std::chrono::milliseconds(300));
                 raise(SIGKILL);
               }).detach();
             }
             const Tensor x = m.there({4}, {1, 2, 3, 4});
             EXPECT_EQ(m.move(TENON_COLLECTIVE_ALL_REDUCE, x.get(), x.get()), TENON_E_PEER);
             expect_words(m.failure(), {"rank 1 is gone"});
           },
           {}, {1});
}

TEST(NcclFailures, AnotherDevicesMemory) {
  in_ranks(1, [](int) {
    Member m;
    m.must_join();
    const Tensor x = m.session.f32(m.session.device("cuda", 1), {4}, {1, 2, 3, 4});
    EXPECT_EQ(m.move(TENON_COLLECTIVE_ALL_REDUCE, x.get(), x.get()), TENON_E_DEVICE);
    expect_words(m.failure(), {"another CUDA device", "expected cuda:0 | found cuda:1"});
  });
}

// A mismatch changes nothing, and the group goes on.
TEST(NcclFailures, AMismatchIsToldToAll) {
  in_ranks(2, [](int rank) {
    Member m;
    m.must_join();
    const Tensor x = m.there({3 + rank}, std::vector<float>(static_cast<size_t>(3 + rank), 1));
    EXPECT_EQ(m.move(TENON_COLLECTIVE_ALL_REDUCE, x.get(), x.get()), TENON_E_SHAPE);
    const Tensor y = m.there({40}, std::vector<float>(40, 1));
    m.session.must(m.move(TENON_COLLECTIVE_ALL_REDUCE, y.get(), y.get()));
    EXPECT_EQ(m.session.floats(y), std::vector<float>(40, 2));
  });
}

}  // namespace
}  // namespace tenon::tests
