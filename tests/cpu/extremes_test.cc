// SPDX-License-Identifier: Apache-2.0
// tests/cpu/extremes_test.cc: the largest, the smallest and their places in a line so long that it
// is searched in pieces: the same as tenon.ref finds, which goes through it once.
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/cpu/same_bits_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

constexpr int64_t kCount = 300001;

class CpuExtremes : public testing::Test {
 protected:
  void SetUp() override {
#if !defined(TENON_TEST_CPU)
    GTEST_SKIP() << "tenon.cpu was not built here";
#endif
  }

  // Zeros, but for `value` at `places`.
  void expect_same_bits_with(float value, const std::vector<int64_t>& places) {
    for (const char* op : {"tenon.max", "tenon.min", "tenon.argmax", "tenon.argmin"}) {
      Case each = make_case({op, "f32[" + std::to_string(kCount) + "]", "", TENON_OK});
      std::vector<float> numbers(kCount, 0.0F);
      for (const int64_t place : places) numbers[static_cast<size_t>(place)] = value;
      std::memcpy(each.arrays[0].bytes.data(), numbers.data(), numbers.size() * sizeof(float));
      for (const Layout layout : {Layout::RowMajor, Layout::Negative}) {
        const Outcome wanted = run_pinned(session, "tenon.ref", each, {layout});
        const Outcome found = run_pinned(session, "tenon.cpu", each, {layout});
        ASSERT_FALSE(wanted.outputs.empty()) << each.label;
        expect_same(wanted.outputs, found.outputs,
                    each.label + " with " + std::to_string(value) + " at " +
                        std::to_string(places.front()));
      }
    }
  }

  Session session{std::vector<std::string>{plugin_dir()}, 2};
};

TEST_F(CpuExtremes, OfLongLinesAreTheFirst) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  for (const float value : {1.0F, -1.0F, -0.0F, kNan}) {
    expect_same_bits_with(value, {0});
    expect_same_bits_with(value, {kCount - 1});
    expect_same_bits_with(value, {33332, 33333, 33334, 200000});
    expect_same_bits_with(value, {40000, 299999});
  }
}

// A bias that is absent adds nothing, not even to the sign of a zero.
TEST_F(CpuExtremes, ZerosKeepTheirSignWithoutABias) {
  const std::pair<const char*, const char*> calls[] = {
      {"tenon.layer_norm", "f32[2,3]{2.0,2.0,2.0,-1.0,-1.0,-1.0}, f32[3]{-1.0,1.0,-3.0}"},
      {"tenon.layer_norm", "f64[2,2]{0.0,0.0,-0.0,-0.0}, f64[2]{-1.0,2.0}"},
      {"tenon.rms_norm", "f64[2,2]{0.0,0.0,-0.0,-0.0}, f64[2]{-1.0,2.0}"}};
  for (const auto& [op, text] : calls) {
    const Case each = make_case({op, text, "", TENON_OK});
    const std::vector<Layout> layouts(2, Layout::RowMajor);
    const Outcome wanted = run_pinned(session, "tenon.ref", each, layouts);
    const Outcome found = run_pinned(session, "tenon.cpu", each, layouts);
    expect_same(wanted.outputs, found.outputs, each.label);
  }
}

}  // namespace
}  // namespace tenon::tests
