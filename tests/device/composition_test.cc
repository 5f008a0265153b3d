// SPDX-License-Identifier: Apache-2.0
// tests/device/composition_test.cc: what the simulated device has no kernel for and runs as other
// ops: Adam's steps, which write parameters and means of any layout in place.
#include <algorithm>
#include <cmath>
#include <set>
#include <tenon/sdk/dtypes.hpp>

#include "tests/device/device_support.h"

namespace tenon::tests {
namespace {

constexpr Layout kHere[] = {Layout::RowMajor, Layout::Transposed, Layout::Gapped,
                            Layout::Offset,   Layout::Stepped,    Layout::Negative};

// beta^t comes from exp and log in a composition, so the last bits may differ from a kernel's.
void expect_close(const Array& expected, const Array& found, const std::string& what) {
  ASSERT_EQ(expected.dtype, found.dtype) << what;
  const double room = expected.dtype == TENON_DTYPE_F64 ? 1e-14 : 3e-7;
  sdk::dispatch_dtype(expected.dtype, [&]<class T>() {
    for (size_t i = 0; i < expected.count(); ++i) {
      const auto a = static_cast<double>(sdk::load<T>(expected.bytes.data() + i * sizeof(T)));
      const auto b = static_cast<double>(sdk::load<T>(found.bytes.data() + i * sizeof(T)));
      if (a == b || (std::isnan(a) && std::isnan(b))) continue;
      EXPECT_LE(std::fabs(a - b), room * std::max(1.0, std::fabs(a))) << what << " element " << i;
    }
  });
}

bool narrow(const Case& each) {
  return std::any_of(each.arrays.begin(), each.arrays.end(), [](const Array& array) {
    return array.dtype == TENON_DTYPE_F16 || array.dtype == TENON_DTYPE_BF16;
  });
}

TEST(DeviceComposition, AdamWritesAnyLayoutInPlace) {
  const DeviceSession session;
  const NoGrad off(session);
  std::set<std::string> met;
  for (const Case& each : good_cases()) {
    if ((each.op != "tenon.adam_step" && each.op != "tenon.adamw_step") || narrow(each)) continue;
    met.insert(each.op);
    SCOPED_TRACE(each.label);
    const Outcome expected = run(session, each, Bound(session, each));
    for (const Layout layout : kHere) {
      std::vector<std::unique_ptr<PlacedApart>> placed;
      Bound here(session, each);
      for (size_t i = 0; i < each.arrays.size(); ++i) {
        placed.push_back(
            std::make_unique<PlacedApart>(session, session.sim, each.arrays[i], layout));
        here.replace(i, placed.back()->get());
      }
      std::vector<Tensor> made;
      session.must(call(session, each, here.inputs(), 0, made));
      for (size_t i = 0; i < placed.size(); ++i) {
        expect_close(expected.operands[i], contents_of(session, placed[i]->get()),
                     std::string(name_of(layout)) + " operand " + std::to_string(i));
      }
    }
  }
  EXPECT_EQ(met.size(), 2u);
}

}  // namespace
}  // namespace tenon::tests
