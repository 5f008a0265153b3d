// SPDX-License-Identifier: Apache-2.0
// tests/device/async_test.cc: work that is still queued when calls return: order, memory that is
// used again, host memory that may change, and what is left at the end.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <random>

#include "tests/device/device_support.h"

namespace tenon::tests {
namespace {

constexpr uint64_t kPinnedLimit = 32u << 20;

int64_t pinned_bytes(const DeviceSession& session, int32_t index = 0) {
  const Json sim = session.device_json("sim");
  for (const Json& entry : sim.at("memory")) {
    if (entry.at("index") == index) return entry.at("pinned_bytes");
  }
  return -1;
}

TEST(DeviceMemory, IsOutOfTheHostsReach) {
  const DeviceSession session;
  const Tensor x = session.f32(session.sim, {2}, {1, 2});
  session.must(session.wait(session.sim));
  tenon_view view{};
  session.must(tenon_tensor_get_view(session, x.get(), &view));
  for (const bool write : {false, true}) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      signal(SIGSEGV, SIG_DFL);  // a sanitizer's handler would write a report
      auto* memory = static_cast<volatile float*>(view.data);
      if (write) {
        memory[0] = 3;
      } else {
        static_cast<void>(memory[0]);
      }
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV)
        << (write ? "write" : "read") << ": wait status " << status;
  }
  EXPECT_EQ(session.floats(x), (std::vector<float>{1, 2}));
}

// A child has no threads of its parent: its devices are lost, which is said, and nothing hangs.
TEST(DeviceMemory, AForkedChildLosesTheDevice) {
  const DeviceSession session;
  const Tensor x = session.f32(session.sim, {2}, {1, 2});
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    const tenon_value inputs[] = {tensor_value(x.get()), tensor_value(x.get())};
    tenon_tensor* out = nullptr;
    const tenon_op* add = nullptr;
    if (tenon_op_find(session, "tenon.add", TENON_NUL, 0, &add) != TENON_OK) _exit(2);
    if (tenon_op_call(session, add, inputs, 2, nullptr, 0, &out, 1) != TENON_E_DEVICE_LOST)
      _exit(3);
    float data[2];
    if (tenon_tensor_get_data(session, x.get(), data, sizeof data) != TENON_E_DEVICE_LOST) _exit(4);
    tenon_tensor_release(x.get());
    tenon_context_release(session);
    tenon_runtime_release(session.runtime());
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "wait status " << status;
  EXPECT_EQ(session.floats(x), (std::vector<float>{1, 2}));
}

// Ends this process while its streams are at work.
[[noreturn]] void exit_with_everything_alive() {
  static const auto* session = new DeviceSession;
  static std::vector<Tensor> alive;
  alive.push_back(session->f32(session->sim, {64}, std::vector<float>(64, 1)));
  session->inject(session->sim, "delay", 0, 20, 10000);
  for (int i = 0; i < 20; ++i) {
    alive.push_back(session->call("tenon.add", {tensor_value(alive.back().get()), real_value(1)}));
  }
  std::exit(testing::Test::HasFailure() ? 1 : 0);
}

// Runs itself in a process of its own.
TEST(DeviceExit, DoesNotHang) {
  constexpr const char* kChild = "TENON_TEST_EXIT";
  if (std::getenv(kChild)) exit_with_everything_alive();
  char self[4096] = {};
  ASSERT_GT(readlink("/proc/self/exe", self, sizeof self - 1), 0);
  const std::string command =
      std::string(kChild) + "=1 timeout 25 '" + self + "' --gtest_filter=DeviceExit.* >/dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

// ---- Order --------------------------------------------------------------------------------------

// The first launch is slow; whatever the rest allocates and releases meanwhile may not disturb it.
TEST(DeviceOrder, TemporariesMayBeReleasedWhileWorkIsQueued) {
  const DeviceSession session;
  const NoGrad off(session);
  const Tensor start = session.f32(session.sim, {256}, std::vector<float>(256, 1));
  session.inject(session.sim, "delay", 0, 6, 10000);
  Tensor x = session.call("tenon.copy", {tensor_value(start.get())});
  for (int i = 0; i < 200; ++i) {
    const Tensor doubled = session.call("tenon.mul", {tensor_value(x.get()), real_value(2)});
    x = session.call("tenon.sub", {tensor_value(doubled.get()), tensor_value(x.get())});
  }
  EXPECT_EQ(session.floats(x), std::vector<float>(256, 1));
}

// Matrix products pack an operand into scratch memory, which the next one uses again.
TEST(DeviceOrder, ScratchIsUsedAgainInOrder) {
  const DeviceSession session;
  const NoGrad off(session);
  const int64_t n = 8;
  std::vector<float> identity(64, 0);
  for (size_t i = 0; i < 8; ++i) identity[i * 9] = 1;
  std::vector<Tensor> products;
  session.inject(session.sim, "delay", 0, 12, 5000);
  for (int k = 0; k < 12; ++k) {
    std::vector<float> values(64);
    for (size_t i = 0; i < 64; ++i) values[i] = static_cast<float>(i) + static_cast<float>(k);
    const Tensor a = session.f32(session.sim, {n, n}, identity);
    const Tensor b = session.f32(session.sim, {n, n}, values);
    products.push_back(
        session.call("tenon.matmul", {tensor_value(a.get()), tensor_value(b.get())}));
  }
  for (size_t k = 0; k < products.size(); ++k) {
    const std::vector<float> found = session.floats(products[k]);
    for (size_t i = 0; i < 64; ++i) ASSERT_EQ(found[i], static_cast<float>(i + k)) << k;
  }
}

// The caller's memory may change as soon as the call returns, with pinned memory and without.
TEST(DeviceOrder, HostMemoryMayChangeAfterACopy) {
  for (const bool pinned : {true, false}) {
    const DeviceSession session;
    if (!pinned) session.inject(session.sim, "pinned", 0, 1000000);
    std::vector<Tensor> made;
    session.inject(session.sim, "delay", 0, 8, 5000);
    std::vector<float> data(100);
    for (int k = 0; k < 8; ++k) {
      for (float& value : data) value = static_cast<float>(k);
      made.push_back(session.f32(session.sim, {100}, data));
      for (float& value : data) value = -1;
    }
    for (size_t k = 0; k < made.size(); ++k) {
      EXPECT_EQ(session.floats(made[k]), std::vector<float>(100, static_cast<float>(k)));
    }
    EXPECT_EQ(pinned_bytes(session) > 0, pinned);
  }
}

// Through a strided temporary, too, and into a tensor that was there before.
TEST(DeviceOrder, SetDataIsOrderedWithLaunches) {
  const DeviceSession session;
  const NoGrad off(session);
  const PlacedApart placed(session, session.sim,
                           {TENON_DTYPE_F32, {4, 4}, std::vector<unsigned char>(64)},
                           Layout::Transposed);
  std::vector<Tensor> sums;
  session.inject(session.sim, "delay", 0, 20, 3000);
  std::vector<float> data(16);
  for (int k = 0; k < 10; ++k) {
    for (size_t i = 0; i < 16; ++i) data[i] = static_cast<float>(k) + static_cast<float>(i);
    session.must(tenon_tensor_set_data(session, placed.get(), data.data(), 64));
    sums.push_back(session.call("tenon.sum", {tensor_value(placed.get())}));
  }
  for (size_t k = 0; k < sums.size(); ++k)
    EXPECT_EQ(session.item(sums[k]), 16.0 * static_cast<double>(k) + 120);
}

TEST(DeviceOrder, PinnedMemoryIsBounded) {
  constexpr uint64_t seed = 77;
  std::cout << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  const DeviceSession session;
  std::vector<std::pair<Tensor, float>> made;
  session.inject(session.sim, "delay", 0, 40, 2000);
  for (int k = 0; k < 120; ++k) {
    const auto count = static_cast<size_t>(1 + random() % 300000);
    const auto value = static_cast<float>(random() % 1000);
    made.emplace_back(
        session.f32(session.sim, {static_cast<int64_t>(count)}, std::vector<float>(count, value)),
        value);
    if (made.size() > 12) made.erase(made.begin());
    ASSERT_LE(pinned_bytes(session), static_cast<int64_t>(kPinnedLimit));
  }
  for (const auto& [tensor, value] : made) {
    const std::vector<float> found = session.floats(tensor);
    EXPECT_EQ(found, std::vector<float>(found.size(), value));
  }
  // Larger than any pinned block: straight from the caller's memory.
  const Tensor large = session.f32(session.sim, {3 << 20}, std::vector<float>(3 << 20, 5));
  EXPECT_EQ(session.item(session.call("tenon.max", {tensor_value(large.get())})), 5);
}

// ---- Plans --------------------------------------------------------------------------------------

TEST(DevicePlan, ReplaysAndExchangesInputs) {
  const DeviceSession session;
  const NoGrad off(session);
  const Tensor x = session.f32(session.sim, {2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor w = session.f32(session.sim, {3, 2}, {1, -1, 0, 2, 1, 1});
  const auto forward = [&](const Tensor& input) {
    const Tensor a =
        session.call("tenon.matmul", {tensor_value(input.get()), tensor_value(w.get())});
    const Tensor b = session.call("tenon.sub", {tensor_value(a.get()), real_value(6)});
    return session.call("tenon.relu", {tensor_value(b.get())});
  };
  tenon_tensor* inputs[] = {x.get()};
  session.must(tenon_capture_begin(session, inputs, 1));
  const Tensor y = forward(x);
  tenon_plan* plan = nullptr;
  session.must(tenon_capture_end(session, &plan));
  EXPECT_EQ(session.floats(y), session.floats(forward(x)));
  session.inject(session.sim, "delay", 0, 10, 3000);
  std::vector<Tensor> results;
  std::vector<Tensor> next;
  for (int k = 0; k < 10; ++k) {
    const auto f = static_cast<float>(k);
    next.push_back(session.f32(session.sim, {2, 3}, {f, 2 * f, 3, 4, f, 6}));
    session.must(tenon_plan_set(session, plan, 0, next.back().get()));
    session.must(tenon_plan_run(session, plan));
    results.push_back(session.call("tenon.copy", {tensor_value(y.get())}));
  }
  for (size_t k = 0; k < results.size(); ++k) {
    EXPECT_EQ(session.floats(results[k]), session.floats(forward(next[k]))) << k;
  }
  // While work is queued: the plan goes first, and with it the scratch memory and storages.
  session.inject(session.sim, "delay", 0, 4, 3000);
  session.must(tenon_plan_run(session, plan));
  tenon_plan_release(plan);
  EXPECT_EQ(session.floats(y), session.floats(forward(next.back())));
}

TEST(DevicePlan, FailuresNameTheOpsOfTheRun) {
  const DeviceSession session;
  const NoGrad off(session);
  const Tensor x = session.f32(session.sim, {2}, {1, 2});
  session.must(tenon_capture_begin(session, nullptr, 0));
  const Tensor y = session.call("tenon.neg", {tensor_value(x.get())});
  tenon_plan* plan = nullptr;
  session.must(tenon_capture_end(session, &plan));
  session.inject(session.sim, "launch", 0);
  session.must(session.wait(session.sim));
  session.must(tenon_plan_run(session, plan));
  EXPECT_EQ(session.wait(session.sim), TENON_E_DEVICE);
  EXPECT_STREQ(session.error().op, "tenon.neg");
  session.must(tenon_plan_run(session, plan));
  EXPECT_EQ(session.floats(y), (std::vector<float>{-1, -2}));
  tenon_plan_release(plan);
}

// Two launches fail: inject one, not the wait's own copy.
TEST(DevicePlan, InjectingCannotBeCaptured) {
  const DeviceSession session;
  session.must(tenon_context_set_device(session, &session.sim));
  session.must(tenon_capture_begin(session, nullptr, 0));
  EXPECT_EQ(session.status_of("sim.live", {}, {{"what", text_value("bytes")}}), TENON_E_CAPTURE);
  EXPECT_STREQ(session.error().op, "sim.live");
  tenon_plan* plan = nullptr;
  EXPECT_EQ(tenon_capture_end(session, &plan), TENON_E_CAPTURE);
}

// ---- What is left -------------------------------------------------------------------------------

TEST(DeviceEnd, NothingIsLeft) {
  const DeviceSession watcher;
  const char* const counts[] = {"streams", "events", "blocks", "bytes", "pinned", "commands"};
  std::vector<int64_t> before;
  for (int round = 0; round < 2; ++round) {  // the first one allocates what the counting needs
    before.clear();
    for (const char* what : counts) before.push_back(watcher.live(watcher.sim, what));
  }
  tenon_tensor* survivor = nullptr;
  {
    const DeviceSession session;
    const tenon_device other = session.device("sim", 1);
    const Tensor x = session.f32(session.sim, {100}, std::vector<float>(100, 2));
    const Tensor y = session.f32(other, {100}, std::vector<float>(100, 3));
    session.must(tenon_tensor_set_requires_grad(session, x.get(), 1));
    session.inject(session.sim, "delay", 0, 10, 2000);
    Tensor z = session.call("tenon.mul", {tensor_value(x.get()), tensor_value(x.get())});
    for (int i = 0; i < 10; ++i) {
      z = session.call("tenon.add", {tensor_value(z.get()), real_value(1)});
    }
    EXPECT_GT(watcher.live(watcher.sim, "streams"), before[0]);
    EXPECT_GT(watcher.live(watcher.sim, "pinned"), before[4]);
    EXPECT_GT(watcher.live(watcher.sim, "events"), before[1]);
    survivor = z.release();
  }
  // Runtime and context are released; the tensor keeps the device alive, and its data.
  EXPECT_GT(watcher.live(watcher.sim, "streams"), before[0]);
  tenon_tensor_release(survivor);
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(watcher.live(watcher.sim, counts[i]), before[i]) << counts[i];
  }
}

}  // namespace
}  // namespace tenon::tests
