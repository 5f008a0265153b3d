// SPDX-License-Identifier: Apache-2.0
// tests/device/threads_test.cc: several contexts on the devices of one runtime at once.
#include <thread>

#include "tests/device/device_support.h"

namespace tenon::tests {
namespace {

constexpr int kThreads = 4;
constexpr int kRounds = 25;

struct Worker {
  tenon_context* context = nullptr;
  tenon_device device{};
  const tenon_op* mul = nullptr;
  const tenon_op* matmul = nullptr;
  bool good = true;

  bool check(tenon_status status) {
    good = good && status == TENON_OK;
    return good;
  }
  Tensor call(const tenon_op* op, const Tensor& a, const Tensor& b) {
    const tenon_value inputs[] = {tensor_value(a.get()), tensor_value(b.get())};
    tenon_tensor* out = nullptr;
    check(tenon_op_call(context, op, inputs, 2, nullptr, 0, &out, 1));
    return Tensor(out);
  }
  // 2 * ones[8,8]^k times ones: each product multiplies by 8.
  void round(int number) {
    std::vector<float> ones(64, 1.0f + static_cast<float>(number % 3));
    const int64_t shape[] = {8, 8};
    tenon_tensor* made = nullptr;
    if (!check(tenon_tensor_create_from(context, TENON_DTYPE_F32, &device, 2, shape, ones.data(),
                                        256, &made))) {
      return;
    }
    const Tensor x(made);
    const float base = ones[0];
    ones.assign(64, -1);
    Tensor y = call(matmul, x, x);
    y = call(mul, y, x);
    float found[64] = {};
    if (!y || !check(tenon_tensor_get_data(context, y.get(), found, sizeof found))) return;
    for (const float value : found) good = good && value == 8 * base * base * base;
  }
};

TEST(DeviceThreads, ContextsShareDevices) {
  const DeviceSession session;
  std::vector<Worker> workers(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    Worker& worker = workers[static_cast<size_t>(i)];
    tenon_diag diag{};
    session.must(tenon_context_create(session.runtime(), &diag, &worker.context));
    worker.device = session.device("sim", i % 2);
    worker.mul = session.find("tenon.mul");
    worker.matmul = session.find("tenon.matmul");
  }
  session.inject(session.sim, "delay", 0, 20, 500);
  std::vector<std::thread> threads;
  for (Worker& worker : workers) {
    threads.emplace_back([&worker] {
      for (int i = 0; i < kRounds && worker.good; ++i) worker.round(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (Worker& worker : workers) {
    EXPECT_TRUE(worker.good);
    tenon_context_release(worker.context);
  }
}

// Finalizers release on threads of their own while work is queued.
TEST(DeviceThreads, ReleasesComeFromAnyThread) {
  const DeviceSession session;
  const NoGrad off(session);
  session.inject(session.sim, "delay", 0, 10, 1000);
  Tensor x = session.f32(session.sim, {1000}, std::vector<float>(1000, 1));
  for (int i = 0; i < 20; ++i) {
    Tensor next = session.call("tenon.add", {tensor_value(x.get()), real_value(1)});
    std::thread([old = std::move(x)]() mutable { old.reset(); }).join();
    x = std::move(next);
  }
  EXPECT_EQ(session.floats(x), std::vector<float>(1000, 21));
}

}  // namespace
}  // namespace tenon::tests
