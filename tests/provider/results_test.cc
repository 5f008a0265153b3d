// SPDX-License-Identifier: Apache-2.0
// tests/provider/results_test.cc: what the provider computes, against the reference.
#include <gmock/gmock.h>
#include <sys/mman.h>

#include <cmath>
#include <iterator>
#include <limits>

#include "tests/provider/provider_support.h"

namespace tenon::tests {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

// The last ones are cut into several tiles.
const std::pair<Shape, Shape> kShapes[] = {
    {{2, 3}, {3, 4}},
    {{1, 1}, {1, 1}},
    {{5}, {5}},
    {{5}, {5, 4}},
    {{4, 5}, {5}},
    {{3, 4, 5}, {5, 6}},
    {{4, 5}, {3, 5, 6}},
    {{3, 4, 5}, {3, 5, 6}},
    {{2, 1, 4, 5}, {3, 5, 6}},
    {{2, 3, 4, 5}, {1, 5, 6}},
    {{5}, {3, 5, 6}},
    {{3, 4, 5}, {5}},
    {{7, 1, 5}, {5, 6}},
    {{3, 4, 1}, {3, 1, 6}},
    {{2, 0, 5}, {5, 6}},
    {{4, 0}, {0, 3}},
    {{4, 5}, {5, 0}},
    {{0, 4, 5}, {5, 6}},
    {{0}, {0}},
    {{2, 3, 0}, {0, 2}},
    {{300, 70}, {70, 40}},
    {{40, 33}, {33, 1100}},
    {{520, 17}, {17, 530}},
    {{2, 300, 19}, {19, 600}},
    {{500, 130}, {130, 600}},
};

class ProviderResults : public Provider {
 protected:
  Runtime runtime{only()};
  Context canonical{runtime};
  Context fast{runtime, TENON_ARITHMETIC_FAST};
  std::mt19937_64 random{kSeed};
};
INSTANTIATE_TEST_SUITE_P(Each, ProviderResults, testing::ValuesIn(providers()), short_name);

bool is_small(const Shape& shape) {
  int64_t elements = 1;
  for (const int64_t size : shape) elements *= size;
  return elements < 1000;
}

// Every pair of layouts for small operands; for others, where the reference takes its time, those
// that libraries read as they are, and in f32 some that are copied first.
bool pairs_up(const Shape& a_shape, tenon_dtype dtype, Layout a, Layout b) {
  if (is_small(a_shape) || (a == Layout::Transposed && b == Layout::Transposed)) return true;
  const auto from = static_cast<size_t>(a);
  const bool turned = static_cast<size_t>(b) == (3 * from + 1) % std::size(kLayouts);
  return turned && (a == Layout::RowMajor || (dtype == TENON_DTYPE_F32 && from % 2 == 0));
}

TEST_P(ProviderResults, AgreeWithTheReferenceForAllShapesAndLayouts) {
  for (const tenon_dtype dtype : dtypes()) {
    for (const auto& [a_shape, b_shape] : kShapes) {
      for (const Layout a_layout : kLayouts) {
        for (const Layout b_layout : kLayouts) {
          if (!pairs_up(a_shape, dtype, a_layout, b_layout)) continue;
          SCOPED_TRACE(testing::Message()
                       << "dtype " << dtype << " " << testing::PrintToString(a_shape) << " "
                       << name_of(a_layout) << ", " << testing::PrintToString(b_shape) << " "
                       << name_of(b_layout) << ", seed " << kSeed);
          const Tensor a = placed(fast, dtype, a_shape, a_layout, random);
          const Tensor b = placed(fast, dtype, b_shape, b_layout, random);
          const Tensor wanted = canonical.matmul(a, b);
          Tensor found;
          ASSERT_THAT(fast.ran([&] { found = fast.matmul(a, b); }), ElementsAre(id()));
          expect_near(canonical, a, b, canonical.values(wanted.get()), fast.values(found.get()));
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_P(ProviderResults, AreWrittenIntoOutputsOfAnyLayout) {
  const std::pair<Shape, Shape> shapes[] = {
      {{6, 5}, {5, 4}}, {{3, 6, 5}, {5, 4}}, {{3, 6, 5}, {3, 5, 4}}, {{300, 20}, {20, 600}}};
  for (const tenon_dtype dtype : dtypes()) {
    for (const auto& [a_shape, b_shape] : shapes) {
      Shape c_shape(a_shape.begin(), a_shape.end() - 1);
      c_shape.push_back(b_shape.back());
      for (const Layout operands : {Layout::RowMajor, Layout::Transposed, Layout::Spread}) {
        const Tensor a = placed(fast, dtype, a_shape, operands, random);
        const Tensor b = placed(fast, dtype, b_shape, operands, random);
        const std::vector<double> wanted = canonical.values(canonical.matmul(a, b).get());
        for (const Layout layout : kWritable) {
          SCOPED_TRACE(testing::Message() << testing::PrintToString(a_shape) << " "
                                          << name_of(operands) << " into " << name_of(layout));
          const Tensor out = placed(fast, dtype, c_shape, layout, random);
          ASSERT_THAT(fast.ran([&] { fast.matmul_into(a, b, out); }), ElementsAre(id()));
          expect_near(canonical, a, b, wanted, fast.values(out.get()));
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

// Under this check every launch runs on guarded copies: whatever else it writes is an error.
TEST_P(ProviderResults, NothingButTheOutputIsWritten) {
  const Runtime checked(only({.check = "layout"}));
  const Context cx(checked, TENON_ARITHMETIC_FAST);
  for (const auto& [a_shape, b_shape] : kShapes) {
    for (const Layout layout : kLayouts) {
      if (!is_small(a_shape) && layout != Layout::Transposed) continue;  // the check takes its time
      SCOPED_TRACE(testing::Message() << testing::PrintToString(a_shape) << " " << name_of(layout));
      const Tensor a = placed(cx, TENON_DTYPE_F32, a_shape, layout, random);
      const Tensor b = placed(cx, TENON_DTYPE_F32, b_shape, layout, random);
      ASSERT_THAT(cx.ran([&] { (void)cx.matmul(a, b); }), ElementsAre(id()));
    }
  }
}

// A copy is one more launch. OpenBLAS reads large transposed operands and windows where they are;
// small transposed ones are copied for the sake of their bits.
TEST_P(ProviderResults, OperandsItCanReadAreNotCopied) {
  const auto launches = [&](Layout layout, const Shape& a_shape = {500, 130},
                            const Shape& b_shape = {130, 600}) {
    const Tensor a = placed(fast, TENON_DTYPE_F32, a_shape, layout, random);
    const Tensor b = placed(fast, TENON_DTYPE_F32, b_shape, layout, random);
    tenon_stats before{};
    tenon_stats after{};
    before.struct_size = after.struct_size = sizeof before;
    fast.must(tenon_runtime_get_stats(fast, &before));
    (void)fast.matmul(a, b);
    fast.must(tenon_runtime_get_stats(fast, &after));
    return after.launches - before.launches;
  };
  EXPECT_EQ(launches(Layout::RowMajor), 1u);
  const uint64_t strided = GetParam().reads_strides ? 1 : 3;
  EXPECT_EQ(launches(Layout::Transposed), strided);
  EXPECT_EQ(launches(Layout::Window), strided);
  EXPECT_EQ(launches(Layout::Spread), 3u);
  EXPECT_EQ(launches(Layout::Window, {20, 30}, {30, 10}), strided);
  EXPECT_EQ(launches(Layout::Transposed, {20, 30}, {30, 10}), 3u);
}

TEST_P(ProviderResults, HaveTheSameBitsForAnyLayout) {
  for (const tenon_dtype dtype : dtypes()) {
    for (const auto& [a_shape, b_shape] : kShapes) {
      std::string wanted;
      for (const Layout layout : kWritable) {
        SCOPED_TRACE(testing::Message()
                     << testing::PrintToString(a_shape) << " " << name_of(layout));
        const auto operand = [&](const Shape& shape) {
          std::mt19937_64 same(kSeed);
          const Tensor values = placed(fast, dtype, shape, Layout::RowMajor, same);
          Tensor laid_out = placed(fast, dtype, shape, layout, same);
          const std::string data = fast.bytes(values.get());
          fast.must(tenon_tensor_set_data(fast, laid_out.get(), data.data(), data.size()));
          return laid_out;
        };
        const Tensor a = operand(a_shape);
        const Tensor b = operand(b_shape);
        const std::string found = fast.bytes(fast.matmul(a, b).get());
        if (layout == Layout::RowMajor) wanted = found;
        EXPECT_TRUE(found == wanted);
      }
    }
  }
}

TEST_P(ProviderResults, ASumOverNothingIsZeroWhateverWasThere) {
  const Tensor a = fast.make(TENON_DTYPE_F32, {2, 0}, {});
  const Tensor b = fast.make(TENON_DTYPE_F32, {0, 3}, {});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tensor out = fast.make(TENON_DTYPE_F32, {2, 3}, std::vector<double>(6, nan));
  ASSERT_THAT(fast.ran([&] { fast.matmul_into(a, b, out); }), ElementsAre(id()));
  EXPECT_THAT(fast.values(out.get()), Each(0.0));
}

TEST_P(ProviderResults, OutputsOverwriteNaNs) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const tenon_dtype dtype : dtypes()) {
    const Tensor a = fast.make(dtype, {2, 2}, {1, 0, 0, 1});
    const Tensor b = fast.make(dtype, {2, 2}, {1, 2, 3, 4});
    const Tensor out = fast.make(dtype, {2, 2}, std::vector<double>(4, nan));
    fast.matmul_into(a, b, out);
    EXPECT_THAT(fast.values(out.get()), ElementsAre(1, 2, 3, 4));
  }
}

// 0 * NaN and 0 * infinity are NaN: no product may be left out because a factor is 0.
TEST_P(ProviderResults, NaNsAndInfinitiesSpread) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const tenon_dtype dtype : dtypes()) {
    for (const int64_t n : {3, 8, 40}) {
      std::vector<double> values(static_cast<size_t>(n * n), 1.0);
      values[0] = nan;
      values[static_cast<size_t>(n)] = infinity;
      const Tensor a = fast.make(dtype, {n, n}, values);
      const Tensor zeros = fast.make(dtype, {n, n}, std::vector<double>(values.size(), 0.0));
      const Tensor ones = fast.make(dtype, {n, n}, std::vector<double>(values.size(), 1.0));
      const std::vector<double> by_zero = fast.values(fast.matmul(a, zeros).get());
      const std::vector<double> by_one = fast.values(fast.matmul(a, ones).get());
      const std::vector<double> zero_left = fast.values(fast.matmul(zeros, a).get());
      for (int64_t j = 0; j < n; ++j) {
        const auto at = [&](const std::vector<double>& c, int64_t row, int64_t column) {
          return c[static_cast<size_t>(row * n + column)];
        };
        EXPECT_TRUE(std::isnan(at(by_zero, 0, j))) << n;
        EXPECT_TRUE(std::isnan(at(by_one, 0, j))) << n;
        EXPECT_TRUE(std::isnan(at(zero_left, j, 0))) << n;
        EXPECT_TRUE(std::isnan(at(by_zero, 1, j))) << n;
        EXPECT_EQ(at(by_one, 1, j), infinity) << n;
        EXPECT_EQ(at(by_one, 2, j), static_cast<double>(n)) << n;
      }
    }
  }
}

TEST_P(ProviderResults, AnInputMayBeTheOutput) {
  for (const tenon_dtype dtype : dtypes()) {
    const Tensor a = placed(fast, dtype, {30, 30}, Layout::RowMajor, random);
    const Tensor b = placed(fast, dtype, {30, 30}, Layout::RowMajor, random);
    const std::string wanted = fast.bytes(fast.matmul(a, b).get());
    fast.matmul_into(a, b, b);
    EXPECT_EQ(fast.bytes(b.get()), wanted);
  }
}

// Work is cut by shape alone. The product of all thread counts comes from the same tiles.
TEST_P(ProviderResults, HaveTheSameBitsForAnyNumberOfThreads) {
  for (const tenon_dtype dtype : dtypes()) {
    for (const auto& [a_shape, b_shape] : {std::pair<Shape, Shape>{{600, 200}, {200, 1100}},
                                           {{50, 30, 20}, {50, 20, 40}},
                                           {{8, 100, 64}, {64, 96}},
                                           {{1, 900}, {900, 1}},
                                           {{5, 3}, {3, 5}}}) {
      std::vector<std::string> bits;
      for (const int32_t threads : {1, 2, 8}) {
        const Runtime some(only({.threads = threads}));
        const Context cx(some, TENON_ARITHMETIC_FAST);
        std::mt19937_64 same(kSeed);
        const Tensor a = placed(cx, dtype, a_shape, Layout::RowMajor, same);
        const Tensor b = placed(cx, dtype, b_shape, Layout::Transposed, same);
        bits.push_back(cx.bytes(cx.matmul(a, b).get()));
        EXPECT_EQ(cx.bytes(cx.matmul(a, b).get()), bits.back()) << "run again";
      }
      EXPECT_EQ(bits[0], bits[1]) << testing::PrintToString(a_shape);
      EXPECT_EQ(bits[0], bits[2]) << testing::PrintToString(a_shape);
    }
  }
}

TEST_P(ProviderResults, BackwardComputesWithItToo) {
  const tenon_dtype dtype = GetParam().finest;
  const Tensor a = placed(fast, dtype, {12, 20}, Layout::RowMajor, random);
  const Tensor b = placed(fast, dtype, {20, 8}, Layout::RowMajor, random);
  const auto gradients = [&](const Context& cx, const char* who) {
    const Tensor x = cx.make(dtype, {12, 20}, cx.values(a.get()));
    const Tensor y = cx.make(dtype, {20, 8}, cx.values(b.get()));
    cx.must(tenon_tensor_set_requires_grad(cx, x.get(), 1));
    cx.must(tenon_tensor_set_requires_grad(cx, y.get(), 1));
    std::vector<std::vector<double>> out;
    const std::vector<std::string> ran = cx.ran([&] {
      const Tensor z = cx.matmul(x, y);
      const Tensor loss = cx.call("tenon.sum", {cx.call("tenon.mul", {z.get(), z.get()}).get()});
      tenon_tensor* root = loss.get();
      cx.must(tenon_backward_run(cx, &root, nullptr, 1, 0));
    });
    EXPECT_THAT(ran, SizeIs(3)) << "forward, and one for each gradient";
    EXPECT_THAT(ran, Each(std::string(who)));
    for (const Tensor* leaf : {&x, &y}) {
      tenon_tensor* grad = nullptr;
      cx.must(tenon_tensor_get_grad(cx, leaf->get(), &grad));
      out.push_back(cx.values(grad));
    }
    return out;
  };
  const auto wanted = gradients(canonical, kReference);
  const auto found = gradients(fast, id());
  for (size_t leaf = 0; leaf < 2; ++leaf) {
    for (size_t i = 0; i < wanted[leaf].size(); ++i) {
      EXPECT_NEAR(found[leaf][i], wanted[leaf][i], dtype == TENON_DTYPE_F64 ? 1e-12 : 1e-4);
    }
  }
}

TEST_P(ProviderResults, APlanReplaysIt) {
  const Tensor a = placed(fast, TENON_DTYPE_F32, {30, 40}, Layout::RowMajor, random);
  const Tensor b = placed(fast, TENON_DTYPE_F32, {40, 50}, Layout::Transposed, random);
  const Tensor next = placed(fast, TENON_DTYPE_F32, {30, 40}, Layout::RowMajor, random);
  const Tensor out = fast.make(TENON_DTYPE_F32, {30, 50}, std::vector<double>(1500, 0.0));
  const std::string first = fast.bytes(fast.matmul(a, b).get());
  const std::string second = fast.bytes(fast.matmul(next, b).get());
  tenon_tensor* input = a.get();
  tenon_plan* plan = nullptr;
  fast.must(tenon_capture_begin(fast, &input, 1));
  fast.matmul_into(a, b, out);
  fast.must(tenon_capture_end(fast, &plan));
  EXPECT_EQ(fast.bytes(out.get()), first);
  tenon_text* text = nullptr;
  fast.must(tenon_plan_get_text(fast, plan, &text));
  const char* words = nullptr;
  uint64_t length = 0;
  fast.must(tenon_text_get(text, &words, &length));
  EXPECT_THAT(std::string(words, length), HasSubstr(id()));
  tenon_text_release(text);
  fast.must(tenon_plan_set(fast, plan, 0, next.get()));
  // Its kernels are not those of another policy, and nobody asked for them under that.
  fast.must(tenon_context_set_arithmetic(fast, TENON_ARITHMETIC_CANONICAL));
  EXPECT_EQ(tenon_plan_run(fast, plan), TENON_E_STATE);
  EXPECT_EQ(fast.bytes(out.get()), first);
  fast.must(tenon_context_set_arithmetic(fast, TENON_ARITHMETIC_FAST));
  EXPECT_THAT(fast.ran([&] { fast.must(tenon_plan_run(fast, plan)); }), ElementsAre(id()));
  EXPECT_EQ(fast.bytes(out.get()), second);
  tenon_plan_release(plan);
}

// Sizes that a library's 32-bit integers do not hold go to the reference. No product is computed
// here: the result is empty.
TEST_P(ProviderResults, SizesBeyondItsIntegersAreDeclined) {
  const int64_t huge = int64_t{3} << 30;
  const Tensor a = fast.make(TENON_DTYPE_F32, {0, huge}, {});
  const Tensor one = fast.make(TENON_DTYPE_F32, {1}, {1.0});
  const int64_t shape[] = {huge, 2};
  const int64_t strides[] = {0, 0};
  tenon_tensor* view = nullptr;
  fast.must(tenon_tensor_create_view(fast, one.get(), 2, shape, strides, 0, &view));
  const Tensor b(view);
  EXPECT_THAT(fast.ran([&] { (void)fast.matmul(a, b); }), ElementsAre(kReference));
}

// The same for the step from row to row; the memory is reserved and only its ends are touched.
TEST_P(ProviderResults, StridesBeyondItsIntegersArePackedFirst) {
  const int64_t step = int64_t{3} << 30;
  const auto bytes = static_cast<size_t>(step + 2) * sizeof(float);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) GTEST_SKIP() << "no address space for " << bytes << " bytes";
  auto* first = static_cast<float*>(memory);
  first[0] = 1.0f;
  first[1] = 2.0f;
  first[step] = 3.0f;
  first[step + 1] = 4.0f;
  const int64_t shape[] = {2, 2};
  const int64_t strides[] = {step, 1};
  tenon_tensor* made = nullptr;
  fast.must(tenon_tensor_create_external(fast, TENON_DTYPE_F32, 2, shape, strides, memory, 0,
                                         nullptr, nullptr, &made));
  {
    const Tensor a(made);
    const Tensor b = fast.make(TENON_DTYPE_F32, {2, 2}, {1, 0, 0, 1});
    Tensor c;
    EXPECT_THAT(fast.ran([&] { c = fast.matmul(a, b); }), ElementsAre(id()));
    EXPECT_THAT(fast.values(c.get()), ElementsAre(1, 2, 3, 4));
  }
  munmap(memory, bytes);
}

}  // namespace
}  // namespace tenon::tests
