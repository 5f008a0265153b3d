// SPDX-License-Identifier: Apache-2.0
// tests/device/transfer_test.cc: moving tensors between devices: tenon.to, copies, gradients.
#include <tenon/sdk/plugin/dtypes.hpp>

#include "tests/device/device_support.h"

namespace tenon::tests {
namespace {

tenon_device device_of(const Session& session, const Tensor& x) {
  tenon_view view{};
  session.must(tenon_tensor_get_view(session, x.get(), &view));
  return view.device;
}

TEST(DeviceTransfer, RoundTripsKeepEveryBit) {
  const DeviceSession session;
  const tenon_device other = session.device("sim", 1);
  for (const tenon_dtype dtype : kDtypes) {
    for (const Layout layout : {Layout::RowMajor, Layout::Transposed, Layout::Gapped,
                                Layout::Stepped, Layout::Negative, Layout::Spread}) {
      const Array array = pattern(dtype, {3, 4, 5});
      const bool spread = layout == Layout::Spread;
      const Placed host(session, spread ? pattern(dtype, {1, 1, 1}) : array,
                        spread ? Layout::RowMajor : layout);
      tenon_tensor* made = host.get();
      Tensor repeated;
      if (spread) {
        const int64_t shape[] = {3, 4, 5};
        const int64_t strides[] = {0, 0, 0};
        session.must(tenon_tensor_create_view(session, host.get(), 3, shape, strides, 1, &made));
        repeated.reset(made);
      }
      const Array expected = contents_of(session, made);
      const Tensor there = session.call(
          "tenon.to", {tensor_value(made)},
          {{"kind", int_value(session.sim.kind)}, {"index", int_value(session.sim.index)}});
      const Tensor further = session.to(other, there);
      const Tensor back = session.to(session.cpu, further);
      EXPECT_EQ(device_of(session, further).index, 1);
      EXPECT_EQ(device_of(session, back).kind, session.cpu.kind);
      EXPECT_EQ(contents_of(session, there.get()), expected) << name_of(layout);
      EXPECT_EQ(contents_of(session, back.get()), expected) << name_of(layout);
    }
  }
}

TEST(DeviceTransfer, StridedOnTheDeviceToo) {
  const DeviceSession session;
  for (const tenon_dtype dtype : {TENON_DTYPE_BOOL, TENON_DTYPE_F64}) {
    for (const Layout layout : {Layout::Transposed, Layout::Negative, Layout::Stepped}) {
      const Array array = pattern(dtype, {4, 3});
      const PlacedApart placed(session, session.sim, array, layout);
      EXPECT_EQ(contents_of(session, placed.get()), array) << name_of(layout);
    }
  }
}

TEST(DeviceTransfer, SameDeviceIsACopy) {
  const DeviceSession session;
  const Tensor x = session.f32(session.sim, {2}, {1, 2});
  const Tensor y = session.to(session.sim, x);
  const float other[] = {8, 9};
  session.must(tenon_tensor_set_data(session, y.get(), other, sizeof other));
  EXPECT_EQ(session.floats(x), (std::vector<float>{1, 2}));
  EXPECT_EQ(session.floats(y), (std::vector<float>{8, 9}));
}

TEST(DeviceTransfer, IntoAGivenOutput) {
  const DeviceSession session;
  const Tensor x = session.f32(session.cpu, {2, 2}, {1, 2, 3, 4});
  const Tensor out = session.f32(session.sim, {2, 2}, {0, 0, 0, 0});
  const tenon_value input = tensor_value(x.get());
  const tenon_value attrs[] = {int_value(session.sim.kind), int_value(session.sim.index)};
  tenon_tensor* outputs[] = {out.get()};
  const tenon_op* op = session.find("tenon.to");
  session.must(tenon_op_call_into(session, op, &input, 1, attrs, 2, outputs, 1));
  EXPECT_EQ(session.floats(out), (std::vector<float>{1, 2, 3, 4}));
  outputs[0] = x.get();
  EXPECT_EQ(tenon_op_call_into(session, op, &input, 1, attrs, 2, outputs, 1), TENON_E_DEVICE);
  EXPECT_EQ(session.message(), "tenon.to: output \"out\" is on another device");
  EXPECT_STREQ(session.error().expected, "sim:0");
}

TEST(DeviceTransfer, UnknownTargetsAreNamed) {
  const DeviceSession session;
  const Tensor x = session.f32(session.cpu, {1}, {1});
  EXPECT_FALSE(session.try_call("tenon.to", {tensor_value(x.get())},
                                {{"kind", int_value(77)}, {"index", int_value(0)}}));
  EXPECT_EQ(session.message(), "tenon.to: there is no device kind with id 77");
  EXPECT_STREQ(session.error().operand, "kind");
  EXPECT_FALSE(session.try_call("tenon.to", {tensor_value(x.get())},
                                {{"kind", int_value(session.sim.kind)}, {"index", int_value(2)}}));
  EXPECT_EQ(session.message(), "tenon.to: device sim:2 does not exist");
  EXPECT_STREQ(session.error().operand, "index");
  EXPECT_STREQ(session.error().op, "tenon.to");
}

// x on the host, squared there; the rest on the device; the loss on the host again.
TEST(DeviceTransfer, GradientsCrossDevices) {
  const DeviceSession session;
  const Tensor x = session.f32(session.cpu, {3}, {1, -2, 3});
  session.must(tenon_tensor_set_requires_grad(session, x.get(), 1));
  const Tensor square = session.call("tenon.mul", {tensor_value(x.get()), tensor_value(x.get())});
  const Tensor there = session.to(session.sim, square);
  const Tensor tripled = session.call("tenon.mul", {tensor_value(there.get()), real_value(3)});
  const Tensor sum = session.call("tenon.sum", {tensor_value(tripled.get())});
  const Tensor loss = session.to(session.cpu, sum);
  tenon_tensor* root = loss.get();
  session.must(tenon_backward_run(session, &root, nullptr, 1, 0));
  tenon_tensor* grad = nullptr;
  session.must(tenon_tensor_get_grad(session, x.get(), &grad));
  EXPECT_EQ(device_of(session, x).kind, session.cpu.kind);
  const Array values = contents_of(session, grad);
  std::vector<float> found(3);
  ASSERT_EQ(values.bytes.size(), 12u);
  std::memcpy(found.data(), values.bytes.data(), 12);
  EXPECT_EQ(found, (std::vector<float>{6, -12, 18}));
}

// d/dx of (d/dx x^3 through the device) = 6x.
TEST(DeviceTransfer, GradientsOfGradientsCrossToo) {
  const DeviceSession session;
  const Tensor x = session.f32(session.cpu, {}, {2});
  session.must(tenon_tensor_set_requires_grad(session, x.get(), 1));
  const Tensor there = session.to(session.sim, x);
  const tenon_value t = tensor_value(there.get());
  const Tensor square = session.call("tenon.mul", {t, t});
  const Tensor cube =
      session.to(session.cpu, session.call("tenon.mul", {tensor_value(square.get()), t}));
  tenon_tensor* root = cube.get();
  tenon_tensor* input = x.get();
  tenon_tensor* first = nullptr;
  session.must(tenon_gradient_call(session, &root, nullptr, 1, &input, 1,
                                   TENON_BACKWARD_CREATE_GRAPH, &first));
  const Tensor slope(first);
  EXPECT_EQ(session.item(slope), 12);
  tenon_tensor* second = nullptr;
  session.must(tenon_gradient_call(session, &first, nullptr, 1, &input, 1, 0, &second));
  EXPECT_EQ(session.item(Tensor(second)), 12);
}

TEST(DeviceTransfer, ACopyIsANewLeaf) {
  const DeviceSession session;
  const Tensor x = session.f32(session.cpu, {2}, {1, 2});
  session.must(tenon_tensor_set_requires_grad(session, x.get(), 1));
  const Tensor y = session.call("tenon.mul", {tensor_value(x.get()), real_value(2)});
  tenon_tensor* made = nullptr;
  session.must(tenon_tensor_create_copy(session, y.get(), &session.sim, &made));
  const Tensor leaf(made);
  tenon_tensor_info info{};
  info.struct_size = sizeof info;
  session.must(tenon_tensor_get_info(session, made, &info));
  EXPECT_TRUE(info.flags & TENON_TENSOR_LEAF);
  EXPECT_FALSE(info.flags & TENON_TENSOR_REQUIRES_GRAD);
  EXPECT_EQ(session.floats(leaf), (std::vector<float>{2, 4}));
  // The one that is recorded is not.
  session.must(tenon_tensor_get_info(session, session.to(session.sim, y).get(), &info));
  EXPECT_FALSE(info.flags & TENON_TENSOR_LEAF);
}

TEST(DeviceTransfer, CannotBeCaptured) {
  const DeviceSession session;
  const Tensor x = session.f32(session.cpu, {2}, {1, 2});
  session.must(tenon_capture_begin(session, nullptr, 0));
  EXPECT_FALSE(session.try_call("tenon.to", {tensor_value(x.get())},
                                {{"kind", int_value(session.sim.kind)}, {"index", int_value(0)}}));
  EXPECT_EQ(session.message(), "tenon.to: a copy between devices cannot be captured");
  EXPECT_EQ(session.error().status, TENON_E_CAPTURE);
  EXPECT_STREQ(session.error().found, "cpu:0 to sim:0");
  tenon_plan* plan = nullptr;
  session.must(tenon_capture_end(session, &plan));
  tenon_plan_release(plan);
}

TEST(DeviceTransfer, ExplainSaysThatNoKernelRuns) {
  const DeviceSession session;
  const Tensor x = session.f32(session.sim, {2}, {1, 2});
  const tenon_value input = tensor_value(x.get());
  const tenon_value attrs[] = {int_value(session.cpu.kind), int_value(0)};
  tenon_text* text = nullptr;
  session.must(tenon_op_explain(session, session.find("tenon.to"), &input, 1, attrs, 2, &text));
  const char* words = nullptr;
  ASSERT_EQ(tenon_text_get(text, &words, nullptr), TENON_OK);
  const Json json = Json::parse(words);
  EXPECT_EQ(json.at("chosen"), "transfer");
  EXPECT_EQ(json.at("device"), "sim:0");
  EXPECT_EQ(json.at("backward").at("plugin"), "tenon.ops");
  tenon_text_release(text);
}

}  // namespace
}  // namespace tenon::tests
