// SPDX-License-Identifier: Apache-2.0
// tests/device/failure_test.cc: what goes wrong on a device: which words, for whom, and what still
// works afterwards.
#include "tests/device/device_support.h"

namespace tenon::tests {
namespace {

tenon_status read(const DeviceSession& session, const Tensor& x) {
  std::vector<unsigned char> bytes(4096);
  tenon_view view{};
  session.must(tenon_tensor_get_view(session, x.get(), &view));
  size_t count = 1;
  for (int32_t d = 0; d < view.rank; ++d) count *= static_cast<size_t>(view.shape[d]);
  return tenon_tensor_get_data(session, x.get(), bytes.data(), count * size_of(view.dtype));
}

tenon_status allocate(const DeviceSession& session, int64_t mebibytes, Tensor& out) {
  const int64_t bytes = mebibytes << 20;
  tenon_tensor* made = nullptr;
  const tenon_status status =
      tenon_tensor_create(session, TENON_DTYPE_U8, &session.sim, 1, &bytes, &made);
  out.reset(made);
  return status;
}

TEST(DeviceFailure, OfALaunchComesWithTheWindow) {
  const DeviceSession session;
  const Tensor x = session.f32(session.sim, {2}, {1, 2});
  session.must(session.wait(session.sim));
  session.inject(session.sim, "launch", 1);
  const tenon_value v = tensor_value(x.get());
  const Tensor a = session.call("tenon.add", {v, v});
  const Tensor b = session.call("tenon.mul", {tensor_value(a.get()), v});  // this one
  const Tensor c = session.call("tenon.neg", {tensor_value(b.get())});
  EXPECT_EQ(read(session, c), TENON_E_DEVICE);
  EXPECT_EQ(session.message(),
            "device sim:0 failed: an injected failure; enqueued since the last good wait: "
            "sim.inject #1, tenon.add #2, tenon.mul #3, tenon.neg #4, copy to host memory");
  const tenon_error error = session.error();
  EXPECT_STREQ(error.op, "");
  EXPECT_STREQ(error.plugin, "tenon.sim");
  EXPECT_STREQ(error.hint, "TENON_CHECK=launch waits after every launch and names the one");
  // Told once; the device goes on.
  EXPECT_EQ(session.floats(a), (std::vector<float>{2, 4}));
  EXPECT_EQ(session.floats(session.call("tenon.add", {v, v})), (std::vector<float>{2, 4}));
}

TEST(DeviceFailure, WindowIsBounded) {
  const DeviceSession session;
  Tensor x = session.f32(session.sim, {2}, {1, 2});
  session.must(session.wait(session.sim));
  session.inject(session.sim, "launch");
  for (int i = 0; i < 11; ++i) x = session.call("tenon.neg", {tensor_value(x.get())});
  EXPECT_EQ(session.wait(session.sim), TENON_E_DEVICE);
  EXPECT_EQ(session.message(),
            "device sim:0 failed: an injected failure; enqueued since the last good wait: "
            "tenon.neg #5, tenon.neg #6, tenon.neg #7, tenon.neg #8, tenon.neg #9, tenon.neg #10, "
            "tenon.neg #11, tenon.neg #12 (and 4 before)");
}

TEST(DeviceFailure, CheckModeLaunchBlamesTheOne) {
  const DeviceSession session("launch");
  const Tensor x = session.f32(session.sim, {2}, {1, 2});
  const tenon_value v = tensor_value(x.get());
  session.inject(session.sim, "launch", 1);
  EXPECT_EQ(session.status_of("tenon.add", {v, v}), TENON_OK);
  EXPECT_EQ(session.status_of("tenon.mul", {v, v}), TENON_E_DEVICE);
  EXPECT_EQ(session.message(),
            "device sim:0 failed: an injected failure; enqueued since the last good wait: "
            "tenon.mul #3");
  EXPECT_STREQ(session.error().op, "tenon.mul");
  EXPECT_STREQ(session.error().hint, "");
  EXPECT_EQ(session.status_of("tenon.mul", {v, v}), TENON_OK);
}

TEST(DeviceFailure, OfCopiesInBothDirections) {
  const DeviceSession session;
  session.inject(session.sim, "copy");
  const Tensor x = session.f32(session.sim, {2}, {1, 2});
  EXPECT_EQ(session.wait(session.sim), TENON_E_DEVICE);
  EXPECT_EQ(session.message(),
            "device sim:0 failed: an injected failure; enqueued since the last good wait: "
            "sim.inject #1, copy from host memory");
  const Tensor y = session.f32(session.sim, {2}, {1, 2});
  session.inject(session.sim, "copy");
  EXPECT_EQ(read(session, y), TENON_E_DEVICE);
  EXPECT_EQ(session.floats(y), (std::vector<float>{1, 2}));
}

// A failure met by a wait that had to be made for another reason is kept for the next one.
TEST(DeviceFailure, IsNotSwallowedWhereMemoryIsGivenBack) {
  const DeviceSession session;
  const Tensor x = session.f32(session.sim, {2}, {1, 2});
  Tensor large, larger;
  EXPECT_EQ(allocate(session, 40, large), TENON_OK);
  large.reset();
  session.must(session.wait(session.sim));
  session.inject(session.sim, "launch");
  const Tensor y = session.call("tenon.neg", {tensor_value(x.get())});
  // Needs the cached block's room, so it goes back to the device, after a wait.
  EXPECT_EQ(allocate(session, 32, larger), TENON_OK);
  EXPECT_EQ(read(session, y), TENON_E_DEVICE);
  EXPECT_EQ(session.message(),
            "device sim:0 failed: an injected failure; enqueued since the last good wait: "
            "sim.inject #1, tenon.neg #2");
}

TEST(DeviceFailure, OfEventsIsSaid) {
  const DeviceSession session;
  session.inject(session.sim, "event");
  const float data[] = {1, 2};
  tenon_tensor* out = nullptr;
  const int64_t two = 2;
  EXPECT_EQ(tenon_tensor_create_from(session, TENON_DTYPE_F32, &session.sim, 1, &two, data,
                                     sizeof data, &out),
            TENON_E_DEVICE);
  EXPECT_EQ(session.message(), "device sim:0 failed to record an event");
  EXPECT_EQ(session.floats(session.f32(session.sim, {2}, {1, 2})), (std::vector<float>{1, 2}));
}

// What only the device can see wrong arrives with the device's words.
TEST(DeviceFailure, OfDataKeepsItsStatus) {
  const DeviceSession session;
  const NoGrad off(session);
  const Tensor logits = session.f32(session.sim, {2, 3}, {1, 2, 3, 4, 5, 6});
  const int64_t classes[] = {0, 7};
  const Array labels{TENON_DTYPE_I64,
                     {2},
                     {reinterpret_cast<const unsigned char*>(classes),
                      reinterpret_cast<const unsigned char*>(classes + 2)}};
  const Tensor target = session.on(session.sim, labels);
  session.must(session.wait(session.sim));
  const Tensor loss = session.call("tenon.softmax_cross_entropy",
                                   {tensor_value(logits.get()), tensor_value(target.get())});
  EXPECT_EQ(session.wait(session.sim), TENON_E_DATA);
  EXPECT_EQ(session.message(),
            "device sim:0 failed: target[1] is 7, which is not a class below 3 and not -100; "
            "enqueued since the last good wait: tenon.softmax_cross_entropy #1");
  EXPECT_STREQ(session.error().op, "tenon.softmax_cross_entropy");
}

// Contexts share the stream: a failure concerns all that had work in the window, each once.
TEST(DeviceFailure, IsToldToEveryContextThatHadWork) {
  const DeviceSession session;
  const Tensor x = session.f32(session.sim, {2}, {1, 2});
  session.must(session.wait(session.sim));
  tenon_context* second = nullptr;
  tenon_context* third = nullptr;
  session.must(tenon_context_create(session.runtime(), nullptr, &second));
  session.must(tenon_context_create(session.runtime(), nullptr, &third));
  session.inject(session.sim, "launch");
  const tenon_value v = tensor_value(x.get());
  const Tensor mine = session.call("tenon.neg", {v});
  tenon_tensor* made = nullptr;
  session.must(tenon_op_call(second, session.find("tenon.neg"), &v, 1, nullptr, 0, &made, 1));
  const Tensor theirs(made);
  const std::string words =
      "device sim:0 failed: an injected failure; enqueued since the last good wait: "
      "sim.inject #1, tenon.neg #2, tenon.neg #1";
  EXPECT_EQ(session.wait(session.sim), TENON_E_DEVICE);
  EXPECT_EQ(session.message(), words);
  float data[2] = {};
  EXPECT_EQ(tenon_tensor_get_data(third, x.get(), data, sizeof data), TENON_OK);
  EXPECT_EQ(tenon_tensor_get_data(second, theirs.get(), data, sizeof data), TENON_E_DEVICE);
  tenon_error error{};
  error.struct_size = sizeof error;
  session.must(tenon_context_get_error(second, &error));
  EXPECT_EQ(error.message, words);
  EXPECT_EQ(tenon_tensor_get_data(second, theirs.get(), data, sizeof data), TENON_OK);
  EXPECT_EQ(session.wait(session.sim), TENON_OK);
  tenon_context_release(second);
  tenon_context_release(third);
}

TEST(DeviceFailure, OfAKernelDoesNotTouchOtherDevices) {
  const DeviceSession session;
  const tenon_device other = session.device("sim", 1);
  const Tensor x = session.f32(session.sim, {2}, {1, 2});
  const Tensor y = session.f32(other, {2}, {3, 4});
  session.inject(session.sim, "launch");
  const Tensor a = session.call("tenon.neg", {tensor_value(x.get())});
  const Tensor b = session.call("tenon.neg", {tensor_value(y.get())});
  EXPECT_EQ(session.floats(b), (std::vector<float>{-3, -4}));
  EXPECT_NE(read(session, a), TENON_OK);
}

TEST(DeviceFailure, UnknownFaultsAreRefused) {
  const DeviceSession session;
  session.must(tenon_context_set_device(session, &session.sim));
  EXPECT_EQ(session.status_of("sim.live", {}, {{"what", text_value("dragons")}}),
            TENON_E_ATTRIBUTE);
  EXPECT_STREQ(session.error().operand, "what");
}

// ---- Memory -------------------------------------------------------------------------------------

TEST(DeviceMemoryLimit, FullIsAnErrorAndReleasingHelps) {
  const DeviceSession session;
  Tensor a, b, c;
  EXPECT_EQ(allocate(session, 40, a), TENON_OK);
  EXPECT_EQ(allocate(session, 32, b), TENON_E_MEMORY);
  a.reset();  // kept by the runtime, and given back to make room for another size
  EXPECT_EQ(allocate(session, 56, b), TENON_OK);
  EXPECT_EQ(allocate(session, 16, c), TENON_E_MEMORY);
  b.reset();
  EXPECT_EQ(allocate(session, 16, c), TENON_OK);
}

TEST(DeviceMemoryLimit, RefusedOnceIsTriedAgain) {
  const DeviceSession session;
  Tensor a, b;
  session.inject(session.sim, "alloc");
  EXPECT_EQ(allocate(session, 1, a), TENON_E_MEMORY) << "nothing to give back";
  EXPECT_EQ(allocate(session, 1, a), TENON_OK);
  a.reset();
  session.inject(session.sim, "alloc");
  EXPECT_EQ(allocate(session, 2, b), TENON_OK) << "the cached block goes back first";
}

// ---- A lost device ------------------------------------------------------------------------------

TEST(DeviceLost, FailsEverythingButReleases) {
  const DeviceSession session;
  const tenon_device other = session.device("sim", 1);
  const Tensor x = session.f32(session.sim, {2}, {1, 2});
  const Tensor y = session.f32(other, {2}, {3, 4});
  session.must(session.wait(session.sim));
  session.inject(session.sim, "lost", 1);
  const tenon_value v = tensor_value(x.get());
  const Tensor fine = session.call("tenon.add", {v, v});  // queued before
  EXPECT_EQ(session.status_of("tenon.mul", {v, v}), TENON_E_DEVICE_LOST);
  const std::string words = "device sim:0 is lost, noticed by tenon.mul #3";
  EXPECT_EQ(session.message(), words);
  EXPECT_STREQ(session.error().hint,
               "release what is on it; start a new runtime once the device is back");
  const auto expect_lost = [&](tenon_status status, const char* what) {
    EXPECT_EQ(status, TENON_E_DEVICE_LOST) << what;
    EXPECT_EQ(session.message(), words) << what;
  };
  expect_lost(session.status_of("tenon.add", {v, v}), "launch");
  expect_lost(read(session, x), "read");
  expect_lost(session.wait(session.sim), "wait");
  const float data[] = {1, 2};
  expect_lost(tenon_tensor_set_data(session, x.get(), data, sizeof data), "write");
  tenon_tensor* out = nullptr;
  const int64_t two = 2;
  expect_lost(tenon_tensor_create(session, TENON_DTYPE_F32, &session.sim, 1, &two, &out), "create");
  expect_lost(tenon_tensor_create_copy(session, x.get(), &session.cpu, &out), "copy out");
  expect_lost(tenon_tensor_create_copy(session, y.get(), &session.sim, &out), "copy in");
  const int64_t shape[] = {2, 1};
  tenon_value to{TENON_VALUE_INT_LIST, 2, {}};
  to.as.ints = shape;
  expect_lost(session.status_of("tenon.reshape", {v}, {{"shape", to}}), "view");
  const Json json = session.device_json("sim");
  EXPECT_EQ(json.at("lost"), Json::array({words}));
  EXPECT_TRUE(json.at("usable"));
  // The other one goes on.
  EXPECT_EQ(session.floats(session.call("tenon.neg", {tensor_value(y.get())})),
            (std::vector<float>{-3, -4}));
  EXPECT_EQ(tenon_device_wait(session, nullptr), TENON_E_DEVICE_LOST);
}

TEST(DeviceLost, NoticedByAWait) {
  const DeviceSession session("launch");
  const Tensor x = session.f32(session.sim, {2}, {1, 2});
  const DeviceSession calm;
  const Tensor y = calm.f32(calm.sim, {2}, {1, 2});
  calm.must(calm.wait(calm.sim));
  calm.inject(calm.sim, "delay", 0, 1, 1000);
  calm.inject(calm.sim, "lost", 1);
  const Tensor z = calm.call("tenon.neg", {tensor_value(y.get())});
  // The copy to the host is the one that finds out.
  EXPECT_EQ(read(calm, z), TENON_E_DEVICE_LOST);
  EXPECT_EQ(calm.message(), "device sim:0 is lost, noticed by the request to copy 8 bytes");
  // Devices of another runtime are others.
  EXPECT_EQ(session.floats(x), (std::vector<float>{1, 2}));
}

TEST(DeviceLost, BackwardOptimizerAndPlanFailCleanly) {
  const DeviceSession session;
  const Tensor x = session.f32(session.sim, {2}, {1, 2});
  session.must(tenon_tensor_set_requires_grad(session, x.get(), 1));
  const tenon_value v = tensor_value(x.get());
  const Tensor loss =
      session.call("tenon.sum", {tensor_value(session.call("tenon.mul", {v, v}).get())});
  tenon_plan* plan = nullptr;
  {
    const NoGrad off(session);
    session.must(tenon_capture_begin(session, nullptr, 0));
    const Tensor y = session.call("tenon.neg", {v});
    session.must(tenon_capture_end(session, &plan));
  }
  session.inject(session.sim, "lost");
  tenon_tensor* root = loss.get();
  EXPECT_EQ(tenon_backward_run(session, &root, nullptr, 1, 0), TENON_E_DEVICE_LOST);
  EXPECT_EQ(tenon_plan_run(session, plan), TENON_E_DEVICE_LOST);
  tenon_plan_release(plan);
}

// ---- What the runtime says about devices --------------------------------------------------------

TEST(DeviceQuery, SaysWhatADeviceCanDo) {
  const DeviceSession session;
  const Json sim = session.device_json("sim");
  EXPECT_EQ(sim.at("count"), 2);
  EXPECT_TRUE(sim.at("usable"));
  EXPECT_TRUE(sim.at("autograd")) << sim.at("autograd_reason");
  EXPECT_TRUE(sim.at("asynchronous"));
  EXPECT_TRUE(sim.at("pinned"));
  EXPECT_FALSE(sim.at("host_memory"));
  EXPECT_TRUE(sim.at("lost").empty());
  EXPECT_TRUE(sim.at("roles").at("missing").empty());
  const Json cpu = session.device_json("cpu");
  EXPECT_FALSE(cpu.at("asynchronous"));
  EXPECT_FALSE(cpu.at("pinned"));
  EXPECT_TRUE(cpu.at("usable"));
}

}  // namespace
}  // namespace tenon::tests
