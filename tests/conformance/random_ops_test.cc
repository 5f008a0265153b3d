// SPDX-License-Identifier: Apache-2.0
// tests/conformance/random_ops_test.cc: are random numbers distributed as their ops say? Bounds lie
// five standard deviations out, or where chance exceeds them once in a million; the seed is fixed.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tenon/sdk/plugin/dtypes.hpp>

#include "tests/conformance/conformance_support.h"

namespace tenon::tests {
namespace {

double number(const Array& array, size_t i) {
  const unsigned char* at = array.bytes.data() + i * size_of(array.dtype);
  if (array.dtype == TENON_DTYPE_F32) return sdk::load<float>(at);
  if (array.dtype == TENON_DTYPE_F64) return sdk::load<double>(at);
  return static_cast<double>(sdk::load<int64_t>(at));
}

class ConformanceRandomOps : public testing::Test {
 protected:
  void SetUp() override { session.must(tenon_context_set_seed(session, kSeed, 1)); }
  // The first output of a call.
  std::vector<double> draw(const char* op, const std::string& text) {
    const Case each = make_case({op, text, "", TENON_OK});
    const Bound bound(session, each);
    std::vector<Tensor> made;
    session.must(call(session, each, bound.inputs(), 1, made));
    const Array found = contents_of(session, made.at(0).get());
    std::vector<double> numbers;
    for (size_t i = 0; i < found.count(); ++i) numbers.push_back(number(found, i));
    return numbers;
  }
  Session session;
};

// Sum of (found - expected)^2 / expected.
double chi_square(const std::vector<double>& found, const std::vector<double>& expected) {
  double sum = 0;
  for (size_t k = 0; k < found.size(); ++k) {
    sum += (found[k] - expected[k]) * (found[k] - expected[k]) / expected[k];
  }
  return sum;
}

// How often each of 0 to n - 1 is there; a number outside fails.
std::vector<double> counts(const std::vector<double>& numbers, size_t n) {
  std::vector<double> found(n, 0.0);
  for (const double number : numbers) found.at(static_cast<size_t>(number)) += 1;
  return found;
}

// With the probability q of at most y, in sixteen parts of equal probability.
TEST_F(ConformanceRandomOps, ExponentialHasItsDistribution) {
  for (const char* dtype : {"f32", "f64"}) {
    std::vector<double> parts;
    double sum = 0;
    const auto text = std::string("| shape=[32000], rate=0.5, dtype=") + dtype;
    for (const double y : draw("tenon.exponential", text)) {
      sum += y;
      parts.push_back(std::min(15.0, std::floor(16.0 * (1.0 - std::exp(-0.5 * y)))));
    }
    EXPECT_NEAR(sum / 32000, 2.0, 5 * 2.0 / std::sqrt(32000.0)) << dtype;
    EXPECT_LT(chi_square(counts(parts, 16), std::vector<double>(16, 2000.0)), 58.0) << dtype;
  }
}

TEST_F(ConformanceRandomOps, IntegersAreEquallyLikely) {
  const auto drawn = draw("tenon.random_integers", "| shape=[30000], low=-5, high=5");
  std::vector<double> shifted;
  for (const double number : drawn) shifted.push_back(number + 5);
  EXPECT_LT(chi_square(counts(shifted, 10), std::vector<double>(10, 3000.0)), 46.0);
}

TEST_F(ConformanceRandomOps, BernoulliHasItsProbability) {
  const auto ones = draw("tenon.bernoulli", "f64[20000](0.2,0.4)");
  const double sum = counts(ones, 2)[1];
  EXPECT_NEAR(sum, 6000, 5 * std::sqrt(20000 * 0.3 * 0.7));
}

// Enough numbers for several threads; the first of the wrong ones is named, whoever finds it.
TEST_F(ConformanceRandomOps, BernoulliRefusesWhatIsNoProbabilityAndWritesNothing) {
  Case each = make_case({"tenon.bernoulli", "f32[1000,70](0.2,0.4)", "", TENON_OK});
  const auto set = [&each](size_t i, float value) {
    sdk::store(each.arrays[0].bytes.data() + i * sizeof value, value);
  };
  set(69999, NAN);
  set(40000, -0.25F);
  set(33333, 1.5F);
  Array before = each.arrays[0];
  std::fill(before.bytes.begin(), before.bytes.end(), 0x5A);
  for (const std::string plugin : {"tenon.cpu", "tenon.ref"}) {
    session.must(tenon_runtime_set_pin(session, each.op.data(), each.op.size(), plugin.data(),
                                       plugin.size()));
    const Bound bound(session, each);
    const Placed out(session, before, Layout::RowMajor);
    tenon_tensor* const outputs[] = {out.get()};
    EXPECT_EQ(apply(session, each, bound.inputs(), outputs), TENON_E_DATA) << plugin;
    EXPECT_THAT(session.failure(),
                testing::HasSubstr("p[476,13] is 1.5, which is not a probability"));
    EXPECT_EQ(out.read(), before) << plugin;
  }
}

TEST_F(ConformanceRandomOps, DropoutKeepsItsShareAndTheMean) {
  const auto y = draw("tenon.dropout", "f32[20000](1,2) | p=0.25");
  const auto kept = static_cast<double>(20000 - std::count(y.begin(), y.end(), 0.0));
  EXPECT_NEAR(kept, 15000, 5 * std::sqrt(20000 * 0.25 * 0.75));
  double sum = 0;
  for (const double each : y) sum += each;
  EXPECT_NEAR(sum / 20000, 1.5, 5 * 0.95 / std::sqrt(20000.0));
}

TEST_F(ConformanceRandomOps, OrdersAreEquallyLikely) {
  std::map<std::vector<double>, double> times;
  for (int i = 0; i < 2400; ++i) times[draw("tenon.permutation", "| n=4")] += 1;
  ASSERT_EQ(times.size(), 24u);
  std::vector<double> found;
  for (const auto& [order, count] : times) found.push_back(count);
  EXPECT_LT(chi_square(found, std::vector<double>(24, 100.0)), 72.0);
}

// Enough numbers for a kernel that sorts them group by group, on several threads.
TEST_F(ConformanceRandomOps, AnOrderHasEachNumberOnce) {
  const auto drawn = draw("tenon.permutation", "| n=70001");
  EXPECT_EQ(counts(drawn, 70001), std::vector<double>(70001, 1.0));
  double moved = 0;
  for (size_t i = 0; i < drawn.size(); ++i) moved += std::abs(drawn[i] - static_cast<double>(i));
  EXPECT_NEAR(moved / 70001 / 70001, 1.0 / 3, 0.005);
}

TEST_F(ConformanceRandomOps, MultinomialFollowsTheWeights) {
  const auto drawn = draw("tenon.multinomial",
                          "f64[5]{1.0,2.0,0.0,3.0,4.0} | num_samples=20000, replacement=true");
  std::vector<double> found = counts(drawn, 5);
  EXPECT_EQ(found[2], 0.0);
  found.erase(found.begin() + 2);
  EXPECT_LT(chi_square(found, {2000, 4000, 6000, 8000}), 31.0);
}

// The second of two draws without replacement: of weights 1, 2, 3 that is 0 with the probability
// 2/6 * 1/4 + 3/6 * 1/3.
TEST_F(ConformanceRandomOps, MultinomialLeavesOutWhatWasDrawn) {
  std::string weights = "f64[6000,3]{1.0,2.0,3.0";
  for (int row = 1; row < 6000; ++row) weights += ",1.0,2.0,3.0";
  const auto drawn = draw("tenon.multinomial", weights + "} | num_samples=2");
  std::vector<double> second;
  for (size_t i = 1; i < drawn.size(); i += 2) {
    EXPECT_NE(drawn[i - 1], drawn[i]);
    second.push_back(drawn[i]);
  }
  EXPECT_LT(chi_square(counts(second, 3), {1500, 2400, 2100}), 28.0);
}

// `rows` times the logarithms of 1, 2, 0, 3 and 4.
std::string rows_of_logarithms(int rows) {
  const std::string row = "0.0,0.6931471805599453,-inf,1.0986122886681098,1.3862943611198906";
  std::string text = "f64[" + std::to_string(rows) + ",5]{" + row;
  for (int i = 1; i < rows; ++i) text += "," + row;
  return text + "}";
}

TEST_F(ConformanceRandomOps, SampleFollowsTheSoftmax) {
  std::vector<double> found = counts(draw("tenon.sample", rows_of_logarithms(6000)), 5);
  EXPECT_EQ(found[2], 0.0);
  found.erase(found.begin() + 2);
  EXPECT_LT(chi_square(found, {600, 1200, 1800, 2400}), 31.0);
}

// A temperature of 1/2 squares weights; of 1, 4, 9 and 16 the first is out.
TEST_F(ConformanceRandomOps, SampleFollowsTheSoftmaxOfWhatIsLeft) {
  const std::string options = " | temperature=0.5, top_k=3";
  std::vector<double> found = counts(draw("tenon.sample", rows_of_logarithms(5800) + options), 5);
  EXPECT_EQ(found[0] + found[2], 0.0);
  found = {found[1], found[3], found[4]};
  EXPECT_LT(chi_square(found, {800, 1800, 3200}), 28.0);
}

// In rows so long that one kernel sorts digit by digit, and only what may come before the border.
TEST_F(ConformanceRandomOps, KernelsAgreeOnWhatMayBeDrawn) {
  const std::vector<std::string> options{"top_p=0.9",
                                         "top_p=0.999999",
                                         "top_k=3000, top_p=0.5",
                                         "temperature=0.3, top_k=50, top_p=0.95, min_p=0.01",
                                         "top_p=0.9999999999999999",
                                         "min_p=0.5"};
  const std::string_view op = "tenon.filter_logits";
  for (const std::string& each : options) {
    std::vector<double> found[2];
    for (const std::string plugin : {"tenon.cpu", "tenon.ref"}) {
      session.must(
          tenon_runtime_set_pin(session, op.data(), op.size(), plugin.data(), plugin.size()));
      found[plugin == "tenon.ref"] = draw(op.data(), "f32[3,5000](-6,6) | " + each);
    }
    EXPECT_EQ(found[0], found[1]) << each;
  }
}

}  // namespace
}  // namespace tenon::tests
