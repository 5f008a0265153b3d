// SPDX-License-Identifier: Apache-2.0
// tests/device/clone_test.cc: clones that keep strides, in memory of a device.
#include "tests/device/device_support.h"

namespace tenon::tests {
namespace {

std::vector<int64_t> strides_of(const Session& session, tenon_tensor* x) {
  tenon_view view{};
  session.must(tenon_tensor_get_view(session, x, &view));
  return {view.strides, view.strides + view.rank};
}

Tensor clone(const Session& session, tenon_tensor* x) {
  tenon_tensor* made = nullptr;
  session.must(tenon_tensor_create_clone(session, x, TENON_CLONE_PRESERVE, &made));
  return Tensor(made);
}

void expect_clone(const DeviceSession& session, tenon_tensor* x) {
  const Tensor kept = clone(session, x);
  EXPECT_EQ(strides_of(session, kept.get()), strides_of(session, x));
  EXPECT_EQ(contents_of(session, kept.get()), contents_of(session, x));
  tenon_view view{};
  session.must(tenon_tensor_get_view(session, kept.get(), &view));
  EXPECT_EQ(view.device.kind, session.sim.kind);
}

TEST(DeviceClones, KeepEveryLayout) {
  const DeviceSession session;
  for (const tenon_dtype dtype : kDtypes) {
    for (const Layout layout : {Layout::RowMajor, Layout::Transposed, Layout::Gapped,
                                Layout::Stepped, Layout::Negative}) {
      SCOPED_TRACE(name_of(layout));
      const PlacedApart placed(session, session.sim, pattern(dtype, {3, 4, 5}), layout);
      expect_clone(session, placed.get());
    }
  }
}

TEST(DeviceClones, CopySharedElementsOnce) {
  const DeviceSession session;
  const Tensor base = session.on(session.sim, pattern(TENON_DTYPE_F64, {20}));
  const int64_t shape[] = {4, 3};
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{0, 1}, {1, 1}, {-2, 4}}) {
    const int64_t strides[] = {rows, columns};
    tenon_tensor* made = nullptr;
    session.must(tenon_tensor_create_view(session, base.get(), 2, shape, strides, 8, &made));
    const Tensor window(made);
    expect_clone(session, window.get());
  }
}

}  // namespace
}  // namespace tenon::tests
