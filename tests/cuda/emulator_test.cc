// SPDX-License-Identifier: Apache-2.0
// tests/cuda/emulator_test.cc: threads, barriers and collectives of the emulator, and how it finds
// kernels that are wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <vector>

#include "emulator/control.h"
#include "emulator_support.h"
// Kernels come after what they are compiled with.
#include "backends/cuda/tiles.h"

namespace {

namespace emulated = tenon::cuda::emulated;
using emulator_test::driver;
using emulator_test::launch;
using testing::HasSubstr;

constexpr int kLaunchFailure = 719;

class Emulator : public testing::Test {
 protected:
  void SetUp() override { emulated::reset(); }
  void TearDown() override { emulated::reset(); }
  static std::string words() { return driver().text(kLaunchFailure); }
};

// ---- Threads ------------------------------------------------------------------------------------

__global__ void count_threads(int* counts, uint3* last) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  ++counts[block * blockDim.x * blockDim.y * blockDim.z + thread];
  if (threadIdx.x == blockDim.x - 1 && threadIdx.y == blockDim.y - 1) *last = threadIdx;
}

TEST_F(Emulator, EachThreadRunsOnce) {
  std::vector<int> counts(3 * 2 * 2 * 5 * 3 * 1);
  uint3 last{};
  ASSERT_EQ(launch({{3, 2, 2}, {5, 3, 1}}, count_threads, counts.data(), &last), 0);
  EXPECT_THAT(counts, testing::Each(1));
  EXPECT_EQ(last.x, 4U);
  EXPECT_EQ(last.y, 2U);
  EXPECT_EQ(last.z, 0U);
}

__global__ void list_order(int* order, int* n) { order[(*n)++] = static_cast<int>(threadIdx.x); }

TEST_F(Emulator, ThreadsRunInNoParticularOrder) {
  std::vector<int> order(512);
  int n = 0;
  ASSERT_EQ(launch({{}, {256}}, list_order, order.data(), &n), 0);
  ASSERT_EQ(launch({{}, {256}}, list_order, order.data(), &n), 0);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.begin() + 256));
  EXPECT_FALSE(std::equal(order.begin(), order.begin() + 256, order.begin() + 256));
}

// ---- Tiles --------------------------------------------------------------------------------------

using tenon::cuda::kTile;
using Half = tenon::sdk::F16;

// c = a b + c, for b by columns.
__global__ void multiply_tile(const Half* a, const Half* b, float* c, int step) {
  tenon::cuda::TileSum<Half> sum;
  sum.load(c, kTile);
  sum.add<tenon::cuda::ByRows, tenon::cuda::ByColumns>(a, step, b, kTile);
  sum.store(c, kTile);
}

struct Tiles {
  alignas(32) Half a[2 * kTile * kTile];
  alignas(32) Half b[kTile * kTile];
  alignas(32) float c[kTile * kTile];

  Tiles() {
    for (int i = 0; i < 2 * kTile * kTile; ++i) a[i] = Half(i % 7 - 3);
    for (int i = 0; i < kTile * kTile; ++i) b[i] = Half(i % 5 - 2);
    for (int i = 0; i < kTile * kTile; ++i) c[i] = static_cast<float>(i % 3);
  }
};

TEST_F(Emulator, AWarpMultipliesTiles) {
  Tiles t;
  constexpr int kStep = kTile + 8;
  ASSERT_EQ(launch({{}, {32}}, multiply_tile, t.a, t.b, t.c, kStep), 0) << words();
  for (int i = 0; i < kTile * kTile; ++i) {
    auto right = static_cast<float>(i % 3);
    for (int k = 0; k < kTile; ++k) {
      right += static_cast<float>(t.a[i / kTile * kStep + k]) *
               static_cast<float>(t.b[i % kTile * kTile + k]);
    }
    ASSERT_EQ(t.c[i], right) << i;
  }
}

TEST_F(Emulator, TilesLieOnlyWhereACardTakesThem) {
  Tiles t;
  EXPECT_EQ(launch({{}, {32}}, multiply_tile, t.a + 8, t.b, t.c, kTile), kLaunchFailure);
  EXPECT_THAT(words(), HasSubstr("32 bytes"));
  emulated::reset();
  EXPECT_EQ(launch({{}, {32}}, multiply_tile, t.a, t.b, t.c, kTile + 4), kLaunchFailure);
  EXPECT_THAT(words(), HasSubstr("16 bytes"));
}

// ---- Barriers -----------------------------------------------------------------------------------

// Sums of blocks, as every reduction does it.
template <bool WithBarrier>
__global__ void sum_block(const int* x, int* sums) {
  __shared__ int partial[256];
  const unsigned thread = threadIdx.x;
  partial[thread] = x[blockIdx.x * blockDim.x + thread];
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (thread < half) partial[thread] += partial[thread + half];
    if (WithBarrier) __syncthreads();
  }
  if (thread == 0) sums[blockIdx.x] = partial[0];
}

std::vector<int> sums_of(void (*kernel)(const int*, int*)) {
  std::vector<int> x(1024);
  std::iota(x.begin(), x.end(), 0);
  std::vector<int> sums(4);
  EXPECT_EQ(launch({{4}, {256}}, kernel, x.data(), sums.data()), 0);
  return sums;
}

TEST_F(Emulator, BarriersPartPhases) {
  EXPECT_THAT(sums_of(sum_block<true>), testing::ElementsAre(32640, 98176, 163712, 229248));
}

TEST_F(Emulator, MissingBarrierGivesWrongResults) {
  EXPECT_NE(sums_of(sum_block<false>), sums_of(sum_block<true>));
}

__global__ void vote_block(int* out) {
  const int thread = static_cast<int>(threadIdx.x);
  const int any = __syncthreads_or(thread == 7);
  const int none = __syncthreads_or(0);
  const int all = __syncthreads_and(thread >= 0);
  const int some = __syncthreads_and(thread != 3);
  const int count = __syncthreads_count(thread % 2);
  if (thread == 0) out[0] = any, out[1] = none, out[2] = all, out[3] = some, out[4] = count;
}

TEST_F(Emulator, BarriersWithPredicates) {
  int out[5] = {};
  ASSERT_EQ(launch({{}, {50}}, vote_block, out), 0);
  EXPECT_THAT(out, testing::ElementsAre(1, 0, 1, 0, 25));
}

__global__ void leave_early(int* out) {
  if (threadIdx.x >= 40) return;
  __syncthreads();
  atomicAdd(out, 1);
}

TEST_F(Emulator, ThreadsThatEndedAreNotWaitedFor) {
  int out = 0;
  ASSERT_EQ(launch({{3}, {64}}, leave_early, &out), 0);
  EXPECT_EQ(out, 120);
}

__global__ void differ_at_barriers(int* out) {
  if (threadIdx.x < 8) {
    __syncthreads();
  } else {
    __syncthreads_or(1);
  }
  *out = 1;
}

TEST_F(Emulator, DifferentBarriersFail) {
  int out = 0;
  EXPECT_EQ(launch({{}, {16}}, differ_at_barriers, &out), kLaunchFailure);
  EXPECT_EQ(out, 0);
  EXPECT_THAT(words(), HasSubstr("of block (0, 0, 0) waits at __syncthreads for thread (8, 0, 0), "
                                 "which waits at __syncthreads_or"));
}

// ---- Shared memory ------------------------------------------------------------------------------

__global__ void turn_around(int* x, int beyond) {
  int* shared = static_cast<int*>(tenon_emulated_shared());
  const int fresh = shared[threadIdx.x];
  __syncthreads();
  shared[threadIdx.x] = x[threadIdx.x];
  if (beyond) shared[blockDim.x] = 0;
  __syncthreads();
  x[threadIdx.x] =
      fresh == static_cast<int>(0xFDFDFDFDU) ? shared[blockDim.x - 1 - threadIdx.x] : 0;
}

TEST_F(Emulator, DynamicSharedMemory) {
  int x[] = {1, 2, 3, 4, 5};
  ASSERT_EQ(launch({{}, {5}, sizeof x}, turn_around, x, 0), 0);
  EXPECT_THAT(x, testing::ElementsAre(5, 4, 3, 2, 1));
}

TEST_F(Emulator, WritingBehindSharedMemoryFails) {
  int x[5] = {};
  EXPECT_EQ(launch({{}, {5}, sizeof x}, turn_around, x, 1), kLaunchFailure);
  EXPECT_THAT(words(), HasSubstr("wrote after the dynamic shared memory"));
}

// ---- Warps --------------------------------------------------------------------------------------

template <class T>
__global__ void shuffle_all(T* out) {
  const auto x = static_cast<T>(threadIdx.x);
  T* mine = out + threadIdx.x * 4;
  mine[0] = __shfl_sync(~0U, x, 3, 8);
  mine[1] = __shfl_up_sync(~0U, x, 2);
  mine[2] = __shfl_down_sync(~0U, x, 1, 16);
  mine[3] = __shfl_xor_sync(~0U, x, 1);
}

template <class T>
void expect_shuffles() {
  std::vector<T> out(size_t{64} * 4);
  ASSERT_EQ(launch({{}, {64}}, shuffle_all<T>, out.data()), 0);
  for (unsigned thread = 0; thread < 64; ++thread) {
    const unsigned lane = thread % 32;
    const T* mine = &out[size_t{thread} * 4];
    const auto source = thread / 8 * 8 + 3;
    EXPECT_EQ(mine[0], static_cast<T>(source));
    EXPECT_EQ(mine[1], static_cast<T>(lane < 2 ? thread : thread - 2));
    EXPECT_EQ(mine[2], static_cast<T>(lane % 16 == 15 ? thread : thread + 1));
    EXPECT_EQ(mine[3], static_cast<T>(thread ^ 1));
  }
}

TEST_F(Emulator, Shuffles) {
  expect_shuffles<int>();
  expect_shuffles<float>();
  expect_shuffles<double>();
  expect_shuffles<unsigned long long>();
}

__global__ void vote(unsigned* out) {
  const int lane = static_cast<int>(threadIdx.x);
  const unsigned odd = __ballot_sync(~0U, lane % 2);
  const int any = __any_sync(~0U, lane == 31);
  const int all = __all_sync(~0U, lane < 31);
  unsigned half = 0;
  if (lane < 16) half = __ballot_sync(0xFFFFU, 1);
  __syncwarp();
  const unsigned self = __activemask();
  if (lane == 5) out[0] = odd, out[1] = any, out[2] = all, out[3] = half, out[4] = self;
}

TEST_F(Emulator, Votes) {
  unsigned out[5] = {};
  ASSERT_EQ(launch({{}, {32}}, vote, out), 0);
  EXPECT_THAT(out, testing::ElementsAre(0xAAAAAAAAU, 1U, 0U, 0xFFFFU, 32U));
}

__global__ void diverge(int* out) {
  if (threadIdx.x < 8) {
    *out = __shfl_sync(~0U, 1, 0);
  } else {
    __syncthreads();
  }
}

TEST_F(Emulator, CollectiveThatNotAllReachFails) {
  int out = 0;
  EXPECT_EQ(launch({{2}, {16}}, diverge, &out), kLaunchFailure);
  EXPECT_THAT(words(), HasSubstr("waits at a shuffle for thread (8, 0, 0), which waits at "
                                 "__syncthreads"));
  // The device stays lost.
  EXPECT_EQ(driver().stream_wait(nullptr), kLaunchFailure);
  void* data = nullptr;
  EXPECT_EQ(driver().alloc(&data, 16, nullptr), kLaunchFailure);
}

__global__ void shuffle_with(unsigned mask, int source, int* out) {
  if (threadIdx.x < 4) *out = __shfl_sync(mask, 1, source);
}

TEST_F(Emulator, WrongMasksFail) {
  int out = 0;
  EXPECT_EQ(launch({{}, {8}}, shuffle_with, 7U, 0, &out), kLaunchFailure);
  EXPECT_THAT(words(), HasSubstr("thread (3, 0, 0) of block (0, 0, 0) calls a shuffle with a mask "
                                 "in which its own lane is missing"));
  emulated::reset();
  EXPECT_EQ(launch({{}, {8}}, shuffle_with, 15U, 6, &out), kLaunchFailure);
  EXPECT_THAT(words(), HasSubstr("shuffles from lane 6, which does not take part"));
}

// ---- Failures -----------------------------------------------------------------------------------

struct Counted {
  explicit Counted(int* alive) : count(alive) { ++*count; }
  ~Counted() { --*count; }
  int* count;
};

__global__ void throw_one(int* alive) {
  const Counted counted(alive);
  if (threadIdx.x == 17) throw std::runtime_error("no such thing on a GPU");
  __syncthreads();
}

TEST_F(Emulator, ExceptionsFailAndLeaveNothingBehind) {
  int alive = 0;
  EXPECT_EQ(launch({{}, {64}}, throw_one, &alive), kLaunchFailure);
  EXPECT_EQ(alive, 0);
  EXPECT_THAT(words(), HasSubstr("cudaErrorLaunchFailure: thread (17, 0, 0) of block (0, 0, 0) "
                                 "threw an exception: no such thing on a GPU"));
}

__global__ void nothing() {}

TEST_F(Emulator, LimitsOfLaunches) {
  constexpr int kInvalidConfiguration = 9;
  constexpr int kInvalidValue = 1;
  EXPECT_EQ(launch({{}, {1024}}, nothing), 0);
  EXPECT_EQ(launch({{}, {1025}}, nothing), kInvalidConfiguration);
  EXPECT_EQ(launch({{}, {32, 33}}, nothing), kInvalidConfiguration);
  EXPECT_EQ(launch({{}, {1, 1, 65}}, nothing), kInvalidConfiguration);
  EXPECT_EQ(launch({{0}, {1}}, nothing), kInvalidConfiguration);
  EXPECT_EQ(launch({{1, 65536}, {1}}, nothing), kInvalidConfiguration);
  EXPECT_EQ(launch({{0x80000000U}, {1}}, nothing), kInvalidConfiguration);
  EXPECT_EQ(launch({{}, {1}, 48 << 10}, nothing), 0);
  EXPECT_EQ(launch({{}, {1}, (48 << 10) + 1}, nothing), kInvalidValue);
}

// ---- Arithmetic ---------------------------------------------------------------------------------

__global__ void add_all(float* sum, unsigned long long* most, unsigned* ring) {
  atomicAdd(sum, 0.5F);
  atomicMax(most, threadIdx.x);
  atomicInc(ring, 9);
}

TEST_F(Emulator, Atomics) {
  float sum = 0;
  unsigned long long most = 0;
  unsigned ring = 0;
  ASSERT_EQ(launch({{2}, {64}}, add_all, &sum, &most, &ring), 0);
  EXPECT_EQ(sum, 64.0F);
  EXPECT_EQ(most, 63U);
  EXPECT_EQ(ring, 8U);
}

TEST_F(Emulator, Intrinsics) {
  EXPECT_EQ(__umulhi(0xFFFFFFFFU, 0xFFFFFFFFU), 0xFFFFFFFEU);
  EXPECT_EQ(__umul64hi(~0ULL, ~0ULL), ~0ULL - 1);
  EXPECT_EQ(__brev(1U), 0x80000000U);
  EXPECT_EQ(__brevll(2ULL), 0x4000000000000000ULL);
  EXPECT_EQ(__clz(1), 31);
  EXPECT_EQ(__ffs(8), 4);
  EXPECT_EQ(__ffs(0), 0);
  EXPECT_EQ(__funnelshift_l(0x80000000U, 1U, 1), 3U);
  EXPECT_EQ(__float2int_rn(2.5F), 2);
  EXPECT_EQ(__double2ll_rz(1e30), INT64_MAX);
  EXPECT_EQ(__float2int_rz(-1e30F), INT32_MIN);
  EXPECT_EQ(__float2int_rz(NAN), 0);
  EXPECT_EQ(__saturatef(NAN), 0.0F);
  EXPECT_EQ(alignof(float4), 16U);
  EXPECT_EQ(sizeof(float3), 12U);
  EXPECT_EQ(make_uint2(1, 2).y, 2U);
}

}  // namespace
