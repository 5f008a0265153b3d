// SPDX-License-Identifier: Apache-2.0
// tests/cpu/matmul_test.cc: matmul of tenon.cpu has the bits of its canonical arithmetic, said here
// as plain loops of fused multiply-adds: for sizes around those of tiles, vectors and blocks, for
// any layout, batch and number of threads. So has its twin for AVX2 alone, where that was built.
#include <gtest/gtest.h>
#include <tenon/tenon.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/support/paths.h"

namespace tenon::tests {
namespace {

using Dims = std::vector<int64_t>;

struct Provider {
  std::string id;
  std::string folder;  // that holds the plugin's own
};

// Those that were built.
std::vector<Provider> providers() {
  std::vector<Provider> found;
  for (const Provider& p : {Provider{"tenon.cpu", plugin_dir()},
                            Provider{"test.cpu_avx2", std::string(test_plugin_dir()) + "/cpu"}}) {
    if (std::filesystem::exists(p.folder + "/" + p.id + "/plugin.json")) found.push_back(p);
  }
  return found;
}

// A runtime whose matmul is the provider's.
class Engine {
 public:
  explicit Engine(const Provider& provider, int32_t threads = 1) {
    const std::string own = plugin_dir();
    const tenon_string paths[] = {{provider.folder.data(), provider.folder.size()},
                                  {own.data(), own.size()}};
    tenon_runtime_options options{};
    options.struct_size = sizeof options;
    options.flags = TENON_RUNTIME_NO_DEFAULT_PATHS | TENON_RUNTIME_NO_ENVIRONMENT;
    options.paths = paths;
    options.n_paths = 2;
    options.threads = threads;
    tenon_diag diag{};
    EXPECT_EQ(tenon_runtime_create(&options, &diag, &runtime_), TENON_OK) << diag.message;
    EXPECT_EQ(tenon_context_create(runtime_, &diag, &context_), TENON_OK) << diag.message;
    must(tenon_runtime_set_pin(context_, "tenon.matmul", TENON_NUL, provider.id.data(),
                               provider.id.size()));
    must(tenon_op_find(context_, "tenon.matmul", TENON_NUL, 0, &matmul_));
  }
  ~Engine() {
    tenon_context_release(context_);
    tenon_runtime_release(runtime_);
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  void must(tenon_status status) const {
    if (status == TENON_OK) return;
    tenon_error record{};
    record.struct_size = sizeof record;
    EXPECT_EQ(tenon_context_get_error(context_, &record), TENON_OK);
    ADD_FAILURE() << tenon_status_get_name(status) << ": " << record.message;
  }
  tenon_context* context() const { return context_; }
  const tenon_op* matmul() const { return matmul_; }

 private:
  tenon_runtime* runtime_ = nullptr;
  tenon_context* context_ = nullptr;
  const tenon_op* matmul_ = nullptr;
};

enum class Layout { kRows, kColumns, kSpread, kFlipped };
constexpr Layout kLayouts[] = {Layout::kRows, Layout::kColumns, Layout::kSpread, Layout::kFlipped};

template <class T>
constexpr tenon_dtype kDtype = sizeof(T) == 4 ? TENON_DTYPE_F32 : TENON_DTYPE_F64;

// Elements of some shape somewhere in a buffer;
template <class T>
struct Array {
  Array(Dims of, Layout layout) : shape(std::move(of)), steps(shape.size()) {
    const size_t rank = shape.size();
    int64_t step = layout == Layout::kSpread ? 3 : 1;
    std::vector<size_t> order;
    for (size_t d = rank; d-- > 0;) order.push_back(d);
    if (layout == Layout::kColumns && rank > 1) std::swap(order[0], order[1]);
    for (const size_t d : order) {
      steps[d] = step;
      step *= std::max<int64_t>(shape[d], 1) + (layout == Layout::kSpread ? 2 : 0);
    }
    buffer.assign(static_cast<size_t>(step), std::numeric_limits<T>::quiet_NaN());
    if (layout == Layout::kFlipped) {
      for (size_t d = 0; d < rank; ++d) {
        if (shape[d] > 0) first += (shape[d] - 1) * steps[d];
        steps[d] = -steps[d];
      }
    }
  }

  int64_t count() const {
    int64_t n = 1;
    for (const int64_t size : shape) n *= size;
    return n;
  }
  // Number `i` in row-major order.
  T& at(int64_t i) {
    int64_t place = first;
    for (size_t d = shape.size(); d-- > 0;) {
      place += i % shape[d] * steps[d];
      i /= shape[d];
    }
    return buffer[static_cast<size_t>(place)];
  }
  Array&& drawn(std::mt19937& random) && {
    std::uniform_real_distribution<T> values(-1, 1);
    for (int64_t i = 0; i < count(); ++i) at(i) = values(random);
    return std::move(*this);
  }

  Dims shape;
  Dims steps;
  std::vector<T> buffer;
  int64_t first = 0;
};

template <class T>
void multiply(const Engine& engine, Array<T>& a, Array<T>& b, Array<T>& c) {
  tenon_tensor* tensors[3] = {};
  Array<T>* const arrays[] = {&a, &b, &c};
  for (size_t i = 0; i < 3; ++i) {
    Array<T>& array = *arrays[i];
    engine.must(tenon_tensor_create_external(
        engine.context(), kDtype<T>, static_cast<int32_t>(array.shape.size()), array.shape.data(),
        array.steps.data(), array.buffer.data() + array.first, 0, nullptr, nullptr, &tensors[i]));
  }
  tenon_value in[2] = {};
  for (size_t i = 0; i < 2; ++i) {
    in[i].tag = TENON_VALUE_TENSOR;
    in[i].as.tensor = tensors[i];
  }
  engine.must(tenon_op_apply(engine.context(), engine.matmul(), in, 2, nullptr, 0, &tensors[2], 1));
  for (tenon_tensor* tensor : tensors) tenon_tensor_release(tensor);
}

// The canonical arithmetic of tenon.matmul: k ascending, or 64 lanes for fewer than 16 elements.
template <class T, class A, class B>
T element(int64_t k, bool lanes, const A& a, const B& b) {
  if (!lanes) {
    T sum = 0;
    for (int64_t i = 0; i < k; ++i) sum = std::fma(a(i), b(i), sum);
    return sum;
  }
  std::array<T, 64> sums{};
  for (int64_t i = 0; i < k; ++i) {
    T& sum = sums[static_cast<size_t>(i % 64)];
    sum = std::fma(a(i), b(i), sum);
  }
  for (size_t width = 32; width > 0; width /= 2) {
    for (size_t l = 0; l < width; ++l) sums[l] += sums[l + width];
  }
  return sums[0];
}

// Matrices m x k and k x n that follow each other in row-major order, or one that all share.
template <class T>
struct Case {
  int64_t m, k, n;
  int64_t batches = 1;
  bool a_shared = false;
  bool b_shared = false;
};

template <class T>
bool same(T x, T y) {
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
  return x == y && std::signbit(x) == std::signbit(y);
}

template <class T>
void expect_canonical(const Case<T>& s, Array<T>& a, Array<T>& b, Array<T>& c) {
  for (int64_t batch = 0; batch < s.batches; ++batch) {
    const int64_t a_first = s.a_shared ? 0 : batch * s.m * s.k;
    const int64_t b_first = s.b_shared ? 0 : batch * s.k * s.n;
    // Row-major copies: at() is slow.
    std::vector<T> rows(static_cast<size_t>(s.m * s.k));
    std::vector<T> columns(static_cast<size_t>(s.k * s.n));
    for (int64_t i = 0; i < s.m * s.k; ++i) rows[static_cast<size_t>(i)] = a.at(a_first + i);
    for (int64_t i = 0; i < s.k * s.n; ++i) columns[static_cast<size_t>(i)] = b.at(b_first + i);
    for (int64_t i = 0; i < s.m * s.n; ++i) {
      const T wanted = element<T>(
          s.k, s.m * s.n < 16,
          [&](int64_t k) { return rows[static_cast<size_t>(i / s.n * s.k + k)]; },
          [&](int64_t k) { return columns[static_cast<size_t>(k * s.n + i % s.n)]; });
      const T found = c.at(batch * s.m * s.n + i);
      ASSERT_TRUE(same(wanted, found)) << s.m << " x " << s.k << " x " << s.n << ", batch " << batch
                                       << ", element " << i << ": " << found << ", not " << wanted;
    }
  }
}

template <class T>
class MatmulBits : public testing::Test {
 protected:
  void SetUp() override {
    if (providers().empty()) GTEST_SKIP() << "tenon.cpu was not built";
  }
  void check(const Engine& engine, const Case<T>& s, Layout a_layout, Layout b_layout,
             Layout c_layout) {
    Array<T> a = Array<T>({s.m, s.k}, a_layout).drawn(random_);
    Array<T> b = Array<T>({s.k, s.n}, b_layout).drawn(random_);
    Array<T> c({s.m, s.n}, c_layout);
    multiply(engine, a, b, c);
    expect_canonical(s, a, b, c);
  }

  std::mt19937 random_{20261122};
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(MatmulBits, Types);

TYPED_TEST(MatmulBits, AroundTilesAndVectors) {
  constexpr int64_t sizes[] = {1, 2, 3, 5, 8, 13, 14, 15, 16, 17, 29, 32, 33};
  for (const Provider& provider : providers()) {
    const Engine engine(provider);
    for (const int64_t m : sizes) {
      for (const int64_t k : sizes) {
        for (const int64_t n : sizes) {
          const auto pick = [&](int64_t turn) {
            return kLayouts[static_cast<size_t>((m + 3 * k + 7 * n + turn) % 4)];
          };
          this->check(engine, {m, k, n}, Layout::kRows, Layout::kRows, Layout::kRows);
          this->check(engine, {m, k, n}, pick(0), pick(m), pick(k));
          if (this->HasFatalFailure()) return;
        }
      }
    }
  }
}

TYPED_TEST(MatmulBits, EveryLayout) {
  for (const Provider& provider : providers()) {
    const Engine engine(provider);
    for (const Layout a : kLayouts) {
      for (const Layout b : kLayouts) {
        for (const Layout c : kLayouts) {
          this->check(engine, {37, 50, 41}, a, b, c);
          this->check(engine, {3, 150, 5}, a, b, c);
          if (this->HasFatalFailure()) return;
        }
      }
    }
  }
}

// More values of k, and more of b, than any block or cache holds.
TYPED_TEST(MatmulBits, ManyBlocks) {
  for (const Provider& provider : providers()) {
    const Engine engine(provider);
    for (const Layout a : {Layout::kRows, Layout::kColumns}) {
      for (const Layout b : {Layout::kRows, Layout::kColumns}) {
        this->check(engine, {20, 1301, 70}, a, b, Layout::kRows);
        this->check(engine, {29, 600, 1001}, a, b, b);
        if (this->HasFatalFailure()) return;
      }
    }
  }
}

TYPED_TEST(MatmulBits, Batches) {
  using T = TypeParam;
  struct Shape {
    Case<T> size;
    Dims a, b, c;
  };
  const Shape shapes[] = {
      {{5, 7, 9, 6}, {6, 5, 7}, {6, 7, 9}, {6, 5, 9}},
      {{20, 40, 33, 6}, {2, 3, 20, 40}, {2, 3, 40, 33}, {2, 3, 20, 33}},
      {{5, 7, 9, 6, false, true}, {2, 3, 5, 7}, {7, 9}, {2, 3, 5, 9}},
      {{5, 7, 9, 6, true, false}, {5, 7}, {6, 7, 9}, {6, 5, 9}},
      {{1, 70, 40}, {70}, {70, 40}, {40}},
      {{40, 70, 1}, {40, 70}, {70}, {40}},
      {{1, 70, 4, 6}, {6, 1, 70}, {6, 70, 4}, {6, 1, 4}},
      {{1, 70, 4, 6, false, true}, {6, 1, 70}, {70, 4}, {6, 1, 4}},
      {{1, 129, 1}, {129}, {129}, {}},
  };
  for (const Provider& provider : providers()) {
    const Engine engine(provider);
    for (const Shape& s : shapes) {
      for (const Layout layout : kLayouts) {
        Array<T> a = Array<T>(s.a, layout).drawn(this->random_);
        Array<T> b = Array<T>(s.b, layout).drawn(this->random_);
        Array<T> c(s.c, layout);
        multiply(engine, a, b, c);
        expect_canonical(s.size, a, b, c);
        if (this->HasFatalFailure()) return;
      }
    }
  }
}

// Rows of a batch that do not follow each other, and operands that stand for many by a step of 0.
TYPED_TEST(MatmulBits, StepsOfZeroAndGapsBetweenBatches) {
  using T = TypeParam;
  for (const Provider& provider : providers()) {
    const Engine engine(provider);
    Array<T> a = Array<T>({4, 9, 30}, Layout::kRows).drawn(this->random_);
    Array<T> b = Array<T>({30, 21}, Layout::kRows).drawn(this->random_);
    Array<T> c({4, 11, 21}, Layout::kRows);
    a.steps[2] = 0;  // every row is one number
    b.steps[0] = 0;  // all rows are one
    c.shape[1] = 9;
    multiply(engine, a, b, c);
    expect_canonical(Case<T>{9, 30, 21, 4, false, true}, a, b, c);
  }
}

TYPED_TEST(MatmulBits, SumsOverNothing) {
  using T = TypeParam;
  for (const Provider& provider : providers()) {
    const Engine engine(provider);
    for (const Case<T>& s : {Case<T>{3, 0, 4}, Case<T>{40, 0, 50}, Case<T>{0, 5, 4},
                             Case<T>{20, 5, 0}, Case<T>{0, 0, 0}}) {
      for (const Layout layout : {Layout::kRows, Layout::kColumns, Layout::kSpread}) {
        this->check(engine, s, Layout::kRows, layout, layout);
      }
    }
  }
}

TYPED_TEST(MatmulBits, LanesKeepZerosBelowZero) {
  using T = TypeParam;
  const T tiny = std::sqrt(std::numeric_limits<T>::denorm_min()) / 2;
  for (const Provider& provider : providers()) {
    const Engine engine(provider);
    for (const int64_t k : {64, 65, 70, 128, 130}) {
      Array<T> a({1, k}, Layout::kRows);
      Array<T> b({k, 1}, Layout::kRows);
      std::fill(a.buffer.begin(), a.buffer.end(), -tiny);
      std::fill(b.buffer.begin(), b.buffer.end(), tiny);
      Array<T> c({1, 1}, Layout::kRows);
      multiply(engine, a, b, c);
      EXPECT_EQ(c.at(0), 0);
      EXPECT_TRUE(std::signbit(c.at(0))) << k;
      expect_canonical(Case<T>{1, k, 1}, a, b, c);
    }
  }
}

TYPED_TEST(MatmulBits, NansAndInfinitiesStayInTheirRowsAndColumns) {
  using T = TypeParam;
  for (const Provider& provider : providers()) {
    const Engine engine(provider);
    for (const Layout layout : kLayouts) {
      Array<T> a = Array<T>({17, 40}, layout).drawn(this->random_);
      Array<T> b = Array<T>({40, 37}, layout).drawn(this->random_);
      Array<T> c({17, 37}, layout);
      a.at(3 * 40 + 39) = std::numeric_limits<T>::quiet_NaN();
      a.at(16 * 40) = std::numeric_limits<T>::infinity();
      b.at(5 * 37 + 36) = -std::numeric_limits<T>::infinity();
      multiply(engine, a, b, c);
      expect_canonical(Case<T>{17, 40, 37}, a, b, c);
      for (int64_t i = 0; i < 17; ++i) {
        for (int64_t j = 0; j < 37; ++j) {
          EXPECT_EQ(std::isfinite(c.at(i * 37 + j)), i != 3 && i != 16 && j != 36) << i << " " << j;
        }
      }
    }
  }
}

TEST(MatmulThreads, NumberOfThreadsChangesNoBits) {
  if (providers().empty()) GTEST_SKIP() << "tenon.cpu was not built";
  struct Shape {
    Dims a, b, c;
    Layout layout;
  };
  const Shape shapes[] = {
      {{300, 500}, {500, 700}, {300, 700}, Layout::kRows},
      {{40, 1200}, {1200, 900}, {40, 900}, Layout::kColumns},
      {{64, 128}, {128, 784}, {64, 784}, Layout::kColumns},
      {{50, 33, 64}, {50, 64, 65}, {50, 33, 65}, Layout::kColumns},
      {{3000, 2, 200}, {3000, 200, 3}, {3000, 2, 3}, Layout::kRows},
  };
  for (const Shape& s : shapes) {
    std::vector<float> one;
    for (const int32_t threads : {1, 2, 5}) {
      const Engine engine(providers().front(), threads);
      std::mt19937 random(20261123);
      Array<float> a = Array<float>(s.a, s.layout).drawn(random);
      Array<float> b = Array<float>(s.b, s.layout).drawn(random);
      Array<float> c(s.c, Layout::kRows);
      multiply(engine, a, b, c);
      if (one.empty()) one = c.buffer;
      ASSERT_EQ(std::memcmp(one.data(), c.buffer.data(), one.size() * sizeof(float)), 0)
          << threads << " threads";
    }
  }
}

// Every size up to the largest tile and beyond.
TEST(MatmulBitsFull, EverySmallSize) {
  if (providers().empty()) GTEST_SKIP() << "tenon.cpu was not built";
  for (const Provider& provider : providers()) {
    const Engine engine(provider);
    std::mt19937 random(20261124);
    for (int64_t size = 0; size < 33 * 33 * 33; ++size) {
      const Case<float> s{size % 33 + 1, size / 33 % 33 + 1, size / 33 / 33 + 1};
      Array<float> a = Array<float>({s.m, s.k}, kLayouts[size % 2]).drawn(random);
      Array<float> b = Array<float>({s.k, s.n}, kLayouts[size / 2 % 2]).drawn(random);
      Array<float> c({s.m, s.n}, Layout::kRows);
      multiply(engine, a, b, c);
      expect_canonical(s, a, b, c);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace tenon::tests
