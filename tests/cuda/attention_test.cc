// SPDX-License-Identifier: Apache-2.0
// tests/cuda/attention_test.cc: attention of 16 bits on the emulated GPU, whose tiles small samples
// do not fill: results and gradients beside those of the same numbers in f32, from which they may
// be no farther than rounding to 16 bits.
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

// Lists are empty if they are absent.
struct Operands {
  std::vector<float> q, k, v;
  std::vector<float> mask;  // 0 or 1, [keys]
  std::vector<float> lengths;
};

struct Options {
  bool causal = false;
  int64_t window = 0;
  double scale = 0.5;
  double soft_cap = 0;
};

// y, dq, dk, dv
constexpr size_t kResults = 4;
using Results = std::vector<std::vector<float>>;

class CudaAttention : public testing::TestWithParam<tenon_dtype> {
 protected:
  Tensor cast(const Tensor& x, tenon_dtype dtype) const {
    return session_.call("tenon.cast", {tensor_value(x.get())}, {{"dtype", dtype_value(dtype)}});
  }
  Tensor stored(const Shape& shape, const std::vector<float>& data) const {
    return cast(session_.f32(session_.cuda, shape, data), GetParam());
  }
  Operands operands(const Sizes& s) const {
    return {numbers({s.batch, s.heads, s.queries, s.depth}, 1),
            numbers({s.batch, s.groups, s.keys, s.depth}, 2),
            numbers({s.batch, s.groups, s.keys, s.width}, 3),
            {},
            {}};
  }
  void call(const char* op, const std::vector<tenon_value>& inputs, const Options& options,
            uint32_t count, Results& out) const {
    const tenon_value attrs[] = {bool_value(options.causal), int_value(options.window),
                                 real_value(options.scale), real_value(options.soft_cap)};
    tenon_tensor* outputs[kResults] = {};
    session_.must(tenon_op_call(session_, session_.find(op), inputs.data(),
                                static_cast<uint32_t>(inputs.size()), attrs, 4, outputs, count));
    for (uint32_t i = 0; i < count; ++i) {
      const Tensor own(outputs[i]);
      out.push_back(session_.floats(session_.to(session_.cpu, cast(own, TENON_DTYPE_F32))));
    }
  }
  // Of 16 bits, or of the same numbers in f32.
  Results attend(const Sizes& s, const Operands& of, const Options& options, bool wide) const {
    Tensor mask, lengths;
    if (!of.mask.empty()) {
      mask = cast(session_.f32(session_.cuda, {s.keys}, of.mask), TENON_DTYPE_BOOL);
    }
    if (!of.lengths.empty()) {
      lengths = cast(session_.f32(session_.cuda, {s.batch}, of.lengths), TENON_DTYPE_I64);
    }
    const Shape shapes[] = {{s.batch, s.heads, s.queries, s.width},
                            {s.batch, s.heads, s.queries, s.depth},
                            {s.batch, s.groups, s.keys, s.depth},
                            {s.batch, s.groups, s.keys, s.width}};
    const std::vector<float> dy = numbers(shapes[0], 4);
    const std::vector<float>* const data[] = {&dy, &of.q, &of.k, &of.v};
    std::vector<Tensor> tensors;
    std::vector<tenon_value> inputs;
    for (size_t i = 0; i < kResults; ++i) {
      tensors.push_back(stored(shapes[i], *data[i]));
      if (wide) tensors.back() = cast(tensors.back(), TENON_DTYPE_F32);
      inputs.push_back(tensor_value(tensors.back().get()));
    }
    const auto option = [](const Tensor& x) { return x ? tensor_value(x.get()) : tenon_value{}; };
    for (const tenon_value& each : {option(mask), tenon_value{}, option(lengths)}) {
      inputs.push_back(each);
    }
    Results results;
    call("tenon.attention", {inputs.begin() + 1, inputs.end()}, options, 1, results);
    call("tenon.attention_grad", inputs, options, 3, results);
    return results;
  }
  // Those of 16 bits, which are near those of f32.
  Results judged(const Sizes& s, const Operands& of, const Options& options) const {
    Results found = attend(s, of, options, false);
    const Results right = attend(s, of, options, true);
    const float half_ulp = GetParam() == TENON_DTYPE_F16 ? 0x1p-11F : 0x1p-8F;
    for (size_t i = 0; i < kResults; ++i) {
      SCOPED_TRACE(testing::Message() << "result " << i);
      expect_near(found[i], right[i], half_ulp);
    }
    return found;
  }
  static void expect_near(const std::vector<float>& found, const std::vector<float>& right,
                          float half_ulp) {
    ASSERT_EQ(found.size(), right.size());
    float largest = 1;  // as operands are
    for (const float each : right) {
      if (std::isfinite(each)) largest = std::fmax(largest, std::fabs(each));
    }
    for (size_t i = 0; i < found.size(); ++i) {
      if (std::isfinite(right[i])) {
        ASSERT_NEAR(found[i], right[i], half_ulp * std::fabs(right[i]) + 3e-5F * largest) << i;
      } else {
        ASSERT_TRUE(found[i] == right[i] || (std::isnan(found[i]) && std::isnan(right[i]))) << i;
      }
    }
  }

  const CudaSession session_;
};

// Tiles of keys, of queries, of depth and of columns that are not whole; rows in shared memory and,
// for many keys, in scratch that blocks use again.
TEST_P(CudaAttention, OfTilesThatAreNotWhole) {
  const Sizes all[] = {{2, 4, 2, 17, 33, 40, 70},
                       {1, 1, 1, 16, 64, 150, 16},
                       {1, 1, 1, 70, 20, 130, 140},
                       {1, 2, 1, 1, 700, 8, 24},
                       {1, 1, 1, 3, 16, 1, 1}};
  for (const Sizes& s : all) {
    SCOPED_TRACE(testing::Message() << s.queries << " of " << s.keys);
    judged(s, operands(s), {.causal = true});
    judged(s, operands(s), {.window = 9});
    judged(s, operands(s), {.soft_cap = 0.5});
  }
}

TEST_P(CudaAttention, BlocksUseTheirScratchAgain) {
  constexpr Sizes s{2, 3, 1, 1400, 620, 2, 1};
  judged(s, operands(s), {.window = 9});  // or it takes minutes
}

// Weights that differ in digits which 16 bits do not have.
TEST_P(CudaAttention, WeightsKeepTheirDigits) {
  constexpr Sizes s{1, 1, 1, 1, 2, 1, 1};
  const Operands of{{1}, {0, -0x1p-9F}, {1, -1}, {}, {}};
  const double right = std::tanh(0x1p-10);
  EXPECT_NEAR(judged(s, of, {.scale = 1})[0][0], right, right / 200);
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
  const std::vector<float> y = judged(s, of, {.causal = true})[0];
  const auto at = [&](int64_t query) { return y[static_cast<size_t>(query * s.width)]; };
  EXPECT_TRUE(std::isfinite(at(29)));  // of the tile of query 30, which sees key 30
  EXPECT_TRUE(std::isnan(at(30)));
}

// The same for gradients of keys: queries that do not see one.
TEST_P(CudaAttention, QueriesThatDoNotSeeAKeyMayBeAnything) {
  constexpr Sizes s{1, 2, 1, 40, 40, 20, 20};
  Operands of = operands(s);
  of.q[static_cast<size_t>(3 * s.depth)] = kNaN;
  const std::vector<float> dk = judged(s, of, {.causal = true})[2];
  EXPECT_TRUE(std::isnan(dk[0]));
  EXPECT_TRUE(std::isfinite(dk[static_cast<size_t>(4 * s.depth)]));
}

// An infinity that is seen is one in the result, whatever its weight loses by rounding.
TEST_P(CudaAttention, InfinityThatIsSeenStaysOne) {
  constexpr Sizes s{1, 1, 1, 20, 3, 4, 2};
  Operands of = operands(s);
  of.v = {1, kInfinity, 2, 1, 3, -1};
  EXPECT_EQ(judged(s, of, {})[0][1], kInfinity);
}

INSTANTIATE_TEST_SUITE_P(Each, CudaAttention, testing::Values(TENON_DTYPE_F16, TENON_DTYPE_BF16));

}  // namespace
}  // namespace tenon::tests
