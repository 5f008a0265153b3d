// SPDX-License-Identifier: Apache-2.0
// tests/core/print_test.cc: tensors as text, and single elements as numbers.
//
// The expected values are what NumPy 2 prints for the same arrays; tests/outside compares more.
#include <cmath>
#include <limits>
#include <numeric>

#include "tests/core/support.h"

namespace {

namespace tests = tenon::tests;
using tenon::tests::Shape;
using tenon::tests::Tensor;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr double kInf = std::numeric_limits<double>::infinity();

class Print : public tests::Toy {
 protected:
  std::string text(const Tensor& tensor, uint32_t flags = 0) const {
    tenon_text* made = nullptr;
    cx.must(tenon_tensor_get_text(cx.get(), tensor.get(), flags, &made));
    const tests::Text owner(made);
    const char* data = "";
    uint64_t length = 0;
    cx.must(tenon_text_get(made, &data, &length));
    return std::string(data, length);
  }
  // What stands between "tensor(" and ", shape=".
  std::string values(const Tensor& tensor) const {
    const std::string all = text(tensor);
    EXPECT_THAT(all, StartsWith("tensor("));
    const size_t end = all.rfind("shape=");
    EXPECT_NE(end, std::string::npos);
    const size_t last = all.find_last_not_of(", \n", end - 1);
    return all.substr(7, last + 1 - 7);
  }
  // Elements as their bytes, for dtypes C++ has no type for.
  template <class T>
  Tensor typed(tenon_dtype dtype, const Shape& shape, const std::vector<T>& elements) const {
    tenon_tensor* made = nullptr;
    cx.must(tenon_tensor_create_from(cx.get(), dtype, nullptr, static_cast<int32_t>(shape.size()),
                                     shape.data(), elements.data(), elements.size() * sizeof(T),
                                     &made));
    return Tensor(made);
  }
  Tensor doubles(const std::vector<double>& elements) const {
    return cx.tensor<double>({static_cast<int64_t>(elements.size())}, elements);
  }
};

class Item : public Print {
 protected:
  tenon_value item(const Tensor& tensor) const {
    tenon_value value{};
    cx.must(tenon_tensor_get_item(cx.get(), tensor.get(), &value));
    return value;
  }
};

TEST_F(Print, WholeTextOfAMatrix) {
  const Tensor tensor = cx.floats({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(text(tensor),
            "tensor([[1., 2.],\n        [3., 4.]], shape=[2,2], dtype=f32, device=toy:0)");
}

TEST_F(Print, SaysWhereAGradientIsWanted) {
  EXPECT_EQ(text(cx.leaf(cx.floats({1}, {1}))),
            "tensor([1.], shape=[1], dtype=f32, device=toy:0, requires_grad=true)");
}

TEST_F(Print, ScalarsAndEmptyTensors) {
  EXPECT_EQ(text(cx.floats({}, {2.5f})), "tensor(2.5, shape=[], dtype=f32, device=toy:0)");
  EXPECT_EQ(text(cx.floats({0, 3}, {})), "tensor([], shape=[0,3], dtype=f32, device=toy:0)");
}

TEST_F(Print, FloatsAreShortestAndAligned) {
  EXPECT_EQ(values(doubles({0.5, -2.5, 1e3 / 7})), "[  0.5       ,  -2.5       , 142.85714286]");
  EXPECT_EQ(values(doubles({-0.0, 0.0})), "[-0.,  0.]");
  EXPECT_EQ(values(cx.floats({2}, {0.1f, 0.25f})), "[0.1 , 0.25]");
}

TEST_F(Print, ExponentsWhereNumbersAreFarApart) {
  EXPECT_EQ(values(cx.floats({3}, {0.1f, -2.5f, 1000.0f / 7})),
            "[ 1.0000000e-01, -2.5000000e+00,  1.4285715e+02]");
  EXPECT_EQ(values(cx.floats({1}, {999999})), "[999999.]");
  EXPECT_EQ(values(cx.floats({1}, {1000000})), "[1.e+06]");
  EXPECT_EQ(values(doubles({1e-5, 1, -3.25})), "[ 1.00e-05,  1.00e+00, -3.25e+00]");
  EXPECT_EQ(values(doubles({1e300, 1e-300})), "[1.e+300, 1.e-300]");
}

TEST_F(Print, NotANumberAndInfinity) {
  EXPECT_EQ(values(doubles({1, NAN, -kInf})), "[  1.,  nan, -inf]");
  EXPECT_EQ(values(doubles({NAN, kInf})), "[nan, inf]");
  EXPECT_EQ(values(doubles({1e300, NAN, 1})), "[1.e+300,     nan, 1.e+000]");
}

TEST_F(Print, EveryDtype) {
  EXPECT_EQ(values(typed<uint8_t>(TENON_DTYPE_BOOL, {1, 2}, {1, 0})), "[[ true, false]]");
  EXPECT_EQ(values(typed<uint8_t>(TENON_DTYPE_U8, {2}, {0, 255})), "[  0, 255]");
  EXPECT_EQ(values(typed<int8_t>(TENON_DTYPE_I8, {3}, {-128, 0, 127})), "[-128,    0,  127]");
  EXPECT_EQ(values(typed<int16_t>(TENON_DTYPE_I16, {1}, {-32768})), "[-32768]");
  EXPECT_EQ(values(typed<int32_t>(TENON_DTYPE_I32, {1}, {INT32_MIN})), "[-2147483648]");
  EXPECT_EQ(values(typed<int64_t>(TENON_DTYPE_I64, {1}, {INT64_MIN})), "[-9223372036854775808]");
  // 0.1, 3.14159 and 65504 in binary16; 0.1 and 3.14159 in bfloat16.
  EXPECT_EQ(values(typed<uint16_t>(TENON_DTYPE_F16, {3}, {0x2e66, 0x4248, 0x7bff})),
            "[1.00e-01, 3.14e+00, 6.55e+04]");
  EXPECT_EQ(values(typed<uint16_t>(TENON_DTYPE_BF16, {2}, {0x3dcd, 0x4049})), "[0.1 , 3.14]");
  EXPECT_THAT(text(typed<uint16_t>(TENON_DTYPE_BF16, {1}, {0x3f80})), HasSubstr("dtype=bf16"));
}

TEST_F(Print, DimensionsAreSetApartByLines) {
  std::vector<double> elements(24);
  std::iota(elements.begin(), elements.end(), 0);
  EXPECT_EQ(values(cx.tensor<double>({2, 3, 4}, elements)),
            "[[[ 0.,  1.,  2.,  3.],\n"
            "         [ 4.,  5.,  6.,  7.],\n"
            "         [ 8.,  9., 10., 11.]],\n"
            "\n"
            "        [[12., 13., 14., 15.],\n"
            "         [16., 17., 18., 19.],\n"
            "         [20., 21., 22., 23.]]]");
}

TEST_F(Print, LongRowsAreWrapped) {
  std::vector<double> elements(30);
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = 100.0 * static_cast<double>(i);
  EXPECT_EQ(values(doubles(elements)),
            "[   0.,  100.,  200.,  300.,  400.,  500.,  600.,  700.,  800.,\n"
            "         900., 1000., 1100., 1200., 1300., 1400., 1500., 1600., 1700.,\n"
            "        1800., 1900., 2000., 2100., 2200., 2300., 2400., 2500., 2600.,\n"
            "        2700., 2800., 2900.]");
}

TEST_F(Print, ManyElementsAreShortened) {
  std::vector<int32_t> elements(1600);
  std::iota(elements.begin(), elements.end(), 0);
  EXPECT_EQ(values(cx.tensor<int32_t>({1600}, elements)),
            "[   0,    1,    2, ..., 1597, 1598, 1599]");
  EXPECT_EQ(values(cx.tensor<int32_t>({40, 40}, elements)),
            "[[   0,    1,    2, ...,   37,   38,   39],\n"
            "        [  40,   41,   42, ...,   77,   78,   79],\n"
            "        [  80,   81,   82, ...,  117,  118,  119],\n"
            "        ...,\n"
            "        [1480, 1481, 1482, ..., 1517, 1518, 1519],\n"
            "        [1520, 1521, 1522, ..., 1557, 1558, 1559],\n"
            "        [1560, 1561, 1562, ..., 1597, 1598, 1599]]");
  elements.resize(1000);
  EXPECT_THAT(values(cx.tensor<int32_t>({1000}, elements)), Not(HasSubstr("...")));
}

TEST_F(Print, StridesAreFollowedWithoutALaunch) {
  const Tensor base = cx.counting({2, 3});
  const uint64_t launches = cx.stats().launches;
  EXPECT_EQ(values(cx.view(base, {3, 2}, {-1, 3}, 2)),
            "[[3., 6.],\n        [2., 5.],\n        [1., 4.]]");
  EXPECT_EQ(values(cx.view(base, {2, 2}, {0, 0}, 4)), "[[5., 5.],\n        [5., 5.]]");
  EXPECT_EQ(cx.stats().launches, launches);
}

TEST_F(Print, OtherDevicesAreCopiedFirst) {
  const Tensor far = cx.on(cx.device("far"), cx.counting({2, 2}));
  EXPECT_EQ(text(far),
            "tensor([[1., 2.],\n        [3., 4.]], shape=[2,2], dtype=f32, device=far:0)");
  const Tensor turned = cx.view(far, {2, 2}, {1, 2}, 0);
  EXPECT_EQ(values(turned), "[[1., 3.],\n        [2., 4.]]");
}

TEST_F(Print, InfoAddsLayoutStorageAndSummary) {
  const Tensor base = cx.tensor<float>({2, 3}, {4, NAN, -1.5f, 0.5f, 2, 9});
  const Tensor view = cx.view(base, {2, 2}, {3, 1}, 1);  // NaN -1.5; 2 9
  const std::string all = text(view, TENON_TEXT_INFO);
  const std::string storage = std::to_string(cx.info(view).storage);
  EXPECT_THAT(all, HasSubstr("device=toy:0)\nstrides=[3,1], offset=1\nstorage=" + storage +
                             ", 24 bytes, users=2, version=0\n"
                             "min=-1.5, max=9, mean=3.1666666666666665, nan=1"));
  EXPECT_THAT(text(base, TENON_TEXT_INFO), HasSubstr("strides=[3,1], offset=0, contiguous\n"));
}

TEST_F(Print, InfoOfIntegersIsExactAndOfNothingIsNothing) {
  const Tensor big = cx.tensor<int64_t>({2}, {INT64_MAX, INT64_MAX - 1});
  EXPECT_THAT(text(big, TENON_TEXT_INFO),
              HasSubstr("min=9223372036854775806, max=9223372036854775807, "
                        "mean=9.223372036854776e+18, nan=0"));
  EXPECT_THAT(text(doubles({}), TENON_TEXT_INFO), HasSubstr("no values, nan=0"));
  EXPECT_THAT(text(doubles({NAN}), TENON_TEXT_INFO), HasSubstr("no values, nan=1"));
}

TEST_F(Print, UnknownFlagsAreRefused) {
  tenon_text* made = nullptr;
  const Tensor tensor = doubles({1});
  const tests::Failure failure =
      cx.refused(TENON_E_ARGUMENT, tenon_tensor_get_text(cx.get(), tensor.get(), 2, &made));
  EXPECT_EQ(failure.operand, "flags");
  EXPECT_EQ(made, nullptr);
}

TEST_F(Print, NothingIsReadWhileCapturing) {
  const Tensor tensor = doubles({1});
  cx.begin_capture();
  tenon_text* made = nullptr;
  cx.refused(TENON_E_CAPTURE, tenon_tensor_get_text(cx.get(), tensor.get(), 0, &made));
  tenon_value value{};
  cx.refused(TENON_E_CAPTURE, tenon_tensor_get_item(cx.get(), tensor.get(), &value));
  cx.end_capture();
  EXPECT_EQ(values(tensor), "[1.]");
}

TEST_F(Item, KindFollowsTheDtype) {
  EXPECT_EQ(item(typed<uint16_t>(TENON_DTYPE_F16, {}, {0x3e00})).as.f64, 1.5);
  EXPECT_EQ(item(typed<uint16_t>(TENON_DTYPE_BF16, {1}, {0x3fc0})).as.f64, 1.5);
  EXPECT_EQ(item(cx.floats({1, 1}, {0.1f})).as.f64, static_cast<double>(0.1f));
  EXPECT_EQ(item(doubles({0.1})).as.f64, 0.1);
  EXPECT_EQ(item(doubles({0.1})).tag, TENON_VALUE_F64);
  const tenon_value integer = item(typed<int64_t>(TENON_DTYPE_I64, {}, {INT64_MAX}));
  EXPECT_EQ(integer.tag, TENON_VALUE_I64);
  EXPECT_EQ(integer.as.i64, INT64_MAX);
  EXPECT_EQ(item(typed<uint8_t>(TENON_DTYPE_U8, {}, {255})).as.i64, 255);
  EXPECT_EQ(item(typed<int8_t>(TENON_DTYPE_I8, {}, {-128})).as.i64, -128);
  const tenon_value truth = item(typed<uint8_t>(TENON_DTYPE_BOOL, {}, {1}));
  EXPECT_EQ(truth.tag, TENON_VALUE_BOOL);
  EXPECT_EQ(truth.as.i64, 1);
}

TEST_F(Item, ReadsThroughViewsAndFromOtherDevices) {
  const Tensor base = cx.counting({2, 3});
  EXPECT_EQ(item(cx.view(base, {1, 1}, {7, -9}, 4)).as.f64, 5);
  EXPECT_EQ(item(cx.on(cx.device("far"), cx.floats({1}, {3}))).as.f64, 3);
}

TEST_F(Item, NeedsExactlyOneElement) {
  for (const Shape& shape : {Shape{0}, Shape{2}, Shape{2, 3}}) {
    const Tensor tensor = cx.counting(shape);
    tenon_value value{TENON_VALUE_I64, 7, {}};
    const tests::Failure failure =
        cx.refused(TENON_E_SHAPE, tenon_tensor_get_item(cx.get(), tensor.get(), &value));
    EXPECT_THAT(failure.found, StartsWith("f32["));
    EXPECT_EQ(value.count, 7u) << "written on failure";
  }
}

}  // namespace
