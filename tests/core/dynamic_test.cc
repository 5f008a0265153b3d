// SPDX-License-Identifier: Apache-2.0
// tests/core/dynamic_test.cc: ops whose outputs are as large as their operands' values say.
#include "tests/core/support.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;
using Values = std::vector<float>;

class Dynamic : public Toy {
 protected:
  Tensor size(int64_t number) { return cx.tensor<int64_t>({}, {number}); }
};

TEST_F(Dynamic, OutputsHaveTheSizeThatComesOut) {
  EXPECT_EQ(cx.values(cx.call("acme.ones", {arg(size(3))})), (Values{1, 1, 1}));
  // The same call a second and a third time, with other values.
  EXPECT_EQ(cx.values(cx.call("acme.ones", {arg(size(1))})), (Values{1}));
  EXPECT_EQ(cx.values(cx.call("acme.ones", {arg(size(4))})), (Values{1, 1, 1, 1}));
  EXPECT_EQ(cx.values(cx.call("acme.ones", {arg(size(0))})), (Values{}));
}

TEST_F(Dynamic, AGivenOutputMustHaveThatSize) {
  const Tensor three = cx.floats({3}, {7, 7, 7});
  cx.apply("acme.ones", {arg(size(3))}, {}, {three.get()});
  EXPECT_EQ(cx.values(three), (Values{1, 1, 1}));
  const Failure f =
      cx.refused(TENON_E_SHAPE, cx.try_apply("acme.ones", {arg(size(2))}, {}, {three.get()}));
  EXPECT_EQ(f.op, "acme.ones");
  EXPECT_THAT(f.expected, HasSubstr("[2]"));
  EXPECT_EQ(cx.values(three), (Values{1, 1, 1}));
}

TEST_F(Dynamic, NothingIsLargerThanTheShapeRuleSays) {
  const Failure f = cx.refused(TENON_E_PLUGIN, cx.try_call("acme.ones", {arg(size(5))}));
  EXPECT_THAT(f.message, HasSubstr("gave f32[5] as out, not at most f32[4]"));
}

TEST_F(Dynamic, IsRefusedWhileCapturing) {
  const Tensor three = size(3);
  const Tensor x = cx.floats({2}, {1, 2});
  cx.begin_capture();
  const Failure f = cx.refused(TENON_E_CAPTURE, cx.try_call("acme.ones", {arg(three)}));
  EXPECT_EQ(f.op, "acme.ones");
  EXPECT_THAT(f.message, HasSubstr("depend on data"));
  // Nothing was done, so the capture goes on.
  cx.call("acme.neg", {arg(x)});
  EXPECT_NE(cx.end_capture(), nullptr);
}

TEST_F(Dynamic, OnlyFlaggedOpsReadNumbers) {
  const Failure f = cx.refused(TENON_E_STATE, cx.try_call("acme.peek", {arg(size(4))}));
  EXPECT_THAT(f.message, HasSubstr("DYNAMIC_OUT"));
}

TEST_F(Dynamic, OnlyIntegersAreRead) {
  const Tensor real = cx.floats({}, {3});
  const Failure f = cx.refused(TENON_E_DTYPE, cx.try_call("acme.ones", {arg(real)}));
  EXPECT_THAT(f.message, HasSubstr("float"));
}

}  // namespace
}  // namespace tenon::tests
