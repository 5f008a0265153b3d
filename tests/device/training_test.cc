// SPDX-License-Identifier: Apache-2.0
// tests/device/training_test.cc: a small network trains on the device as on the host.
#include "tests/device/training_support.h"

namespace tenon::tests {
namespace {

TEST(DeviceTraining, FallsAsOnTheHost) {
  const DeviceSession session;
  expect_same_training(session);
  EXPECT_EQ(session.stats().nodes, 0);
}

}  // namespace
}  // namespace tenon::tests
