// SPDX-License-Identifier: Apache-2.0
// tests/views/index_apart_test.cc: tensors of indices for dimensions apart from each other,
// x[i, :, j]: these dimensions are put first, and the shape of the indices is the result's first.
#include "tests/views/views_support.h"

namespace tenon::tests {
namespace {

using Doubles = std::vector<double>;

class IndexApart : public Shipped {
 protected:
  // x[a, b, c] = 100 a + 10 b + c, of shape [2,3,4], and dimensions 0 and 2 in front of it.
  IndexApart() {
    Doubles values;
    for (int a = 0; a < 2; ++a) {
      for (int b = 0; b < 3; ++b) {
        for (int c = 0; c < 4; ++c) values.push_back(100 * a + 10 * b + c);
      }
    }
    x = cx.tensor<double>({2, 3, 4}, values);
  }
  Tensor in_front() {
    const Shape order = {0, 2, 1};
    return cx.call("tenon.permute", {arg(x)}, {ints(order)});
  }
  // Places (i, j) of dimensions 0 and 2; their shapes are broadcast together.
  Value places(const Tensor& i, const Tensor& j) {
    list = {i.get(), j.get()};
    return Value(std::span<tenon_tensor* const>(list));
  }

  Tensor x;
  std::vector<tenon_tensor*> list;
};

TEST_F(IndexApart, IsReadWithItsShapeFirst) {
  const Tensor i = cx.tensor<int64_t>({2}, {0, 1}), j = cx.tensor<int64_t>({2}, {2, 0});
  const Tensor found = cx.call("tenon.index", {arg(in_front()), places(i, j)});
  EXPECT_EQ(cx.shape(found), (Shape{2, 3}));
  EXPECT_EQ(cx.values<double>(found), (Doubles{2, 12, 22, 100, 110, 120}));
  const Tensor rows = cx.tensor<int64_t>({2, 1}, {0, 1}), ends = cx.tensor<int64_t>({2}, {3, 1});
  const Tensor grid = cx.call("tenon.index", {arg(in_front()), places(rows, ends)});
  EXPECT_EQ(cx.shape(grid), (Shape{2, 2, 3}));
  EXPECT_EQ(cx.values<double>(grid), (Doubles{3, 13, 23, 1, 11, 21, 103, 113, 123, 101, 111, 121}));
}

TEST_F(IndexApart, IsWrittenWhereItIsRead) {
  const Tensor i = cx.tensor<int64_t>({2}, {0, 1}), j = cx.tensor<int64_t>({2}, {2, 0});
  const Tensor values = cx.tensor<double>({2, 3}, {-1, -2, -3, -4, -5, -6});
  const Tensor target = in_front();
  cx.apply("tenon.index_put", {arg(target), places(i, j), arg(values)}, {}, {target.get()});
  EXPECT_EQ(cx.values<double>(x),
            (Doubles{0,  1,   -1,  3,   10, 11,  -2,  13,  20, 21,  -3,  23,
                     -4, 101, 102, 103, -5, 111, 112, 113, -6, 121, 122, 123}));
}

TEST_F(IndexApart, HasItsGradientWhereItWasRead) {
  x = cx.leaf(std::move(x));
  const Tensor i = cx.tensor<int64_t>({3}, {0, 1, 0}), j = cx.tensor<int64_t>({3}, {2, 0, 2});
  const Tensor found = cx.call("tenon.index", {arg(in_front()), places(i, j)});
  const Tensor slope = cx.tensor<double>({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  cx.backward(found, 0, slope.get());
  EXPECT_EQ(cx.values<double>(cx.grad(x)),
            (Doubles{0, 0, 8, 0, 0, 0, 10, 0, 0, 0, 12, 0, 4, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0}));
}

}  // namespace
}  // namespace tenon::tests
