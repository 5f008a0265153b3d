// SPDX-License-Identifier: Apache-2.0
// tests/cpu/normal_test.cc: normal in f32 has the same bits from tenon.cpu as from tenon.ref, which
// asks the C library for each number.
#include <string>

#include "tests/conformance/conformance_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

class CpuNormal : public testing::Test {
 protected:
  void SetUp() override {
#if !defined(TENON_TEST_CPU)
    GTEST_SKIP() << "tenon.cpu was not built here";
#endif
  }

  // Numbers by the kernel of `plugin`.
  Array draw(std::string_view plugin, const std::string& text, uint64_t counter) {
    session.must(tenon_runtime_set_pin(session, nullptr, 0, plugin.data(), plugin.size()));
    session.must(tenon_context_set_seed(session, kSeed, 5));
    session.must(tenon_context_set_counter(session, counter));
    const Case each = make_case({"tenon.normal", text, "", TENON_OK});
    std::vector<Tensor> made;
    session.must(call(session, each, {}, 1, made));
    return made.empty() ? Array() : contents_of(session, made[0].get());
  }
  void expect_same_bits(const std::string& text, uint64_t counter = 0) {
    const Array wanted = draw("tenon.ref", text, counter);
    const Array found = draw("tenon.cpu", text, counter);
    ASSERT_GT(wanted.bytes.size(), 0u) << text;
    ASSERT_TRUE(wanted.bytes == found.bytes) << text << ", counter " << counter;
  }

  Session session{std::vector<std::string>{plugin_dir()}, 2};
};

TEST_F(CpuNormal, SameBitsAsTheReference) {
  for (const char* shape : {"[1]", "[2]", "[63]", "[1024]", "[1025]", "[300001]"}) {
    expect_same_bits(std::string("| shape=") + shape);
    expect_same_bits(std::string("| shape=") + shape + ", mean=-3.0, std=0.01", 0xFFFFFFF0u);
  }
}

// The mean is the middle between two f32, and what is added to it is nothing: each number is one
// that the vectors cannot decide.
TEST_F(CpuNormal, SameBitsWhereRoundingIsInDoubt) {
  expect_same_bits("| shape=[1001], mean=1.000000059604644775390625, std=1e-30");
  expect_same_bits("| shape=[1001], mean=1e308, std=1e308");
  expect_same_bits("| shape=[1001], mean=1e-45, std=1e-46");
}

// As many numbers as it takes to meet such that a result one f64 ULP off would round elsewhere.
class CpuNormalSoak : public CpuNormal {};
TEST_F(CpuNormalSoak, AThousandMillionNumbers) {
  constexpr uint64_t kCount = 1 << 20;
  for (uint64_t first = 0; first < 1'000'000'000; first += kCount) {
    ASSERT_NO_FATAL_FAILURE(
        expect_same_bits("| shape=[" + std::to_string(kCount) + "]", first / 4));
  }
}

}  // namespace
}  // namespace tenon::tests
