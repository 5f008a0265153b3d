// SPDX-License-Identifier: Apache-2.0
// tests/cpu/normal_test.cc: normal and truncated_normal in f32 have the same bits from tenon.cpu as
// from tenon.ref, which asks the C library for each number.
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
    const Case each = make_case({op, text, "", TENON_OK});
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

  std::string op = "tenon.normal";
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

// Both tails, one of them, the middle alone, and a tail so far out that no vector decides.
TEST_F(CpuNormal, TruncatedHasTheSameBitsAsTheReference) {
  op = "tenon.truncated_normal";
  for (const char* shape : {"[1]", "[63]", "[1024]", "[1025]", "[300001]"}) {
    expect_same_bits(std::string("| shape=") + shape);
    expect_same_bits(std::string("| shape=") + shape + ", low=-1e30, high=1e30", 0xFFFFFFF0u);
  }
  for (const char* of :
       {"low=1.0, high=7.0", "low=-9.0, high=-1.5", "low=-0.5, high=0.25", "low=8.0, high=9.0",
        "low=-1e300, high=6.5, std=2.0", "mean=3.0, std=0.01, low=2.99, high=3.02",
        "std=1e30, low=-1.0, high=2.0", "low=1.0, high=1.0000001"}) {
    expect_same_bits(std::string("| shape=[10001], ") + of);
  }
}

TEST_F(CpuNormal, TruncatedHasTheSameBitsWhereRoundingIsInDoubt) {
  op = "tenon.truncated_normal";
  for (const char* of :
       {"mean=1.000000059604644775390625, std=1e-30", "mean=1e308, std=1e308, high=1.5e308",
        "mean=1e-45, std=1e-46", "std=1e308, low=-1.7e308, high=1.7e308"}) {
    expect_same_bits(std::string("| shape=[1001], ") + of);
  }
}

// As many numbers as it takes to meet such that a result one f64 ULP off would round elsewhere.
class CpuNormalSoak : public CpuNormal {
 protected:
  void expect_same_bits_of_many() {
    constexpr uint64_t kCount = 1 << 20;
    for (uint64_t first = 0; first < 1'000'000'000; first += kCount) {
      ASSERT_NO_FATAL_FAILURE(
          expect_same_bits("| shape=[" + std::to_string(kCount) + "]", first / 4));
    }
  }
};
TEST_F(CpuNormalSoak, AThousandMillionNumbers) { expect_same_bits_of_many(); }
TEST_F(CpuNormalSoak, AThousandMillionTruncatedNumbers) {
  op = "tenon.truncated_normal";
  expect_same_bits_of_many();
}

}  // namespace
}  // namespace tenon::tests
