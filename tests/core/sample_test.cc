// SPDX-License-Identifier: Apache-2.0
// tests/core/sample_test.cc: what sample texts mean and which are refused.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tenon/sdk/plugin/sample.hpp>

#include "core/tensor/dtype.h"

namespace tenon::sdk {
namespace {

using Kind = SampleInput::Kind;

TEST(Sample, InputsOfEveryKindAndAttributes) {
  const Sample sample = parse_sample(
      "f32[2,3](-2,2.5), f32[3], none, 2.5, [f32[2], i64[]] | axes=[0,-1], keepdims=true, "
      "dtype=f32, mode=\"sa\\\"me\", k=3, eps=1e-3, bias=none, empty=[]");
  ASSERT_EQ(sample.inputs.size(), 5u);
  EXPECT_EQ(sample.inputs[0].kind, Kind::Tensor);
  EXPECT_EQ(sample.inputs[0].tensor.dtype, "f32");
  EXPECT_EQ(sample.inputs[0].tensor.dims, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(sample.inputs[0].tensor.low, -2.0);
  EXPECT_EQ(sample.inputs[0].tensor.high, 2.5);
  EXPECT_EQ(sample.inputs[0].tensor.element_count(), 6);
  EXPECT_EQ(sample.inputs[1].tensor.low, -1.0);
  EXPECT_EQ(sample.inputs[1].tensor.high, 1.0);
  EXPECT_EQ(sample.inputs[2].kind, Kind::None);
  EXPECT_EQ(sample.inputs[3].kind, Kind::Scalar);
  EXPECT_EQ(std::get<double>(sample.inputs[3].scalar), 2.5);
  EXPECT_EQ(sample.inputs[4].kind, Kind::List);
  ASSERT_EQ(sample.inputs[4].list.size(), 2u);
  EXPECT_TRUE(sample.inputs[4].list[1].dims.empty());
  EXPECT_EQ(sample.inputs[4].list[1].element_count(), 1);
  ASSERT_EQ(sample.attrs.size(), 8u);
  EXPECT_EQ(sample.attrs[0].first, "axes");
  EXPECT_EQ(std::get<std::vector<int64_t>>(sample.attrs[0].second), (std::vector<int64_t>{0, -1}));
  EXPECT_TRUE(std::get<bool>(sample.attrs[1].second));
  EXPECT_EQ(std::get<SampleDtype>(sample.attrs[2].second).name, "f32");
  EXPECT_EQ(std::get<std::string>(sample.attrs[3].second), "sa\"me");
  EXPECT_EQ(std::get<int64_t>(sample.attrs[4].second), 3);
  EXPECT_EQ(std::get<double>(sample.attrs[5].second), 1e-3);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(sample.attrs[6].second));
  EXPECT_TRUE(std::get<std::vector<int64_t>>(sample.attrs[7].second).empty());
}

TEST(Sample, ScalarsKeepTheKindTheyAreWrittenIn) {
  const Sample sample = parse_sample("2, -3, 2.0, 1e2, -1e-2, true, false, inf, -inf, nan");
  ASSERT_EQ(sample.inputs.size(), 10u);
  EXPECT_EQ(std::get<int64_t>(sample.inputs[0].scalar), 2);
  EXPECT_EQ(std::get<int64_t>(sample.inputs[1].scalar), -3);
  EXPECT_EQ(std::get<double>(sample.inputs[2].scalar), 2.0);
  EXPECT_EQ(std::get<double>(sample.inputs[3].scalar), 100.0);
  EXPECT_EQ(std::get<double>(sample.inputs[4].scalar), -0.01);
  EXPECT_TRUE(std::get<bool>(sample.inputs[5].scalar));
  EXPECT_FALSE(std::get<bool>(sample.inputs[6].scalar));
  EXPECT_TRUE(std::isinf(std::get<double>(sample.inputs[7].scalar)));
  EXPECT_LT(std::get<double>(sample.inputs[8].scalar), 0.0);
  EXPECT_TRUE(std::isnan(std::get<double>(sample.inputs[9].scalar)));
}

TEST(Sample, DefaultRangesFollowTheDtype) {
  const Sample sample = parse_sample("i32[4], u8[4], bool[4], bf16[4], i8[1](-128,128)");
  EXPECT_EQ(sample.inputs[0].tensor.low, -5.0);
  EXPECT_EQ(sample.inputs[0].tensor.high, 6.0);
  EXPECT_EQ(sample.inputs[1].tensor.low, 0.0);
  EXPECT_EQ(sample.inputs[1].tensor.high, 6.0);
  EXPECT_EQ(sample.inputs[2].tensor.low, 0.0);
  EXPECT_EQ(sample.inputs[2].tensor.high, 2.0);
  EXPECT_EQ(sample.inputs[3].tensor.high, 1.0);
  EXPECT_EQ(sample.inputs[4].tensor.high, 128.0);
}

TEST(Sample, ExplicitValuesTakeTheKindOfTheDtype) {
  const Sample sample =
      parse_sample("i64[2]{9007199254740993,-1}, f32[2,1]{1,-inf}, bool[2]{true,0}, f64[0]{}");
  const SampleTensor& whole = sample.inputs[0].tensor;
  EXPECT_TRUE(whole.explicit_values);
  EXPECT_EQ(std::get<int64_t>(whole.values[0]), 9007199254740993);
  EXPECT_EQ(std::get<double>(sample.inputs[1].tensor.values[0]), 1.0);
  EXPECT_TRUE(std::isinf(std::get<double>(sample.inputs[1].tensor.values[1])));
  EXPECT_TRUE(std::get<bool>(sample.inputs[2].tensor.values[0]));
  EXPECT_FALSE(std::get<bool>(sample.inputs[2].tensor.values[1]));
  EXPECT_TRUE(sample.inputs[3].tensor.explicit_values && sample.inputs[3].tensor.values.empty());
  EXPECT_FALSE(parse_sample("f64[0]").inputs[0].tensor.explicit_values);
}

TEST(Sample, EitherPartMayBeAbsent) {
  EXPECT_TRUE(parse_sample(" ").inputs.empty());
  const Sample attrs = parse_sample("| shape=[2,2]");
  EXPECT_TRUE(attrs.inputs.empty());
  EXPECT_EQ(attrs.attrs.size(), 1u);
  EXPECT_TRUE(parse_sample("[]").inputs[0].list.empty());
}

// The header needs nothing of the core, so it repeats the dtype names; they must stay the same.
TEST(Sample, KnowsTheDtypesOfTheCore) {
  const auto& core = tensor::all_dtypes();
  ASSERT_EQ(core.size(), detail::sample_dtypes.size());
  for (size_t i = 0; i < core.size(); ++i) {
    const detail::SampleDtypeRow& row = detail::sample_dtypes[i];
    EXPECT_EQ(row.name, tensor::name_of(core[i]));
    EXPECT_EQ(row.kind == detail::SampleKind::Float, tensor::is_float(core[i]));
    EXPECT_EQ(row.least, tensor::limits_of(core[i]).imin);
    EXPECT_EQ(row.greatest, tensor::limits_of(core[i]).imax);
  }
}

struct Refused {
  const char* text;
  size_t column;
  const char* words;
};

class SampleRefusal : public testing::TestWithParam<Refused> {};

TEST_P(SampleRefusal, PointsAtTheMistake) {
  const Refused& refused = GetParam();
  try {
    parse_sample(refused.text);
    FAIL() << "parsed: " << refused.text;
  } catch (const std::runtime_error& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with("sample column " + std::to_string(refused.column) + ": "))
        << message;
    EXPECT_NE(message.find(refused.words), std::string::npos) << message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Texts, SampleRefusal,
    testing::Values(
        Refused{",", 1, "an input"}, Refused{"f32[2],", 8, "an input"},
        Refused{"f32", 4, "'[' and the dimensions"}, Refused{"f31[2]", 1, "an input"},
        Refused{"f32[-1]", 5, "an extent"}, Refused{"f32[1.5]", 5, "an extent"},
        Refused{"f32[2", 6, "']'"}, Refused{"f32[1,1,1,1,1,1,1,1,1]", 21, "8 dimensions"},
        Refused{"f32[20000,20000]", 11, "fewer elements"},
        Refused{"f32[9223372036854775807]", 5, "fewer elements"},
        Refused{"f32[99999999999999999999]", 5, "64 bits"}, Refused{"f32[2](1,1)", 8, "low below"},
        Refused{"f32[2](0,inf)", 10, "finite"}, Refused{"i32[2](0,1.5)", 10, "an integer bound"},
        Refused{"u8[2](-1,3)", 7, "can hold"}, Refused{"u8[2](0,257)", 9, "can hold"},
        Refused{"bool[2](0,1)", 9, "no range"}, Refused{"f32[2]{1}", 8, "2 values"},
        Refused{"f32[2]{1,2", 11, "'}'"}, Refused{"f32[1](0,1){1}", 12, "the end of the text"},
        Refused{"i8[1]{128}", 7, "can hold"}, Refused{"i8[1]{1.0}", 7, "an integer"},
        Refused{"f32[1]{true}", 8, "not bool"}, Refused{"bool[1]{2}", 9, "can hold"},
        Refused{"[2.5]", 2, "a tensor"}, Refused{"[f32[2]", 8, "']'"},
        Refused{"1..2", 1, "a double"}, Refused{"3x", 1, "64 bits"},
        Refused{"f32[2] f32[2]", 8, "the end of the text"}, Refused{"|", 2, "an attribute's name"},
        Refused{"| a", 4, "'='"}, Refused{"| a=", 5, "a value"}, Refused{"| a=x", 5, "a dtype"},
        Refused{"| a=1, a=2", 8, "given twice"}, Refused{"| a=[1,x]", 8, "a number"},
        Refused{"| a=[1,true]", 8, "a number"}, Refused{"| a=\"x", 7, "at the end of a string"},
        Refused{"| a=\"\\q\"", 7, "one of"}, Refused{"\xff", 1, "byte 255"}));

}  // namespace
}  // namespace tenon::sdk
