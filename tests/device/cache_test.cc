// SPDX-License-Identifier: Apache-2.0
// tests/device/cache_test.cc: memory of an asynchronous device that is kept for reuse, and goes
// back while work that uses it may be queued still.
#include <gmock/gmock.h>
#include <tenon/ext/draft/memory.h>

#include "tests/device/device_support.h"

namespace tenon::tests {
namespace {

using testing::Each;
using testing::HasSubstr;

constexpr int64_t kMiB = int64_t{1} << 20;

// Longer than it takes to enqueue what the test enqueues.
constexpr int64_t kDelay = 20000;

TEST(DeviceCache, GoesBackWhenQueuedWorkHasEnded) {
  const DeviceSession session;
  const Tensor x = session.f32(session.sim, {kMiB / 4}, std::vector<float>(kMiB / 4, 3));
  session.must(session.wait(session.sim));
  session.inject(session.sim, "delay", 0, 1, kDelay);
  Tensor sum;
  {
    const Tensor y = session.call("tenon.neg", {tensor_value(x.get())});
    const Tensor z = session.call("tenon.mul", {tensor_value(y.get()), tensor_value(x.get())});
    sum = session.call("tenon.add", {tensor_value(z.get()), tensor_value(y.get())});
  }
  const int64_t before = session.live(session.sim, "bytes");
  uint64_t bytes = 0;
  session.must(tenon_runtime_release_cache(session, &session.sim, &bytes));
  EXPECT_GE(bytes, static_cast<uint64_t>(2 * kMiB));
  EXPECT_LE(session.live(session.sim, "bytes"), before - 2 * kMiB);
  EXPECT_THAT(session.floats(sum), Each(-12));
}

// A failure that the wait for it notices is told by the next wait, as any.
TEST(DeviceCache, AFailureIsNotLost) {
  const DeviceSession session;
  const Tensor x = session.f32(session.sim, {4}, {1, 2, 3, 4});
  session.must(session.wait(session.sim));
  session.inject(session.sim, "launch");
  session.call("tenon.neg", {tensor_value(x.get())});
  session.must(tenon_runtime_release_cache(session, &session.sim, nullptr));
  EXPECT_EQ(session.wait(session.sim), TENON_E_DEVICE);
  EXPECT_THAT(session.message(), HasSubstr("an injected failure"));
}

}  // namespace
}  // namespace tenon::tests
