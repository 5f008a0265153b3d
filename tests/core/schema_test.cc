// SPDX-License-Identifier: Apache-2.0
// tests/core/schema_test.cc: what schema texts mean, which are refused and with what words.
#include "core/registry/schema.h"

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/json/writer.h"

namespace tenon::registry {
namespace {

// Canonical texts: formatting gives them back byte for byte.
const std::vector<std::string> examples = {
    ("conv2d(x: T[B,C,H,W], weight: T[O,C/g,h,w], bias: T[O]?, *, stride: int[2]=1, "
     "padding: int[2]=0, dilation: int[2]=1, groups: int=1) -> T[B,O,H2,W2]"),
    "add(a: T[...], b: T[...]) -> T[...] where T: number promote",
    ("sum(x: T[...], *, axes: int[]?, keepdims: bool=false) -> T[...] where T: float|i64 "
     "promote"),
    "concat(xs: T[...]*, *, axis: int=0) -> T[...]",
    ("adam_step(params!: T[...]*, grads: T[...]*, m!: U[...]*, v!: U[...]*, step!: i64[]*, "
     "lr: f64[], *, beta1: float=0.9) -> ()"),
    "full(*, shape: int[], value: number=0, dtype: D=f32) -> D[...]",
    ("softmax_cross_entropy(logits: T[N,C], target: i64[N], *, ignore_index: int=-100) -> "
     "(T[], aux top: T[N], aux top_prob: T[N]) where T: float"),
    "max(x: T[...], *, axes: int[]?, keepdims: bool=false) -> (T[...], aux i64[...])",
    "cast(x: T[...], *, dtype: U) -> U[...]",
    "acme.where(condition: bool[...], a: T, b: T) -> T where T: any promote",
    "embedding(weight: T[V,D], indices: Idx[...I]) -> T[...I,D] where T: float; Idx: i32|i64",
    ("pad(x: T[2,N], *, widths: int[3]=[1,2,3], fill: number=-inf, mode: str=\"a\\\"\\\\\\n\", "
     "dtype: dtype?=none, scale: float=nan, on: number=true, f: number=2.0) -> T[2,N + f(a, [b])]"),
    "barrier() -> ()",
};

Error error_of(const std::string& text) {
  try {
    parse_schema(text);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "parsed: " << text;
  return Error{TENON_OK, "parsed"};
}

// All that a schema says.
std::string data_of(const Schema& schema) {
  json::Writer out;
  out.begin_object();
  write_schema(out, schema);
  out.end_object();
  return schema.name + out.take();
}

template <class Value>
const Value& default_of(const Schema& schema, size_t attr) {
  return std::get<Value>(schema.attrs[attr].def.value());
}

TEST(Schema, ExamplesAreCanonical) {
  for (const std::string& text : examples) {
    const Schema schema = parse_schema(text);
    EXPECT_EQ(format_schema(schema), text);
    EXPECT_EQ(schema.text, text);
    EXPECT_EQ(data_of(parse_schema(format_schema(schema))), data_of(schema)) << text;
  }
}

TEST(Schema, Convolution) {
  const Schema s = parse_schema(examples[0]);
  EXPECT_EQ(s.name, "conv2d");
  ASSERT_EQ(s.inputs.size(), 3u);
  EXPECT_EQ(s.min_inputs(), 2);
  ASSERT_EQ(s.outputs.size(), 1u);
  EXPECT_EQ(s.inputs[2].name, "bias");
  EXPECT_EQ(s.find_attr("bias"), -1);
  EXPECT_EQ(s.find_attr("groups"), 3);
  ASSERT_EQ(s.variables.size(), 1u);
  EXPECT_EQ(s.variables[0].name, "T");
  EXPECT_EQ(s.variables[0].allowed.size(), 10u);
  EXPECT_TRUE(s.inputs[2].optional);
  EXPECT_FALSE(s.inputs[1].optional || s.inputs[1].list || s.inputs[1].mutated);
  ASSERT_EQ(s.inputs[1].dims.size(), 4u);
  EXPECT_EQ(s.inputs[1].dims[0], (Dim{Dim::Letter, "O", 0}));
  EXPECT_EQ(s.inputs[1].dims[1], (Dim{Dim::Expression, "C/g", 0}));
  ASSERT_EQ(s.attrs.size(), 4u);
  EXPECT_EQ(s.attrs[0].kind, AttrKind::IntList);
  EXPECT_EQ(s.attrs[0].fixed_count, 2);
  EXPECT_EQ(default_of<std::vector<int64_t>>(s, 0), (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(s.attrs[3].kind, AttrKind::Int);
  EXPECT_EQ(default_of<int64_t>(s, 3), 1);
  EXPECT_EQ(s.outputs[0].dims[2], (Dim{Dim::Letter, "H2", 0}));
}

TEST(Schema, OptimizerStep) {
  const Schema s = parse_schema(examples[4]);
  ASSERT_EQ(s.inputs.size(), 6u);
  EXPECT_TRUE(s.inputs[0].mutated && s.inputs[0].list);
  EXPECT_FALSE(s.inputs[1].mutated);
  EXPECT_EQ(s.inputs[2].type.variable, 1);
  EXPECT_EQ(s.inputs[4].type.variable, -1);
  EXPECT_EQ(s.inputs[4].type.fixed, TENON_DTYPE_I64);
  EXPECT_TRUE(s.inputs[5].has_dims && s.inputs[5].dims.empty());
  EXPECT_EQ(default_of<double>(s, 0), 0.9);
  EXPECT_TRUE(s.outputs.empty());
}

TEST(Schema, OutputsAndTheirMarks) {
  const Schema s = parse_schema(examples[6]);
  ASSERT_EQ(s.outputs.size(), 3u);
  EXPECT_EQ(s.plain_outputs(), 1);
  EXPECT_FALSE(s.outputs[0].aux);
  EXPECT_TRUE(s.outputs[1].aux);
  EXPECT_EQ(s.outputs[1].name, "top");
  EXPECT_TRUE(s.outputs[2].aux);
  EXPECT_EQ(s.outputs[2].name, "top_prob");
  EXPECT_EQ(default_of<int64_t>(s, 0), -100);
  const Schema unnamed = parse_schema(examples[7]);
  EXPECT_TRUE(unnamed.outputs[1].aux && unnamed.outputs[1].name.empty());
  EXPECT_EQ(unnamed.outputs[1].type.fixed, TENON_DTYPE_I64);
}

TEST(Schema, AttributesThatBind) {
  const Schema s = parse_schema(examples[5]);
  EXPECT_EQ(s.attrs[2].kind, AttrKind::Dtype);
  EXPECT_EQ(s.attrs[2].binds_variable, 0);
  EXPECT_EQ(default_of<tenon_dtype>(s, 2), TENON_DTYPE_F32);
  EXPECT_TRUE(s.attrs[0].required());
  EXPECT_EQ(default_of<int64_t>(s, 1), 0);
  const Schema cast = parse_schema(examples[8]);
  EXPECT_EQ(cast.attrs[0].binds_variable, 1);
  EXPECT_EQ(cast.outputs[0].type.variable, 1);
}

TEST(Schema, DefaultsOfEveryKind) {
  const Schema s = parse_schema(examples[11]);
  EXPECT_EQ(default_of<std::vector<int64_t>>(s, 0), (std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(default_of<double>(s, 1), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(default_of<std::string>(s, 2), "a\"\\\n");
  EXPECT_EQ(s.attrs[3].def, Default());
  EXPECT_TRUE(s.attrs[3].optional && !s.attrs[3].required());
  EXPECT_TRUE(std::isnan(default_of<double>(s, 4)));
  EXPECT_TRUE(default_of<bool>(s, 5));
  EXPECT_EQ(default_of<double>(s, 6), 2.0);
  EXPECT_EQ(s.inputs[0].dims[0], (Dim{Dim::Integer, "", 2}));
  EXPECT_EQ(s.outputs[0].dims[1], (Dim{Dim::Expression, "N + f(a, [b])", 0}));
}

TEST(Schema, RunsAndAbsentBrackets) {
  const Schema s = parse_schema(examples[10]);
  EXPECT_EQ(s.inputs[1].dims[0], (Dim{Dim::Ellipsis, "I", 0}));
  EXPECT_EQ(s.variables[1].allowed, (std::vector<tenon_dtype>{TENON_DTYPE_I32, TENON_DTYPE_I64}));
  EXPECT_EQ(s.variables[0].allowed.size(), 4u);
  EXPECT_FALSE(parse_schema(examples[9]).inputs[1].has_dims);
}

TEST(Schema, FreeSpacingBecomesCanonical) {
  const Schema s = parse_schema(
      "\n add ( a:T [ ... ] ,b :T[...]\t,*,s:int[2]=[ 3 , 3 ],t:float=1 )->( T[ 2  *  N , 007 ] "
      ")\r\n"
      "where T : i64|int | f32");
  EXPECT_EQ(s.text,
            "add(a: T[...], b: T[...], *, s: int[2]=3, t: float=1.0) -> T[2 * N,7] "
            "where T: int|f32");
  EXPECT_EQ(data_of(parse_schema(s.text)), data_of(s));
  EXPECT_EQ(parse_schema("f(x: T) -> T where T: any").text, "f(x: T) -> T");
  EXPECT_EQ(parse_schema("f(x: T) -> T where T: number|bool").text, "f(x: T) -> T");
  EXPECT_EQ(parse_schema("f(x: T) -> T where T: f64|bool|f32|f64").text,
            "f(x: T) -> T where T: bool|f32|f64");
}

TEST(Schema, DataSaysEveryPart) {
  const Schema base = parse_schema("f(x: T[N], *, a: int=1) -> T[N] where T: float");
  for (const char* other : {"g(x: T[N], *, a: int=1) -> T[N] where T: float",
                            "f(y: T[N], *, a: int=1) -> T[N] where T: float",
                            "f(x: T[M], *, a: int=1) -> T[N] where T: float",
                            "f(x!: T[N], *, a: int=1) -> T[N] where T: float",
                            "f(x: T[N]*, *, a: int=1) -> T[N] where T: float",
                            "f(x: T[N], *, a: int=2) -> T[N] where T: float",
                            "f(x: T[N], *, a: int?=1) -> T[N] where T: float",
                            "f(x: T[N], *, a: int=1) -> aux T[N] where T: float",
                            "f(x: T[N], *, a: int=1) -> T[N] where T: int",
                            "f(x: T[N], *, a: int=1) -> T[N] where T: float promote"}) {
    EXPECT_NE(data_of(parse_schema(other)), data_of(base)) << other;
  }
}

TEST(Schema, RefusalsNameColumnExpectationAndFinding) {
  const Error error = error_of("add(a: T[...], b) -> T[...]");
  EXPECT_EQ(error.status, TENON_E_SCHEMA);
  EXPECT_EQ(error.message,
            "schema column 17: expected ':' after an input's name, found ')'\n"
            "  add(a: T[...], b) -> T[...]\n"
            "                  ^");
  EXPECT_EQ(error.op, "add");
  EXPECT_EQ(error.expected, "':' after an input's name");
  EXPECT_EQ(error.found, "')'");
}

struct Refused {
  const char* text;
  size_t column;      // where the caret stands, 1-based
  const char* words;  // a part of the message
};

class SchemaRefusal : public testing::TestWithParam<Refused> {};

TEST_P(SchemaRefusal, PointsAtTheMistake) {
  const Refused& refused = GetParam();
  const Error error = error_of(refused.text);
  EXPECT_EQ(error.status, TENON_E_SCHEMA);
  EXPECT_TRUE(error.message.starts_with("schema column " + std::to_string(refused.column) + ": "))
      << error.message;
  EXPECT_NE(error.message.find(refused.words), std::string::npos) << error.message;
  EXPECT_EQ(error.message.back(), '^');
}

INSTANTIATE_TEST_SUITE_P(
    Grammar, SchemaRefusal,
    testing::Values(
        Refused{"", 1, "expected the op's name, found the end of the text"},
        Refused{"a.", 3, "a name after '.'"}, Refused{"f", 2, "'(' after the op's name"},
        Refused{"f(", 3, "an input's name"}, Refused{"f(x)", 4, "':' after an input's name"},
        Refused{"f(x: q) -> ()", 6, "a dtype"}, Refused{"f(x: TT) -> ()", 6, "found 'TT'"},
        Refused{"f(x: T,) -> ()", 8, "an input's name"},
        Refused{"f(x: T*?!) -> ()", 9, "')' or ',' after a parameter"},
        Refused{"f(x: T, *) -> ()", 10, "',' after '*'"},
        Refused{"f(*, a: int, *, b: int) -> ()", 14, "an attribute's name"},
        Refused{"f(x: T[N) -> ()", 9, "a matching bracket"},
        Refused{"f(x: T[..]) -> ()", 8, "found '.'"}, Refused{"f(x: T) -> T[+]", 14, "found '+'"},
        Refused{"f(x: T[()]) -> ()", 8, "a dimension"}, Refused{"f(x: T[..B]) -> ()", 8, "'...'"},
        Refused{"f(x: T[N,B..]) -> ()", 10, "'...'"},
        Refused{"f(x: T[N", 9, "']' or ',' after a dimension"},
        Refused{"f(x: T[(N", 10, "')' in a dimension"},
        Refused{"f(x: T[N,]) -> ()", 10, "a dimension"},
        Refused{"f(x: T[-1]) -> ()", 8, "negative"},
        Refused{"f(x: T[...1]) -> ()", 8, "'...' with a name"},
        Refused{"f(x: T[99999999999999999999]) -> ()", 8, "64 bits"},
        Refused{"f(x: T)", 8, "'->' after the parameters"}, Refused{"f(x: T) - >", 9, "'->'"},
        Refused{"f(x: T) -> (T", 14, "')' or ',' after an output"},
        Refused{"f(x: T) -> T x", 14, "'where' or the end of the text"},
        Refused{"f(x: T) -> T where", 19, "a type variable"},
        Refused{"f(x: T) -> T where T: numbers", 23, "a category"},
        Refused{"f(x: T) -> T where T: int|", 27, "a category"},
        Refused{"f(x: T) -> T where T: int;", 27, "a type variable"},
        Refused{"f(*, a: integer) -> ()", 9, "an attribute's kind"},
        Refused{"f(*, a: int[x]) -> ()", 13, "']' or the number of integers"},
        Refused{"f(*, a: int[0]) -> ()", 13, "1 to 64"},
        Refused{"f(*, a: int[65]) -> ()", 13, "1 to 64"}));

INSTANTIATE_TEST_SUITE_P(
    Defaults, SchemaRefusal,
    testing::Values(Refused{"f(*, a: int=1.5) -> ()", 13, "an integer, found '1'"},
                    Refused{"f(*, a: int=true) -> ()", 13, "an integer"},
                    Refused{"f(*, a: int=9223372036854775808) -> ()", 13, "64 bits"},
                    Refused{"f(*, a: int=1x) -> ()", 14, "')' or ','"},
                    Refused{"f(*, a: float=x) -> ()", 15, "a float"},
                    Refused{"f(*, a: float=-nan) -> ()", 15, "a float"},
                    Refused{"f(*, a: float=infinity) -> ()", 15, "a float"},
                    Refused{"f(*, a: float=1e) -> ()", 15, "a double can hold"},
                    Refused{"f(*, a: float=1e999) -> ()", 15, "a double can hold"},
                    Refused{"f(*, a: bool=1) -> ()", 14, "true or false"},
                    Refused{"f(*, a: str=x) -> ()", 13, "'\"' of a string"},
                    Refused{"f(*, a: str=\"x) -> ()", 22, "at the end of a string"},
                    Refused{"f(*, a: str=\"\\x\") -> ()", 15, "one of"},
                    Refused{"f(*, a: str=\"\n\") -> ()", 14, "on one line"},
                    Refused{"f(*, a: number=\"1\") -> ()", 16, "a number"},
                    Refused{"f(*, a: dtype=f31) -> ()", 15, "a dtype"},
                    Refused{"f(*, a: int[]=1) -> ()", 15, "'[' of a list"},
                    Refused{"f(*, a: int[]=[1,2.5]) -> ()", 18, "an integer"},
                    Refused{"f(*, a: int[2]=[1]) -> ()", 16, "a default of 1 integers"},
                    Refused{"f(*, a: int=none) -> ()", 13, "only after '?'"}));

INSTANTIATE_TEST_SUITE_P(
    Meaning, SchemaRefusal,
    testing::Values(Refused{"f(x: T, x: T) -> ()", 9, "the name 'x' is taken"},
                    Refused{"f(x: T, *, x: int) -> ()", 12, "the name 'x' is taken"},
                    Refused{"f(x: T) -> x: T", 12, "the name 'x' is taken"},
                    Refused{"f(x: T) -> (y: T, y: T)", 19, "the name 'y' is taken"},
                    Refused{"f(x: T?, y: T) -> ()", 10, "optional inputs come last"},
                    Refused{"f(x: T) -> (aux T, T)", 20, "aux outputs come last"},
                    Refused{"f(x: T) -> aux: T", 12, "cannot be named 'aux'"},
                    Refused{"f(x: T) -> U", 12, "output type 'U' is not bound"},
                    Refused{"f(x: T, y: U?) -> U", 12, "output type 'U' is not bound"},
                    Refused{"f(*, d: U?) -> U", 9, "output type 'U' is not bound"},
                    Refused{"f(*, d: U?=f32) -> U", 9, "output type 'U' is not bound"},
                    Refused{"f(x: T, *, d: T) -> T", 15, "already bound"},
                    Refused{"f(*, d: T, e: T) -> T", 15, "already bound"},
                    Refused{"f(x: T[...,...]) -> ()", 12, "a second '...'"},
                    Refused{"f(x: T[A,B,C,D,E,F,G,H,I]) -> ()", 24, "too many dimensions"},
                    Refused{"f(x: T) -> T where U: int", 20, "no operand is of type 'U'"},
                    Refused{"f(x: T) -> T where T: int; T: int", 28, "a second clause"},
                    Refused{"f(x!: T) -> T where T: int promote", 21, "never cast"},
                    Refused{"f(*, d: T=f32) -> T where T: float promote", 27, "no input uses it"},
                    Refused{"f(*, d: T=i32) -> T where T: float", 11, "not among the dtypes"}));

TEST(Schema, BytesOutsideAsciiAreRefusedAndNotEchoed) {
  const Error error = error_of("f(x: T\xc3\xa9) -> T");
  EXPECT_NE(error.message.find("column 7: expected printable ASCII, found byte 195"),
            std::string::npos);
  for (const char c : error.message) EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~'));
  EXPECT_NE(error_of(std::string("f(x: T\0) -> T", 13)).message.find("byte 0"), std::string::npos);
}

TEST(Schema, LongTextsShowTheirNeighbourhoodOnly) {
  const std::string text = "f(" + std::string(1000, 'x') + ": T, ?" + std::string(1000, ' ');
  const Error error = error_of(text);
  EXPECT_TRUE(error.message.starts_with("schema column 1008: "));
  EXPECT_LT(error.message.size(), 400u);
  const size_t line = error.message.find('\n') + 1;
  const size_t caret_line = error.message.find('\n', line) + 1;
  const size_t caret = error.message.size() - 1 - caret_line;
  EXPECT_EQ(error.message[line + caret], '?');
}

std::string with_inputs(int count) {
  std::string text = "f(";
  for (int i = 0; i < count; ++i) text += (i == 0 ? "x" : ", x") + std::to_string(i) + ": T";
  return text + ") -> T";
}

TEST(Schema, LimitsAreInclusive) {
  EXPECT_EQ(parse_schema(with_inputs(63)).inputs.size(), 63u);
  EXPECT_NE(error_of(with_inputs(64)).message.find("too many operands"), std::string::npos);
  std::string attrs = "f(*";
  for (int i = 0; i < 64; ++i) attrs += ", a" + std::to_string(i) + ": int";
  EXPECT_EQ(parse_schema(attrs + ") -> ()").attrs.size(), 64u);
  EXPECT_NE(error_of(attrs + ", b: int) -> ()").message.find("too many attributes"),
            std::string::npos);
  const std::string dims = "f(x: T[a, b, c, d, e, f, g, h";
  EXPECT_EQ(parse_schema(dims + "]) -> ()").inputs[0].dims.size(), 8u);
  EXPECT_NE(error_of(dims + ", i]) -> ()").message.find("too many dimensions"), std::string::npos);
  const std::string core = "f() -> ()";
  EXPECT_EQ(parse_schema(core + std::string(max_schema_bytes - core.size(), ' ')).text, core);
  EXPECT_NE(error_of(core + std::string(max_schema_bytes, ' ')).message.find("4105 bytes"),
            std::string::npos);
}

// "a:T" grows a space in the canonical text, which must itself be readable.
TEST(Schema, TheCanonicalTextIsHeldToTheLimitToo) {
  std::string text = "f(x:T[" + std::string(max_schema_bytes - 12, 'a') + "])->()";
  ASSERT_EQ(text.size(), max_schema_bytes);
  EXPECT_NE(error_of(text).message.find("canonical"), std::string::npos);
  EXPECT_NO_THROW(parse_schema(text.erase(6, 10)));
}

// Broken copies of good texts either parse to something that survives its own canonical text, or
// are refused with an Error; nothing else may happen.
TEST(Schema, MutatedTextsParseOrAreRefused) {
  const uint32_t seed = std::random_device{}();
  std::cout << "seed " << seed << '\n';
  std::mt19937 random(seed);
  const std::string alphabet = "TUxf32i64[]().,*?!:;|=-> \"\\\n0...ainfwherenonepromoteaux";
  int parsed = 0;
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text = examples[random() % examples.size()];
    for (size_t edits = 1 + random() % 3; edits > 0; --edits) {
      const size_t at = random() % text.size();
      const char c = alphabet[random() % alphabet.size()];
      switch (random() % 4) {
        case 0:
          text[at] = c;
          break;
        case 1:
          text.insert(at, 1, c);
          break;
        case 2:
          text.erase(at, 1 + random() % 4);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 12));
          break;
      }
    }
    try {
      const Schema schema = parse_schema(text);
      ASSERT_EQ(data_of(parse_schema(schema.text)), data_of(schema)) << text;
      ++parsed;
    } catch (const Error& error) {
      ASSERT_EQ(error.status, TENON_E_SCHEMA);
      ++refused;
    }
  }
  EXPECT_GT(parsed, 1000);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace tenon::registry
