// SPDX-License-Identifier: Apache-2.0
// tests/cpu/matmul_test.cc: matmul of f32 and f64 has the bits of its canonical arithmetic: for
// sizes around those of tiles, vectors and blocks, for any layout, batch and number of threads.
#include <cstring>

#include "tests/cpu/matmul_support.h"

namespace tenon::tests::matmul {
namespace {

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

// Vectors as operands, and single values of k, over more than a strip of columns.
TYPED_TEST(MatmulBits, FewRowsAndValuesOfK) {
  constexpr Layout layouts[] = {Layout::kRows, Layout::kColumns, Layout::kFlipped};
  for (const Provider& provider : providers()) {
    const Engine engine(provider);
    for (const int64_t few : {1, 2}) {
      // Strips of columns that are packed along k are the narrower, the more values of k there are.
      for (const int64_t many : {31, 50, 170}) {
        this->check(engine, {few, 3000, many}, Layout::kRows, Layout::kColumns, Layout::kRows);
        this->check(engine, {few, 3000, many}, Layout::kRows, Layout::kRows, Layout::kRows);
      }
      for (const int64_t many : {34, 100, 2047, 2048, 2050, 4100}) {
        for (const Layout layout : layouts) {
          this->check(engine, {few, 43, many}, Layout::kRows, layout, Layout::kRows);
          this->check(engine, {many, 43, few}, layout, Layout::kRows, layout);
          this->check(engine, {many, few, 37}, layout, layout, Layout::kRows);
          if (this->HasFatalFailure()) return;
        }
      }
    }
  }
}

// Rows that are computed from a strip's columns at once, and strips that are read again.
TYPED_TEST(MatmulBits, SomeRowsOfPackedColumns) {
  for (const Provider& provider : providers()) {
    const Engine engine(provider);
    for (const int64_t rows : {3, 5, 8, 9, 17, 24, 25}) {
      for (const int64_t columns : {16, 31, 50}) {
        this->check(engine, {rows, 83, columns}, Layout::kRows, Layout::kColumns, Layout::kRows);
      }
    }
    // Larger than the second cache of most processors.
    this->check(engine, {9, 2100, 350}, Layout::kRows, Layout::kColumns, Layout::kRows);
    this->check(engine, {24, 2100, 350}, Layout::kColumns, Layout::kColumns, Layout::kFlipped);
  }
}

// One or two columns more than whole vectors, which are computed as rows of the transposed product.
TYPED_TEST(MatmulBits, ColumnsBesideWholeVectors) {
  for (const Provider& provider : providers()) {
    const Engine engine(provider);
    for (const int64_t columns : {33, 34, 35, 65, 66}) {
      for (const Layout a : kLayouts) {
        for (const Layout c : {Layout::kRows, Layout::kSpread}) {
          this->check(engine, {129, 130, columns}, a, Layout::kRows, c);
          this->check(engine, {130, 129, columns}, a, Layout::kColumns, c);
          if (this->HasFatalFailure()) return;
        }
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
      {{130, 130, 33, 6}, {2, 3, 130, 130}, {2, 3, 130, 33}, {2, 3, 130, 33}},
      {{130, 130, 34, 6, false, true}, {2, 3, 130, 130}, {130, 34}, {2, 3, 130, 34}},
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
      {{1, 300}, {300, 9000}, {1, 9000}, Layout::kRows},
      {{1, 300}, {300, 9000}, {1, 9000}, Layout::kColumns},
      {{900, 1}, {1, 700}, {900, 700}, Layout::kRows},
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
}  // namespace tenon::tests::matmul
