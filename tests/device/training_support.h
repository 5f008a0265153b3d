// SPDX-License-Identifier: Apache-2.0
// tests/device/training_support.h: a small network that trains on a device as on the host.
#pragma once

#include "tests/device/device_support.h"

namespace tenon::tests {

// A test failure unless the losses on session.sim fall as those on the host do, for several rules.
void expect_same_training(const DeviceSession& session);

}  // namespace tenon::tests
