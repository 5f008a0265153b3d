// SPDX-License-Identifier: Apache-2.0
// tests/device/deactivate_test.cc: taking the plugin of an asynchronous device out of use.
#include <gmock/gmock.h>

#include "tests/device/device_support.h"

namespace tenon::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(DeviceDeactivate, QueuedWorkIsFinishedAndTensorsLiveOn) {
  const DeviceSession session;
  const Tensor x = session.f32(session.sim, {3}, {1, -2, 3});
  session.inject(session.sim, "delay", 0, 4, 5000);
  const Tensor y = session.call("tenon.neg", {tensor_value(x.get())});
  const Tensor z = session.call("tenon.mul", {tensor_value(y.get()), tensor_value(y.get())});
  session.must(tenon_plugin_deactivate(session, "tenon.sim", TENON_NUL));
  EXPECT_THAT(session.floats(z), ElementsAre(1, 4, 9));
  EXPECT_EQ(session.try_call("tenon.neg", {tensor_value(z.get())}), nullptr);
  EXPECT_THAT(session.message(), HasSubstr("no kernel for device sim:0"));
  const Tensor back = session.f32(session.cpu, {1}, {5});
  EXPECT_EQ(session.try_call("tenon.to", {tensor_value(back.get())},
                             {{"kind", int_value(session.sim.kind)}, {"index", int_value(0)}}),
            nullptr);
  EXPECT_EQ(session.message(), "tenon.to: device sim:0: plugin tenon.sim was deactivated");
  EXPECT_THAT(session.floats(session.call("tenon.neg", {tensor_value(back.get())})),
              ElementsAre(-5));
}

TEST(DeviceDeactivate, AFailureOfQueuedWorkIsStillTold) {
  const DeviceSession session;
  const Tensor x = session.f32(session.sim, {3}, {1, -2, 3});
  session.inject(session.sim, "launch");
  const Tensor y = session.call("tenon.neg", {tensor_value(x.get())});
  session.must(tenon_plugin_deactivate(session, "tenon.sim", TENON_NUL));
  float values[3] = {};
  EXPECT_EQ(tenon_tensor_get_data(session, y.get(), values, sizeof values), TENON_E_DEVICE);
  EXPECT_THAT(session.message(), HasSubstr("an injected failure"));
}

}  // namespace
}  // namespace tenon::tests
