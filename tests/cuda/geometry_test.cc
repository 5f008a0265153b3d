// SPDX-License-Identifier: Apache-2.0
// tests/cuda/geometry_test.cc: work that is too large for one launch is cut into parts that are all
// of it, each once and in order; and the offsets that kernels compute in a part.
#include <gtest/gtest.h>

#include <vector>

// What device code is for the processor, before that code.
#include "emulator_support.h"

#include "backends/cuda/geometry.h"

namespace {

using namespace tenon::cuda;

using Dims = std::vector<int64_t>;

// The first operand is dense and row-major, the second has these strides.
Layout<2> layout(const Dims& shape, const Dims& strides) {
  Layout<2> made;
  Dims dense(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) dense[d - 1] = dense[d] * shape[d];
  for (size_t d = 0; d < shape.size(); ++d) made.push(shape[d], {dense[d], strides[d]});
  return made;
}

// The offsets of the element with that row-major number.
std::array<int64_t, 2> place(const Dims& shape, const Dims& strides, int64_t number) {
  std::array<int64_t, 2> at{number, 0};
  for (size_t d = shape.size(); d-- > 0;) {
    at[1] += number % shape[d] * strides[d];
    number /= shape[d];
  }
  return at;
}

struct Case {
  Dims shape;
  Dims strides;
};

// Looks at the element `number` of a part that begins at `begin`.
void expect_place(const Case& of, const Geometry<2>& part, const std::array<int64_t, 2>& begin,
                  int64_t first, uint32_t number) {
  int64_t offset[2];
  part.offsets(number, offset);
  const auto expected = place(of.shape, of.strides, first + number);
  EXPECT_EQ(begin[0] + offset[0], expected[0]) << "element " << first + number;
  EXPECT_EQ(begin[1] + offset[1], expected[1]) << "element " << first + number;
}

TEST(CudaGeometry, PartsAreAllOfTheWorkInOrder) {
  const Case cases[] = {{{1}, {3}},
                        {{17}, {-2}},
                        {{3, 5}, {1, 3}},
                        {{2, 1, 7}, {0, 4, 1}},
                        {{4, 3, 2, 5}, {0, -10, 5, 1}}};
  for (const Case& of : cases) {
    for (const int64_t most : {1, 2, 7, 10, 64, 1000}) {
      SCOPED_TRACE("at most " + std::to_string(most));
      const Layout<2> whole = layout(of.shape, of.strides);
      int64_t seen = 0;
      const auto look = [&](const Layout<2>& part, const std::array<int64_t, 2>& begin) {
        EXPECT_LE(part.count(), most);
        const Geometry<2> geometry = part.geometry();
        for (uint32_t i = 0; i < geometry.count; ++i) expect_place(of, geometry, begin, seen, i);
        seen += part.count();
      };
      for_parts<2>(whole, {}, look, most);
      EXPECT_EQ(seen, whole.count());
    }
  }
}

TEST(CudaGeometry, NothingHasNoPart) {
  int parts = 0;
  for_parts<2>(layout({3, 0}, {1, 1}), {}, [&](const auto&, const auto&) { ++parts; });
  EXPECT_EQ(parts, 0);
}

// More elements than a launch numbers: shapes alone, there is no such memory.
TEST(CudaGeometry, LargeWorkIsCutWhereThirtyTwoBitsEnd) {
  constexpr int64_t kMaxCount = kMaxElements;
  const Case cases[] = {{{kMaxCount}, {1}},
                        {{kMaxCount + 1}, {-1}},
                        {{(int64_t{1} << 33) + 5}, {2}},
                        {{3, kMaxCount + 7}, {0, 1}},
                        {{1 << 16, 1 << 16}, {1, 1 << 16}},
                        {{5, 3, (1 << 30) - 1}, {7, 0, 1}},
                        {{1 << 20, 5, 1 << 10, 3}, {3, 0, -1, 1}}};
  for (const Case& of : cases) {
    SCOPED_TRACE(std::to_string(of.shape[0]) + " first");
    const Layout<2> whole = layout(of.shape, of.strides);
    int64_t seen = 0;
    int64_t parts = 0;
    for_parts<2>(whole, {}, [&](const Layout<2>& part, const std::array<int64_t, 2>& begin) {
      const Geometry<2> geometry = part.geometry();
      ASSERT_EQ(geometry.count, part.count());
      ASSERT_LE(part.count(), kMaxCount);
      for (const uint32_t i :
           {0U, 1U, geometry.count / 2, geometry.count - 2, geometry.count - 1}) {
        if (i < geometry.count) expect_place(of, geometry, begin, seen, i);
      }
      seen += part.count();
      ++parts;
    });
    EXPECT_EQ(seen, whole.count());
    // About as few as there can be.
    EXPECT_LE(parts, 2 * (whole.count() / kMaxCount + 1));
  }
}

TEST(CudaGeometry, BlocksOfALargeLaunchAreCounted) {
  EXPECT_EQ(blocks_for(0, kBlock), 0U);
  EXPECT_EQ(blocks_for(1, kBlock), 1U);
  EXPECT_EQ(blocks_for(kMaxElements, kBlock), kMaxElements / kBlock);
  EXPECT_EQ(blocks_for(kMaxElements - 1, kBlock), kMaxElements / kBlock);
  EXPECT_EQ(blocks_for(kMaxElements, 1), 1U << 30);
}

TEST(CudaGeometry, DivisionsAreExactBelowTwoToThe31) {
  for (const uint32_t divisor : {1U, 2U, 3U, 7U, 641U, 65535U, 65537U, (1U << 30) - 1, 1U << 30,
                                 (1U << 30) + 1, (1U << 31) - 1}) {
    const Divisor by(divisor);
    for (const uint32_t quotient : {0U, 1U, 2U, 1000U, (1U << 30) / divisor}) {
      const uint64_t exact = uint64_t{quotient} * divisor;
      for (const int64_t step : {-1, 0, 1}) {
        const int64_t n = static_cast<int64_t>(exact) + step;
        if (n < 0 || n >= int64_t{1} << 31) continue;
        EXPECT_EQ(by.divide(static_cast<uint32_t>(n)), n / divisor) << n << " / " << divisor;
      }
    }
  }
}

}  // namespace
