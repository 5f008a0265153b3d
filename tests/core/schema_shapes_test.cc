// SPDX-License-Identifier: Apache-2.0
// tests/core/schema_shapes_test.cc: outputs whose shapes are those of the schema.
#include "tests/core/support.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;

class SchemaShapes : public Toy {
 protected:
  // All zeros.
  Tensor zeros(const Shape& shape) {
    int64_t count = 1;
    for (const int64_t size : shape) count *= size;
    return cx.floats(shape, std::vector<float>(static_cast<size_t>(count)));
  }
  Failure refused(std::string_view op, const Tensor& a, const Tensor& b) {
    return cx.refused(TENON_E_SHAPE, cx.try_call(op, {arg(a), arg(b)}));
  }
};

TEST_F(SchemaShapes, LettersAndRunsBecomeSizes) {
  const Tensor w = zeros({3, 4});
  for (const Shape& lead : {Shape{}, Shape{5}, Shape{2, 0, 7}}) {
    Shape given = lead, expected = lead;
    given.push_back(3);
    expected.push_back(4);
    EXPECT_EQ(cx.shape(cx.call("acme.project", {arg(zeros(given)), arg(w)})), expected);
  }
}

TEST_F(SchemaShapes, EachOutputHasItsOwn) {
  const Tensor x = zeros({3, 5});
  const tenon_value input = arg(x);
  tenon_tensor* outputs[2] = {};
  cx.must(tenon_op_call(cx.get(), cx.op("acme.turned"), &input, 1, nullptr, 0, outputs, 2));
  EXPECT_EQ(cx.shape(Tensor(outputs[0])), (Shape{5, 3}));
  EXPECT_EQ(cx.shape(Tensor(outputs[1])), (Shape{2, 3}));
}

TEST_F(SchemaShapes, SeveralRunsStandInOneOutput) {
  EXPECT_EQ(cx.shape(cx.call("acme.spread", {arg(zeros({2, 5})), arg(zeros({4}))})),
            (Shape{2, 5, 3, 4}));
  EXPECT_EQ(cx.shape(cx.call("acme.spread", {arg(zeros({})), arg(zeros({}))})), (Shape{3}));
  // A number has rank 0.
  EXPECT_EQ(cx.shape(cx.call("acme.spread", {arg(zeros({2})), Value(1.5)})), (Shape{2, 3}));
}

TEST_F(SchemaShapes, ALetterHasOneSize) {
  const Failure f = refused("acme.project", zeros({2, 3}), zeros({4, 5}));
  EXPECT_EQ(f.operand, "w");
  EXPECT_THAT(f.message, HasSubstr("size N differs from that of operand \"x\""));
  EXPECT_EQ(f.expected, "[N=3,M]");
}

TEST_F(SchemaShapes, ARunHasOneShape) {
  EXPECT_EQ(cx.shape(cx.call("acme.both", {arg(zeros({4, 5, 2})), arg(zeros({4, 5}))})),
            (Shape{4, 5}));
  for (const Shape& other : {Shape{4, 6}, Shape{4}, Shape{}}) {
    const Failure f = refused("acme.both", zeros({4, 5, 2}), zeros(other));
    EXPECT_EQ(f.operand, "y");
    EXPECT_THAT(f.message, HasSubstr("dimensions ...A differ from those of operand \"x\""));
    EXPECT_EQ(f.expected, "[4,5]");
  }
}

TEST_F(SchemaShapes, ANumberFitsRankZeroAlone) {
  const Failure f =
      cx.refused(TENON_E_SHAPE, cx.try_call("acme.project", {arg(zeros({3})), Value(2.5)}));
  EXPECT_EQ(f.operand, "w");
  EXPECT_THAT(f.message, HasSubstr("is a number"));
  EXPECT_EQ(f.expected, "[N=3,M]");
  EXPECT_THAT(f.found, HasSubstr("2.5"));
}

TEST_F(SchemaShapes, AnOutputHasAtMostEightDimensions) {
  const Tensor four = zeros({1, 1, 1, 1});
  EXPECT_EQ(cx.shape(cx.call("acme.spread", {arg(four), arg(zeros({1, 1, 1}))})).size(), 8U);
  const Failure f = refused("acme.spread", four, four);
  EXPECT_THAT(f.message, HasSubstr("more than 8 dimensions"));
  EXPECT_EQ(f.found, "9");
}

TEST_F(SchemaShapes, SizesThatNoMemoryHasAreRefused) {
  const Tensor one = zeros({1});
  const int64_t zero[] = {0};
  tenon_tensor* wide = nullptr;
  const int64_t huge[] = {int64_t{1} << 40};
  cx.must(tenon_tensor_create_view(cx.get(), one.get(), 1, huge, zero, 0, &wide));
  const Tensor x(wide);
  const Failure f = refused("acme.spread", x, x);
  EXPECT_THAT(f.found, HasSubstr("[1099511627776,3,1099511627776]"));
}

}  // namespace
}  // namespace tenon::tests
