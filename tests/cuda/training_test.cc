// SPDX-License-Identifier: Apache-2.0
// tests/cuda/training_test.cc: networks train on the emulated GPU as on the host, and tensors move
// there and back.
#include "tests/cuda/cuda_support.h"
#include "tests/device/training_support.h"

namespace tenon::tests {
namespace {

TEST(CudaTraining, FallsAsOnTheHost) {
  const CudaSession session;
  expect_same_training(session);
  EXPECT_EQ(session.stats().nodes, 0);
}

TEST(CudaTransfer, RoundTripsKeepEveryBit) {
  const CudaSession session;
  const tenon_device other = session.device("cuda", 1);
  for (const tenon_dtype dtype : kDtypes) {
    for (const Layout layout : kLayouts) {
      const Array array = pattern(dtype, {3, 4, 5});
      const Placed host(session, array, layout);
      const Tensor there = session.call(
          "tenon.to", {tensor_value(host.get())},
          {{"kind", int_value(session.cuda.kind)}, {"index", int_value(session.cuda.index)}});
      const Tensor back = session.to(session.cpu, session.to(other, there));
      EXPECT_EQ(contents_of(session, there.get()), array) << name_of(layout);
      EXPECT_EQ(contents_of(session, back.get()), array) << name_of(layout);
    }
  }
}

TEST(CudaTransfer, StridedOnTheDeviceToo) {
  const CudaSession session;
  for (const tenon_dtype dtype : kDtypes) {
    for (const Layout layout :
         {Layout::Transposed, Layout::Gapped, Layout::Negative, Layout::Stepped}) {
      const Array array = pattern(dtype, {40, 33});
      const PlacedApart placed(session, session.cuda, array, layout);
      EXPECT_EQ(contents_of(session, placed.get()), array) << name_of(layout);
    }
  }
}

tenon_tensor_info info_of(const Session& session, const Tensor& x) {
  tenon_tensor_info info{};
  info.struct_size = sizeof info;
  session.must(tenon_tensor_get_info(session, x.get(), &info));
  return info;
}

// A parameter on the host whose use is on the GPU: its gradient comes back to the host.
TEST(CudaTransfer, GradientsComeBack) {
  const CudaSession session;
  const Tensor x = session.f32(session.cpu, {3}, {1, -2, 3});
  session.must(tenon_tensor_set_requires_grad(session, x.get(), 1));
  const Tensor there = session.to(session.cuda, x);
  EXPECT_FALSE(info_of(session, there).flags & TENON_TENSOR_LEAF);
  const Tensor square =
      session.call("tenon.mul", {tensor_value(there.get()), tensor_value(there.get())});
  const Tensor sum = session.call("tenon.sum", {tensor_value(square.get())});
  tenon_tensor* root = sum.get();
  session.must(tenon_backward_run(session, &root, nullptr, 1, 0));
  tenon_tensor* grad = nullptr;
  session.must(tenon_tensor_get_grad(session, x.get(), &grad));
  const Tensor held(grad);
  EXPECT_EQ(session.floats(held), (std::vector<float>{2, -4, 6}));
}

TEST(CudaTransfer, ACopyIsANewLeaf) {
  const CudaSession session;
  const Tensor x = session.f32(session.cpu, {2}, {1, 2});
  session.must(tenon_tensor_set_requires_grad(session, x.get(), 1));
  const Tensor y = session.call("tenon.mul", {tensor_value(x.get()), real_value(2)});
  tenon_tensor* made = nullptr;
  session.must(tenon_tensor_create_copy(session, y.get(), &session.cuda, &made));
  const Tensor leaf(made);
  EXPECT_TRUE(info_of(session, leaf).flags & TENON_TENSOR_LEAF);
  EXPECT_FALSE(info_of(session, leaf).flags & TENON_TENSOR_REQUIRES_GRAD);
  EXPECT_EQ(session.floats(leaf), (std::vector<float>{2, 4}));
}

}  // namespace
}  // namespace tenon::tests
