// SPDX-License-Identifier: Apache-2.0
// tests/conformance/initial_values_test.cc: truncated_normal and orthogonal: distribution, bounds,
// orthogonality, the counter, and the same bits for any threads and layout. Bounds of statistics
// lie five standard deviations out, or where chance exceeds them once in a million; the seed is
// fixed.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <tenon/sdk/plugin/dtypes.hpp>

#include "tests/conformance/conformance_support.h"
#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

std::vector<double> numbers_of(const Array& array) {
  std::vector<double> all;
  for (size_t i = 0; i < array.count(); ++i) {
    const unsigned char* at = array.bytes.data() + i * size_of(array.dtype);
    const bool narrow = array.dtype == TENON_DTYPE_F32;
    all.push_back(narrow ? double{sdk::load<float>(at)} : sdk::load<double>(at));
  }
  return all;
}

Array drawn(const Session& session, const std::string& op, const std::string& text) {
  const Case each = make_case({op, text, "", TENON_OK});
  std::vector<Tensor> made;
  session.must(call(session, each, {}, 1, made));
  return made.empty() ? Array() : contents_of(session, made[0].get());
}

class ConformanceInitialValues : public testing::Test {
 protected:
  void SetUp() override { session.must(tenon_context_set_seed(session, kSeed, 1)); }
  std::vector<double> draw(const std::string& op, const std::string& text) {
    return numbers_of(drawn(session, op, text));
  }
  uint64_t counter() {
    uint64_t counter = 0;
    session.must(tenon_context_get_seed(session, nullptr, nullptr, &counter));
    return counter;
  }
  Session session;
};

double below(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }
double density(double z) { return std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi); }

double chi_square(const std::vector<double>& found, double expected) {
  double sum = 0;
  for (const double each : found) sum += (each - expected) * (each - expected) / expected;
  return sum;
}

// Moments as in N. Johnson, S. Kotz, N. Balakrishnan, "Continuous Univariate Distributions", 1994,
// 13.10; and how many are in each of sixteen parts of equal probability.
TEST_F(ConformanceInitialValues, TruncatedNormalHasItsDistribution) {
  constexpr double kMean = 1, kStd = 2, kCount = 32000;
  for (const char* dtype : {"f32", "f64"}) {
    for (const auto& [low, high] : {std::pair{-3.0, 5.0}, {0.0, 4.5}, {7.0, 9.0}, {-9.0, -4.0}}) {
      SCOPED_TRACE(std::string(dtype) + " from " + std::to_string(low));
      const double a = (low - kMean) / kStd, b = (high - kMean) / kStd;
      const double inside = below(b) - below(a);
      const double shift = (density(a) - density(b)) / inside;
      const double spread = 1 + (a * density(a) - b * density(b)) / inside - shift * shift;  // of z
      std::vector<double> parts(16, 0.0);
      double sum = 0, squares = 0;
      for (const double y : draw("tenon.truncated_normal",
                                 "| shape=[32000], mean=1.0, std=2.0, low=" + std::to_string(low) +
                                     ", high=" + std::to_string(high) + ", dtype=" + dtype)) {
        ASSERT_GE(y, low);
        ASSERT_LE(y, high);
        const double z = (y - kMean) / kStd;
        sum += z;
        squares += z * z;
        const double part = 16 * (below(z) - below(a)) / inside;
        parts[static_cast<size_t>(std::clamp(part, 0.0, 15.0))] += 1;
      }
      const double mean = sum / kCount;
      EXPECT_NEAR(mean, shift, 5 * std::sqrt(spread / kCount));
      EXPECT_NEAR(squares / kCount - mean * mean, spread, 0.05 * spread);
      EXPECT_LT(chi_square(parts, kCount / 16), 58.0);
    }
  }
}

// Bounds that are not numbers of f32 are kept too.
TEST_F(ConformanceInitialValues, TruncatedNormalKeepsItsBounds) {
  const auto y = draw("tenon.truncated_normal", "| shape=[20000], low=0.1, high=0.10000003");
  EXPECT_GE(*std::min_element(y.begin(), y.end()), 0.1);
  EXPECT_LE(*std::max_element(y.begin(), y.end()), 0.10000003);
  EXPECT_LT(y[0], 0.10000003);
  for (const double far : draw("tenon.truncated_normal", "| shape=[20000], low=30.0, high=1e30")) {
    ASSERT_GE(far, 30.0);
    ASSERT_LT(far, 31.0);
  }
}

// |y^T y - gain^2|, or |y y^T - gain^2| of more columns than rows.
double distance_from_orthogonal(const std::vector<double>& y, size_t rows, size_t columns,
                                double gain) {
  const bool is_tall = rows >= columns;
  const size_t least = is_tall ? columns : rows, most = is_tall ? rows : columns;
  const auto at = [&](size_t line, size_t k) {
    return is_tall ? y[k * columns + line] : y[line * columns + k];
  };
  double worst = 0;
  for (size_t i = 0; i < least; ++i) {
    for (size_t j = 0; j < least; ++j) {
      double sum = i == j ? -gain * gain : 0;
      for (size_t k = 0; k < most; ++k) sum += at(i, k) * at(j, k);
      worst = std::max(worst, std::fabs(sum));
    }
  }
  return worst;
}

TEST_F(ConformanceInitialValues, OrthogonalIsOrthogonal) {
  struct Form {
    const char* shape;
    size_t rows, columns;
  };
  for (const Form& form : {Form{"[64,64]", 64, 64}, Form{"[70,33]", 70, 33},
                           Form{"[33,70]", 33, 70}, Form{"[40,3,5,2]", 40, 30},
                           Form{"[8,3,5,2]", 8, 30}, Form{"[1,9]", 1, 9}, Form{"[9,1]", 9, 1}}) {
    for (const auto& [dtype, room] : {std::pair{"f32", 2e-6}, {"f64", 4e-15}}) {
      for (const double gain : {1.0, -3.0}) {
        const auto y = draw("tenon.orthogonal", std::string("| shape=") + form.shape + ", gain=" +
                                                    std::to_string(gain) + ", dtype=" + dtype);
        EXPECT_LE(distance_from_orthogonal(y, form.rows, form.columns, gain), room * gain * gain)
            << form.shape << " " << dtype;
      }
    }
  }
}

// Every rotation is equally likely, and so are those with a mirror image: a rule of signs other
// than R's would prefer some.
TEST_F(ConformanceInitialValues, OrthogonalMatricesAreEquallyLikely) {
  std::vector<double> angles(16, 0.0);
  double mirrored = 0;
  for (int i = 0; i < 1600; ++i) {
    const auto y = draw("tenon.orthogonal", "| shape=[2,2], dtype=f64");
    const double turn = std::atan2(y[2], y[0]) / (2 * std::numbers::pi) + 0.5;
    angles[static_cast<size_t>(std::clamp(16 * turn, 0.0, 15.0))] += 1;
    mirrored += y[0] * y[3] - y[1] * y[2] < 0 ? 1 : 0;
  }
  EXPECT_LT(chi_square(angles, 100), 58.0);
  EXPECT_NEAR(mirrored, 800, 5 * 20);
}

TEST_F(ConformanceInitialValues, TheCounterAdvancesAsForTheNumbersDrawn) {
  draw("tenon.truncated_normal", "| shape=[7,3]");
  EXPECT_EQ(counter(), 6u);  // 21 words
  draw("tenon.truncated_normal", "| shape=[5], dtype=f64");
  EXPECT_EQ(counter(), 9u);  // 10 words
  draw("tenon.orthogonal", "| shape=[3,7]");
  EXPECT_EQ(counter(), 15u);  // 22 words
  draw("tenon.truncated_normal", "| shape=[0]");
  EXPECT_EQ(counter(), 15u);
}

TEST_F(ConformanceInitialValues, TheSameForAnyThreadsAndLayout) {
  const std::pair<const char*, const char*> calls[] = {
      {"tenon.truncated_normal", "| shape=[40,50,30]"},
      {"tenon.truncated_normal", "| shape=[40,50,30], low=1.5, dtype=f64"},
      {"tenon.orthogonal", "| shape=[40,7,3]"},
      {"tenon.orthogonal", "| shape=[9,70], dtype=f64"}};
  for (const auto& [op, text] : calls) {
    SCOPED_TRACE(std::string(op) + text);
    const Session alone({plugin_dir()}, 1);
    const Array wanted = drawn(alone, op, text);
    const Session two({plugin_dir()}, 2);
    EXPECT_EQ(drawn(two, op, text), wanted);
    const Case each = make_case({op, text, "", TENON_OK});
    for (const Layout layout : kLayouts) {
      const std::vector<unsigned char> ones(wanted.bytes.size(), 1);
      const Placed output(two, Array{wanted.dtype, wanted.shape, ones}, layout);
      two.must(tenon_context_set_seed(two, kSeed, 0));
      tenon_tensor* handle = output.get();
      two.must(apply(two, each, {}, {&handle, 1}));
      EXPECT_EQ(output.read(), wanted) << name_of(layout);
      EXPECT_TRUE(output.outside_untouched()) << name_of(layout);
    }
  }
}

}  // namespace
}  // namespace tenon::tests
