// SPDX-License-Identifier: Apache-2.0
// tests/life/memory_bound_test.cc: memory that nobody uses: how much of it a runtime keeps, by its
// own figures and by the system's, and that it goes when asked to.
#include <tenon/ext/draft/memory.h>

#include <fstream>

#include "tests/core/support.h"

namespace tenon::tests {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

RuntimeHandle make_host_runtime() {
  const tenon_string path{plugin_dir(), TENON_NUL};
  tenon_runtime_options options{};
  options.struct_size = sizeof options;
  options.flags = TENON_RUNTIME_NO_DEFAULT_PATHS | TENON_RUNTIME_NO_ENVIRONMENT;
  options.paths = &path;
  options.n_paths = 1;
  options.threads = 1;
  tenon_runtime* runtime = nullptr;
  EXPECT_EQ(tenon_runtime_create(&options, nullptr, &runtime), TENON_OK);
  return RuntimeHandle(runtime);
}

uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  uint64_t total = 0;
  uint64_t resident = 0;
  statm >> total >> resident;
  return resident * 4096;
}

class MemoryBound : public testing::Test {
 protected:
  // A tensor whose every byte is there.
  Tensor full(uint64_t mebibytes) const {
    const Shape shape = {static_cast<int64_t>(mebibytes * kMiB / sizeof(float))};
    tenon_value dtype{TENON_VALUE_DTYPE, 0, {}};
    dtype.as.dtype = TENON_DTYPE_F32;
    return cx.call("tenon.full", {}, {ints(shape), Value(1.0), Value(dtype)});
  }
  uint64_t release_cache() const {
    uint64_t bytes = 0;
    cx.must(tenon_runtime_release_cache(cx.get(), nullptr, &bytes));
    return bytes;
  }

  RuntimeHandle runtime = make_host_runtime();
  Session cx{runtime};
};

TEST_F(MemoryBound, OneTensorThatGrowsLeavesLittle) {
  full(1);
  const uint64_t before = resident_bytes();
  for (uint64_t size = 1; size <= 90; size += 1 + size / 3) full(size);
  const tenon_stats stats = cx.stats();
  const uint64_t bound = stats.bytes_peak + stats.bytes_peak / 4 + 64 * kMiB;
  EXPECT_GE(stats.bytes_peak, 80 * kMiB);
  EXPECT_LE(stats.bytes_reserved, bound);
  // Sanitizers keep freed memory back.
  if (TENON_SANITIZER_BUILT != TENON_SANITIZER_NONE) return;
  // What the C library keeps of what it was given back: less than its largest block on the heap.
  EXPECT_LE(resident_bytes(), before + bound + 32 * kMiB);
  release_cache();
  EXPECT_LE(resident_bytes(), before + 64 * kMiB);
}

TEST_F(MemoryBound, WhatIsKeptGoesWhenAskedTo) {
  const Tensor kept = full(3);
  full(40);
  full(5);
  const tenon_stats before = cx.stats();
  const uint64_t idle = before.bytes_reserved - before.bytes_live;
  EXPECT_GE(idle, 45 * kMiB);
  EXPECT_LT(idle, 46 * kMiB);
  EXPECT_EQ(release_cache(), idle);
  EXPECT_EQ(cx.stats().bytes_reserved, before.bytes_live);
  EXPECT_EQ(cx.stats().bytes_peak, before.bytes_peak);
  EXPECT_EQ(release_cache(), 0u);
  full(5);
  const tenon_device host = cx.device("");
  uint64_t bytes = 0;
  cx.must(tenon_runtime_release_cache(cx.get(), &host, &bytes));
  EXPECT_EQ(bytes, 5 * kMiB);
  EXPECT_EQ(cx.info(kept).elements, 3 * static_cast<int64_t>(kMiB) / 4);
}

// Blocks that a plan or a graph holds are live.
TEST_F(MemoryBound, PlansAndGraphsKeepTheirs) {
  const Tensor x = cx.leaf(cx.floats({2}, {3, 4}));
  const Tensor y = cx.floats({2}, {1, 2});
  cx.begin_capture({y.get()});
  const Tensor z = cx.call("tenon.exp", {arg(cx.call("tenon.mul", {arg(y), 0.0}))});
  const Plan plan = cx.end_capture();
  const Tensor loss = cx.call("tenon.sum", {arg(cx.call("tenon.square", {arg(x)}))});
  full(5);
  EXPECT_GE(release_cache(), 5 * kMiB);
  const Tensor over = full(5);
  cx.must(tenon_plan_run(cx.get(), plan.get()));
  EXPECT_EQ(cx.values(z), (std::vector<float>{1, 1}));
  cx.backward(loss);
  EXPECT_EQ(cx.grad_values(x), (std::vector<float>{6, 8}));
}

}  // namespace
}  // namespace tenon::tests
