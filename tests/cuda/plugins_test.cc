// SPDX-License-Identifier: Apache-2.0
// tests/cuda/plugins_test.cc: tenon.cuda and the emulated one in one runtime: one's kernels may be
// called for the other's device.
#include <gmock/gmock.h>

#include <filesystem>

#include "tests/cuda/cuda_support.h"

namespace tenon::tests {
namespace {

TEST(CudaPlugins, AKernelRefusesTheDeviceOfAnother) {
  if (!std::filesystem::exists(std::string(plugin_dir()) + "/tenon.cuda")) {
    GTEST_SKIP() << "tenon.cuda is not built here";
  }
  // The first has the device.
  const Session session({std::string(build_dir()) + "/cuda_plugins", plugin_dir()}, 1);
  tenon_device cuda{};
  session.must(tenon_device_find(session, "cuda", TENON_NUL, 0, &cuda));
  const float numbers[] = {1, 2};
  const int64_t shape[] = {2};
  tenon_tensor* x = nullptr;
  session.must(tenon_tensor_create_from(session, TENON_DTYPE_F32, &cuda, 1, shape, numbers,
                                        sizeof numbers, &x));
  const Tensor own(x);
  const tenon_value inputs[] = {tensor_value(x)};
  tenon_tensor* y = nullptr;
  const tenon_status status =
      tenon_op_call(session, session.find("tenon.relu"), inputs, 1, nullptr, 0, &y, 1);
  const Tensor result(y);
  if (status == TENON_OK) return;  // by the kernels that belong to the device
  EXPECT_EQ(status, TENON_E_DEVICE);
  EXPECT_THAT(session.failure(), testing::HasSubstr("the device is another plugin's"));
}

}  // namespace
}  // namespace tenon::tests
