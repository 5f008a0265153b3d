// SPDX-License-Identifier: Apache-2.0
// tests/cuda/attention_test.cc: attention of 16 bits on the emulated GPU, whose tiles small samples
// do not fill: beside that of the same numbers in f32, from which it may be no farther than
// rounding to 16 bits.
#include <cmath>
#include <limits>

#include "tests/cuda/cuda_support.h"

namespace tenon::tests {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

tenon_value bool_value(bool truth) {
  tenon_value value{TENON_VALUE_BOOL, 0, {}};
  value.as.i64 = truth;
  return value;
}

std::vector<float> numbers(const Shape& shape, uint32_t seed) {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  std::vector<float> all;
  for (int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525U + 1013904223U;
    all.push_back(static_cast<float>(seed >> 8) * 0x1p-23F - 1.0F);
  }
  return all;
}

struct Sizes {
  int64_t batch, heads, groups, queries, keys, depth, width;
};

// Everything but what is absent.
struct Operands {
  std::vector<float> q, k, v;
  std::vector<float> mask;  // 0 or 1, [keys]
  std::vector<float> lengths;
};

class CudaAttention : public testing::TestWithParam<tenon_dtype> {
 protected:
  Tensor cast(const Tensor& x, tenon_dtype dtype) const {
    return session_.call("tenon.cast", {tensor_value(x.get())}, {{"dtype", dtype_value(dtype)}});
  }
  Tensor stored(const Shape& shape, const std::vector<float>& data) const {
    return cast(session_.f32(session_.cuda, shape, data), GetParam());
  }
  std::vector<float> read(const Tensor& x) const {
    return session_.floats(session_.to(session_.cpu, cast(x, TENON_DTYPE_F32)));
  }
  Operands operands(const Sizes& s) const {
    return {numbers({s.batch, s.heads, s.queries, s.depth}, 1),
            numbers({s.batch, s.groups, s.keys, s.depth}, 2),
            numbers({s.batch, s.groups, s.keys, s.width}, 3),
            {},
            {}};
  }

  struct Results {
    std::vector<float> found, right;
  };
  // Of 16 bits, and of the same numbers in f32.
  Results attend(const Sizes& s, const Operands& of, const Named& attributes) const {
    const Tensor q = stored({s.batch, s.heads, s.queries, s.depth}, of.q);
    const Tensor k = stored({s.batch, s.groups, s.keys, s.depth}, of.k);
    const Tensor v = stored({s.batch, s.groups, s.keys, s.width}, of.v);
    Tensor mask, lengths;
    std::vector<tenon_value> more;
    const auto option = [&](Tensor& to, const Shape& shape, const std::vector<float>& data,
                            tenon_dtype dtype) {
      if (!data.empty()) to = cast(session_.f32(session_.cuda, shape, data), dtype);
      more.push_back(data.empty() ? tenon_value{} : tensor_value(to.get()));
    };
    option(mask, {s.keys}, of.mask, TENON_DTYPE_BOOL);
    more.emplace_back();  // bias
    option(lengths, {s.batch}, of.lengths, TENON_DTYPE_I64);
    const auto call = [&](const Tensor& a, const Tensor& b, const Tensor& c) {
      std::vector<tenon_value> all = {tensor_value(a.get()), tensor_value(b.get()),
                                      tensor_value(c.get())};
      all.insert(all.end(), more.begin(), more.end());
      return session_.call("tenon.attention", all, attributes);
    };
    const auto wide = [&](const Tensor& x) { return cast(x, TENON_DTYPE_F32); };
    return {read(call(q, k, v)), read(call(wide(q), wide(k), wide(v)))};
  }
  void expect_near(const Results& results) const {
    const float half_ulp = GetParam() == TENON_DTYPE_F16 ? 0x1p-11F : 0x1p-8F;
    ASSERT_EQ(results.found.size(), results.right.size());
    for (size_t i = 0; i < results.found.size(); ++i) {
      const float right = results.right[i];
      const float found = results.found[i];
      if (std::isnan(right) || std::isinf(right)) {
        ASSERT_TRUE(found == right || (std::isnan(found) && std::isnan(right))) << i;
      } else {
        ASSERT_NEAR(found, right, half_ulp * std::fabs(right) + 2e-5F) << "element " << i;
      }
    }
  }

  const CudaSession session_;
};

// Tiles of keys, of depth and of columns that are not whole; scores in shared memory and, for many
// keys, in scratch that blocks use again.
TEST_P(CudaAttention, OfTilesThatAreNotWhole) {
  const Sizes all[] = {{2, 4, 2, 17, 33, 40, 70},
                       {1, 1, 1, 16, 64, 150, 16},
                       {1, 2, 1, 1, 700, 8, 24},
                       {1, 1, 1, 3, 16, 1, 1},
                       {2, 3, 1, 1400, 620, 2, 1}};
  for (const Sizes& s : all) {
    SCOPED_TRACE(testing::Message() << s.queries << " of " << s.keys);
    const bool causal = s.queries <= s.keys;
    expect_near(attend(s, operands(s), {{"causal", bool_value(causal)}}));
    if (s.queries > 100) continue;  // in the emulator some seconds
    expect_near(attend(s, operands(s), {{"window", int_value(9)}}));
    expect_near(attend(s, operands(s), {{"soft_cap", real_value(0.5)}}));
  }
}

// Weights that differ in digits which 16 bits do not have.
TEST_P(CudaAttention, WeightsKeepTheirDigits) {
  constexpr Sizes s{1, 1, 1, 1, 2, 1, 1};
  const Operands of{{1}, {0, -0x1p-9F}, {1, -1}, {}, {}};
  const Results results = attend(s, of, {{"scale", real_value(1)}});
  const double right = std::tanh(0x1p-10);
  EXPECT_NEAR(results.found[0], right, right / 200);
  EXPECT_NEAR(results.right[0], right, right / 200);
}

// What a masked, a later and an absent key and value are has no part in a result; one that is seen
// has.
TEST_P(CudaAttention, HiddenKeysMayBeAnything) {
  constexpr Sizes s{1, 2, 1, 40, 40, 20, 20};
  Operands of = operands(s);
  of.mask.assign(s.keys, 1);
  of.mask[17] = 0;
  of.lengths = {35};
  for (const int64_t key : {int64_t{17}, int64_t{30}, int64_t{38}}) {
    for (std::vector<float>* each : {&of.k, &of.v}) {
      (*each)[static_cast<size_t>(key * s.depth)] = kNaN;
      (*each)[static_cast<size_t>(key * s.depth) + 1] = kInfinity;
    }
  }
  const Results results = attend(s, of, {{"causal", bool_value(true)}});
  expect_near(results);
  const auto at = [&](int64_t query) {
    return results.found[static_cast<size_t>(query * s.width)];
  };
  EXPECT_TRUE(std::isfinite(at(29)));  // of the tile of query 30, which sees key 30
  EXPECT_TRUE(std::isnan(at(30)));
}

// An infinity that is seen is one in the result, whatever its weight loses by rounding.
TEST_P(CudaAttention, InfinityThatIsSeenStaysOne) {
  constexpr Sizes s{1, 1, 1, 20, 3, 4, 2};
  Operands of = operands(s);
  of.v = {1, kInfinity, 2, 1, 3, -1};
  const Results results = attend(s, of, {});
  expect_near(results);
  EXPECT_EQ(results.found[1], kInfinity);
}

INSTANTIATE_TEST_SUITE_P(Each, CudaAttention, testing::Values(TENON_DTYPE_F16, TENON_DTYPE_BF16));

}  // namespace
}  // namespace tenon::tests
