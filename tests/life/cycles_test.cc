// SPDX-License-Identifier: Apache-2.0
// tests/life/cycles_test.cc: runtimes come and go with our own plugins, a thousand times and more,
// and leave nothing behind: no memory, no file, no thread, no mapping.
#include <dirent.h>
#include <malloc.h>

#include <atomic>
#include <fstream>
#include <iostream>
#include <thread>

#include "tests/core/support.h"

namespace tenon::tests {
namespace {

RuntimeHandle make_own_runtime() {
  const tenon_string path{plugin_dir(), TENON_NUL};
  tenon_runtime_options options{};
  options.struct_size = sizeof options;
  options.flags = TENON_RUNTIME_NO_DEFAULT_PATHS | TENON_RUNTIME_NO_ENVIRONMENT;
  options.paths = &path;
  options.n_paths = 1;
  options.threads = 2;
  tenon_diag diag{};
  tenon_runtime* runtime = nullptr;
  EXPECT_EQ(tenon_runtime_create(&options, &diag, &runtime), TENON_OK) << diag.message;
  return RuntimeHandle(runtime);
}

Optimizer make_sgd(const Session& cx, tenon_tensor* parameter) {
  tenon_optimizer* made = nullptr;
  cx.must(tenon_optimizer_create(cx.get(), "tenon.sgd", TENON_NUL, &parameter, 1, nullptr, nullptr,
                                 0, &made));
  return Optimizer(made);
}

// Everything a program does with a runtime, then one of its plugins taken away, then the releases
// in one of two orders.
void live_once(int number) {
  static constexpr const char* kPlugins[] = {"tenon.ops", "tenon.optim", "tenon.ref", "tenon.data"};
  RuntimeHandle runtime = make_own_runtime();
  {
    Session cx(runtime);
    const Tensor x = cx.leaf(cx.counting({16, 16}));
    const Optimizer sgd = make_sgd(cx, x.get());
    const Tensor y = cx.counting({16, 16});
    cx.begin_capture({y.get()});
    const Tensor loss = cx.call("tenon.sum", {arg(cx.call("tenon.mul", {arg(x), arg(y)}))});
    cx.backward(loss);
    cx.step(sgd);
    const Plan plan = cx.end_capture();
    cx.must(tenon_plan_run(cx.get(), plan.get()));
    const char* id = kPlugins[number % 4];
    cx.must(tenon_plugin_deactivate(cx.get(), id, TENON_NUL));
    if (number % 2 == 0) runtime.reset();
  }
}

struct Use {
  int64_t files = 0, threads = 0, mappings = 0, resident = 0, heap = 0;
};

int64_t entries_of(const char* folder) {
  int64_t count = 0;
  if (DIR* stream = opendir(folder)) {
    while (readdir(stream)) ++count;
    closedir(stream);
  }
  return count;
}

Use use_now() {
  Use use;
  use.files = entries_of("/proc/self/fd");
  use.threads = entries_of("/proc/self/task");
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) ++use.mappings;
  std::ifstream statm("/proc/self/statm");
  int64_t total = 0;
  statm >> total >> use.resident;
  use.resident *= 4096;
  use.heap = static_cast<int64_t>(mallinfo2().uordblks);
  return use;
}

void stay_flat(int warm_up, int cycles) {
  for (int i = 0; i < warm_up; ++i) live_once(i);
  const Use before = use_now();
  for (int i = 0; i < cycles && !testing::Test::HasFailure(); ++i) live_once(i);
  const Use after = use_now();
  std::cout << cycles << " cycles: heap " << before.heap << " to " << after.heap << ", resident "
            << before.resident << " to " << after.resident << ", mappings " << before.mappings
            << " to " << after.mappings << "\n";
  EXPECT_EQ(after.files, before.files);
  EXPECT_EQ(after.threads, before.threads);
  // Sanitizers keep freed memory back; there the leak check at the end speaks instead.
  if (TENON_SANITIZER_BUILT != TENON_SANITIZER_NONE) return;
  // Some tables grow once more; the smallest block a cycle would be 32,000 bytes.
  EXPECT_LE(after.heap, before.heap + 8192);
  EXPECT_LE(after.resident, before.resident + (1 << 20));
  EXPECT_LE(after.mappings, before.mappings + 4);
}

// Each takes ten times as long under a sanitizer.
TEST(Cycles, ManyRuntimesLeaveNothing) {
  stay_flat(100, TENON_SANITIZER_BUILT == TENON_SANITIZER_NONE ? 1000 : 250);
}
TEST(CyclesSoak, TenThousandRuntimesLeaveNothing) { stay_flat(100, 10000); }

TEST(Life, TwoRuntimesShareTheirLibraries) {
  const RuntimeHandle one = make_own_runtime();
  const RuntimeHandle two = make_own_runtime();
  const Session first(one);
  const Session second(two);
  const Tensor x = first.counting({4});
  const Tensor y = second.counting({4});
  first.must(tenon_plugin_deactivate(first.get(), "tenon.ops", TENON_NUL));
  tenon_tensor* out = nullptr;
  const Value foreign = arg(x);
  second.refused(TENON_E_RUNTIME, tenon_op_call(second.get(), second.op("tenon.neg"), &foreign, 1,
                                                nullptr, 0, &out, 1));
  EXPECT_EQ(second.values(second.call("tenon.neg", {arg(y)})),
            (std::vector<float>{-1, -2, -3, -4}));
}

// A program that ends without releasing anything, while another thread is working. Nothing here is
// ever destroyed, as in C.
[[noreturn]] void exit_in_the_middle() {
  static auto& runtime = *new RuntimeHandle(make_own_runtime());
  static auto& cx = *new Session(runtime);
  static auto& x = *new Tensor(cx.leaf(cx.counting({64, 64})));
  static auto& y = *new Tensor(cx.call("tenon.mul", {arg(x), arg(x)}));
  static std::atomic<bool> working{false};
  std::thread([] {
    const Session own(runtime);
    const Tensor a = own.counting({64, 64});
    while (true) {
      own.call("tenon.matmul", {arg(a), arg(a)});
      working = true;
    }
  }).detach();
  while (!working) std::this_thread::yield();
  std::exit(y ? 0 : 1);
}

TEST(LifeDeathTest, AProcessMayExitWithEverythingAlive) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(exit_in_the_middle(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tenon::tests
