// SPDX-License-Identifier: Apache-2.0
// tests/cuda/emulator_driver_test.cc: memory, streams, events and graphs of the emulated driver,
// work that is deferred, and failures on demand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "emulator/control.h"
#include "emulator_support.h"
#include "tenon/plugin.h"

namespace {

namespace emulated = tenon::cuda::emulated;
using emulator_test::driver;
using emulator_test::launch;

constexpr int kInvalidValue = 1;
constexpr int kOutOfMemory = 2;
constexpr int kInvalidHandle = 400;
constexpr int kNotReady = 600;
constexpr int kIllegalAddress = 700;
constexpr int kCaptureUnsupported = 900;
constexpr int kCaptureInvalidated = 901;

// Each test leaves nothing alive.
class EmulatedDriver : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    emulated::reset();
    emulated::defer(GetParam());
    ASSERT_EQ(driver().use(0), 0);
    ASSERT_EQ(driver().stream_create(&stream_), 0);
  }
  void TearDown() override {
    driver().stream_release(stream_);
    emulated::defer(false);
    emulated::reset();
    for (const char* what : {"blocks", "bytes", "pinned", "streams", "events", "graphs"}) {
      EXPECT_EQ(emulated::live(what), 0) << what;
    }
  }
  static int* numbers(uint64_t n) {
    void* data = nullptr;
    EXPECT_EQ(driver().alloc(&data, n * sizeof(int), nullptr), 0);
    return static_cast<int*>(data);
  }
  static int* pinned_numbers(uint64_t n) {
    void* data = nullptr;
    EXPECT_EQ(driver().pinned_alloc(&data, n * sizeof(int)), 0);
    return static_cast<int*>(data);
  }
  void* stream_ = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Each, EmulatedDriver, testing::Bool(), [](const auto& deferred) {
  return deferred.param ? "Deferred" : "AtOnce";
});

__global__ void add(int* x, int value) { x[threadIdx.x] += value; }

TEST_P(EmulatedDriver, WorkIsDoneWhenTheStreamHasBeenWaitedFor) {
  int* x = numbers(4);
  int* host = pinned_numbers(4);
  EXPECT_EQ(static_cast<unsigned>(host[0]), 0xFDFDFDFDU);
  for (int i = 0; i < 4; ++i) host[i] = i;
  EXPECT_EQ(driver().copy(x, host, 16, TENON_COPY_TO_DEVICE, stream_), 0);
  EXPECT_EQ(launch({{}, {4}, 0, stream_}, add, x, 10), 0);
  EXPECT_EQ(driver().copy(host, x, 16, TENON_COPY_TO_HOST, stream_), 0);
  EXPECT_EQ(emulated::live("waits"), GetParam() ? 3 : 0);
  EXPECT_EQ(host[3], GetParam() ? 3 : 13);
  EXPECT_EQ(driver().stream_wait(stream_), 0);
  EXPECT_EQ(host[3], 13);
  EXPECT_EQ(driver().pinned_free(host), 0);
  EXPECT_EQ(driver().free(x, nullptr), 0);
}

TEST_P(EmulatedDriver, CopiesOfMemoryThatIsNotPinnedAreDoneAtOnce) {
  int* x = numbers(1);
  int host = 5;
  EXPECT_EQ(driver().copy(x, &host, 4, TENON_COPY_TO_DEVICE, stream_), 0);
  EXPECT_EQ(launch({{}, {1}, 0, stream_}, add, x, 2), 0);
  EXPECT_EQ(driver().copy(&host, x, 4, TENON_COPY_TO_HOST, stream_), 0);
  EXPECT_EQ(host, 7);
  EXPECT_EQ(driver().free(x, stream_), 0);
}

TEST_P(EmulatedDriver, WrongCopiesAreRefused) {
  int* x = numbers(4);
  int host[8] = {};
  const auto copy = [&](void* to, const void* from, uint64_t bytes, uint32_t direction) {
    return driver().copy(to, from, bytes, direction, stream_);
  };
  EXPECT_EQ(copy(x, host, 17, TENON_COPY_TO_DEVICE), kInvalidValue);
  EXPECT_EQ(copy(x + 1, host, 16, TENON_COPY_TO_DEVICE), kInvalidValue);
  EXPECT_EQ(copy(host, host + 4, 4, TENON_COPY_TO_DEVICE), kInvalidValue);
  EXPECT_EQ(copy(x, host, 4, TENON_COPY_TO_HOST), kInvalidValue);
  EXPECT_EQ(copy(x, host, 4, TENON_COPY_ON_DEVICE), kInvalidValue);
  EXPECT_EQ(copy(x, nullptr, 4, TENON_COPY_TO_DEVICE), kInvalidValue);
  EXPECT_EQ(copy(x, host, 4, 3), kInvalidValue);
  EXPECT_EQ(copy(x, x + 1, 4, TENON_COPY_ON_DEVICE), 0);
  EXPECT_EQ(driver().free(x, stream_), 0);
  EXPECT_EQ(driver().free(x, stream_), kInvalidValue);
  EXPECT_EQ(copy(x, host, 4, TENON_COPY_TO_DEVICE), kInvalidValue);
}

TEST_P(EmulatedDriver, MemoryHasALimit) {
  emulated::limit_memory(1000);
  void* first = nullptr;
  void* second = nullptr;
  EXPECT_EQ(driver().alloc(&first, 600, nullptr), 0);
  EXPECT_EQ(driver().alloc(&second, 401, nullptr), kOutOfMemory);
  EXPECT_EQ(driver().use(1), 0);
  EXPECT_EQ(driver().alloc(&second, 401, nullptr), 0);
  EXPECT_EQ(emulated::live("bytes"), 1001);
  EXPECT_EQ(driver().free(second, nullptr), 0);
  EXPECT_EQ(driver().free(first, nullptr), 0);
  EXPECT_EQ(driver().use(0), 0);
}

TEST_P(EmulatedDriver, WritingBehindABlockIsNoticed) {
  int* x = numbers(4);
  EXPECT_EQ(launch({{}, {5}, 0, stream_}, add, x, 1), 0);
  EXPECT_EQ(driver().free(x, nullptr), kIllegalAddress);
  EXPECT_THAT(driver().text(kIllegalAddress),
              testing::HasSubstr("something was written behind a block of 16 bytes"));
}

TEST_P(EmulatedDriver, EventsPartWork) {
  int* x = numbers(1);
  int host = 0;
  EXPECT_EQ(driver().copy(x, &host, 4, TENON_COPY_TO_DEVICE, stream_), 0);
  void* event = nullptr;
  void* other = nullptr;
  EXPECT_EQ(driver().event_create(&event), 0);
  EXPECT_EQ(driver().stream_create(&other), 0);
  EXPECT_EQ(driver().event_query(event), 0);
  EXPECT_EQ(launch({{}, {1}, 0, stream_}, add, x, 2), 0);
  EXPECT_EQ(driver().event_record(event, stream_), 0);
  EXPECT_EQ(driver().event_wait(event, other), 0);
  EXPECT_EQ(driver().copy(&host, x, 4, TENON_COPY_TO_HOST, other), 0);
  EXPECT_EQ(host, 2);
  EXPECT_EQ(launch({{}, {1}, 0, stream_}, add, x, 2), 0);
  EXPECT_EQ(driver().event_record(event, stream_), 0);
  EXPECT_EQ(driver().event_query(event), GetParam() ? kNotReady : 0);
  EXPECT_EQ(driver().event_query(event), 0);
  EXPECT_EQ(driver().stream_release(other), 0);
  EXPECT_EQ(driver().event_release(event), 0);
  EXPECT_EQ(driver().free(x, nullptr), 0);
}

TEST_P(EmulatedDriver, GraphsRepeatWhatWasRecorded) {
  int* x = numbers(1);
  int host = 1;
  EXPECT_EQ(driver().copy(x, &host, 4, TENON_COPY_TO_DEVICE, stream_), 0);
  EXPECT_EQ(driver().capture_begin(stream_), 0);
  for (int value : {10, 100}) EXPECT_EQ(launch({{}, {1}, 0, stream_}, add, x, value), 0);
  EXPECT_EQ(*x, 1);
  void* graph = nullptr;
  EXPECT_EQ(driver().capture_end(stream_, &graph), 0);
  EXPECT_EQ(driver().graph_run(graph, stream_), 0);
  EXPECT_EQ(driver().graph_run(graph, stream_), 0);
  EXPECT_EQ(driver().graph_release(graph), 0);
  EXPECT_EQ(driver().copy(&host, x, 4, TENON_COPY_TO_HOST, stream_), 0);
  EXPECT_EQ(host, 221);
  EXPECT_EQ(driver().free(x, stream_), 0);
}

TEST_P(EmulatedDriver, WhatCannotBeRecordedBreaksTheCapture) {
  void* graph = nullptr;
  void* data = nullptr;
  EXPECT_EQ(driver().capture_end(stream_, &graph), 401);
  EXPECT_EQ(driver().capture_begin(stream_), 0);
  EXPECT_EQ(driver().capture_begin(stream_), 401);
  EXPECT_EQ(driver().stream_wait(stream_), kCaptureUnsupported);
  EXPECT_EQ(driver().capture_end(stream_, &graph), kCaptureInvalidated);
  EXPECT_EQ(driver().capture_begin(stream_), 0);
  EXPECT_EQ(driver().pinned_alloc(&data, 4), kCaptureUnsupported);
  EXPECT_EQ(driver().capture_end(stream_, &graph), kCaptureInvalidated);
  EXPECT_EQ(driver().capture_begin(stream_), 0);
  EXPECT_EQ(driver().capture_end(stream_, &graph), 0);
  EXPECT_EQ(driver().graph_release(graph), 0);
}

TEST_P(EmulatedDriver, HandlesAreChecked) {
  int nothing = 0;
  void* event = nullptr;
  EXPECT_EQ(driver().stream_wait(&nothing), kInvalidHandle);
  EXPECT_EQ(driver().event_release(&nothing), kInvalidHandle);
  EXPECT_EQ(driver().graph_release(&nothing), kInvalidHandle);
  EXPECT_EQ(driver().use(2), 101);
  EXPECT_EQ(driver().use(1), 0);
  EXPECT_EQ(launch({{}, {1}, 0, stream_}, add, &nothing, 1), kInvalidHandle);
  EXPECT_EQ(driver().event_create(&event), 0);
  EXPECT_EQ(driver().event_record(event, stream_), kInvalidHandle);
  EXPECT_EQ(driver().event_release(event), 0);
  EXPECT_EQ(driver().use(0), 0);
}

__global__ void fail_at_barrier() {
  if (threadIdx.x == 0) {
    __syncwarp(3);
  } else {
    __syncthreads();
  }
}

// A lost device still takes back what it has given.
TEST_P(EmulatedDriver, KernelsThatFailAreNoticedByTheWait) {
  constexpr int kLaunchFailure = 719;
  int* x = numbers(1);
  EXPECT_EQ(launch({{}, {2}, 0, stream_}, fail_at_barrier), GetParam() ? 0 : kLaunchFailure);
  EXPECT_EQ(driver().stream_wait(stream_), kLaunchFailure);
  EXPECT_EQ(driver().copy(x, x, 4, TENON_COPY_ON_DEVICE, stream_), kLaunchFailure);
  EXPECT_EQ(driver().free(x, stream_), kLaunchFailure);
  EXPECT_EQ(emulated::live("blocks"), 0);
  EXPECT_STREQ(driver().name(kLaunchFailure), "cudaErrorLaunchFailure");
  EXPECT_EQ(driver().use(1), 0);  // the other device works
  EXPECT_EQ(driver().stream_wait(nullptr), 0);
  EXPECT_EQ(driver().use(0), 0);
}

TEST_P(EmulatedDriver, FaultsComeOnDemand) {
  void* event = nullptr;
  EXPECT_FALSE(emulated::inject("event_make", 1, 0, 1));
  EXPECT_TRUE(emulated::inject("event_create", 304, 1, 2));
  EXPECT_EQ(driver().event_create(&event), 0);
  EXPECT_TRUE(emulated::inject("event_release", 401, 0, 1));
  EXPECT_EQ(driver().event_release(event), 401);
  EXPECT_EQ(driver().event_create(&event), 304);
  EXPECT_EQ(driver().event_create(&event), 304);
  EXPECT_EQ(driver().event_create(&event), 0);
  EXPECT_EQ(driver().event_release(event), 0);
  EXPECT_EQ(emulated::live("event_create"), 4);
  EXPECT_EQ(emulated::live("event_release"), 2);
  EXPECT_FALSE(emulated::live("dragons").has_value());
  EXPECT_STREQ(driver().name(304), "cudaErrorOperatingSystem");
  EXPECT_STREQ(driver().text(-5), "unrecognized error code");
}

TEST_P(EmulatedDriver, SomeFaultsLoseTheDevice) {
  void* event = nullptr;
  EXPECT_TRUE(emulated::inject("event_create", kIllegalAddress, 0, 1));
  EXPECT_EQ(driver().event_create(&event), kIllegalAddress);
  EXPECT_EQ(driver().event_create(&event), kIllegalAddress);
  EXPECT_EQ(driver().stream_wait(stream_), kIllegalAddress);
  emulated::reset();
  EXPECT_EQ(driver().stream_wait(stream_), 0);
}

}  // namespace
