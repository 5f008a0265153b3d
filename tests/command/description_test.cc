// SPDX-License-Identifier: Apache-2.0
// tests/command/description_test.cc: how the bridge tenon.tvm_ffi reads schemas and descriptions:
// all that there are, and any bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "plugins/tvm_ffi/description.hpp"
#include "plugins/tvm_ffi/outline.hpp"
#include "tests/command/command_support.h"

namespace tenon::tests {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using tvm_ffi::Outline;

std::vector<std::string> names_of(const json& list) {
  std::vector<std::string> names;
  for (const json& each : list) names.push_back(each.at("name"));
  return names;
}

template <class List>
std::vector<std::string> names_in(const List& list) {
  std::vector<std::string> names;
  for (const auto& each : list) names.push_back(each.name);
  return names;
}

// Every op's schema gives the host's and the bridge's reader the same.
TEST(TvmFfiOutline, IsWhatTheHostReads) {
  const json ops = run_command({"op", "list", "--json"}).json();
  ASSERT_GT(ops.size(), 100u);
  for (const json& op : ops) {
    const std::string text = op.at("schema");
    Outline outline;
    ASSERT_TRUE(read_outline(text, outline)) << text;
    EXPECT_EQ(names_in(outline.inputs), names_of(op.at("inputs"))) << text;
    EXPECT_EQ(names_in(outline.attributes), names_of(op.at("attributes"))) << text;
    ASSERT_EQ(outline.outputs.size(), op.at("outputs").size()) << text;
    EXPECT_EQ(outline.variables, names_of(op.at("variables"))) << text;
    for (size_t i = 0; i < outline.inputs.size(); ++i) {
      EXPECT_EQ(outline.inputs[i].list, op.at("inputs")[i].at("list")) << text;
      EXPECT_EQ(outline.inputs[i].optional, op.at("inputs")[i].at("optional")) << text;
    }
    for (size_t i = 0; i < outline.outputs.size(); ++i) {
      EXPECT_EQ(outline.outputs[i].aux, op.at("outputs")[i].at("aux")) << text;
    }
  }
}

TEST(TvmFfiOutline, ReadsWhatFewOpsHave) {
  Outline outline;
  ASSERT_TRUE(tvm_ffi::read_outline(
      "f(x!: T[B,C/g[1]], y: i64?, *, s: str=\"a,)\\\"]\", k: int[2]=[1,2], d: U=f32) -> "
      "(T[B], aux second: U[2*N + 1]) where T: f32|f64; U: any",
      outline));
  EXPECT_EQ(outline.name, "f");
  EXPECT_TRUE(outline.inputs[0].written);
  EXPECT_THAT(names_in(outline.attributes), ElementsAre("s", "k", "d"));
  EXPECT_EQ(outline.attributes[1].kind, "int[2]");
  EXPECT_THAT(names_in(outline.outputs), ElementsAre("out0", "second"));
  EXPECT_THAT(outline.variables, ElementsAre("T", "U"));
}

std::string some_description() {
  return R"json({"format": "tenon.tvm_ffi/1", "id": "a.b", "version": "1", "license": "MIT",
    "library": "l.so", "functions": [{"op": "a.f",
    "schema": "f(x: T[N], w: T[N]?, *, s: str=\"a\", k: int=-1) -> (y: T[N], T[N]) where T: float",
    "doc": "", "revision": 2, "function": "g", "dtypes": ["f32", ["f64"]], "twice": false,
    "arguments": ["x", "w", "y", "out1", "s", "k"],
    "composition": {"y, out1": "b.two(x, w)"},
    "gradient": {"x, w": "b.g(x, mul(y, 2.5e-1), grad_y | [1,-2], \"t\", true, f32, k, _)"},
    "samples": ["f32[2]", {"sample": "f32[]", "refused": "shape", "says": "N"}],
    "tolerances": [{"dtype": "f32", "ulp": 2, "relative": 1e-6, "reason": "r"}]}]})json";
}

TEST(TvmFfiDescription, HasAllThatIsSaid) {
  const tvm_ffi::Description read = tvm_ffi::read_description(some_description());
  ASSERT_EQ(read.functions.size(), 1u);
  const tvm_ffi::Described& f = read.functions[0];
  EXPECT_EQ(f.function.name, "g");
  EXPECT_EQ(f.revision, 2u);
  EXPECT_THAT(f.rows, ElementsAre(TENON_DTYPE_F32, TENON_DTYPE_F64));
  ASSERT_EQ(f.function.arguments.size(), 6u);
  EXPECT_EQ(f.function.arguments[3].index, 3u);
  EXPECT_TRUE(f.function.arguments[4].is_attribute);
  ASSERT_EQ(f.rules.size(), 1u);
  EXPECT_THAT(f.rules[0].targets, ElementsAre(0u, 1u));
  ASSERT_EQ(f.composition.size(), 1u);
  EXPECT_THAT(f.composition[0].targets, ElementsAre(0u, 1u));
  EXPECT_EQ(f.rules[0].need.inputs, 1u);
  EXPECT_EQ(f.rules[0].need.outputs, 1u);
  EXPECT_THAT(f.rules[0].expression.attributes[0].integers, ElementsAre(1, -2));
  EXPECT_EQ(f.samples[1].expect, TENON_E_SHAPE);
  EXPECT_EQ(f.tolerances[0].relative, 1e-6);
}

// Read, or refused in words: nothing else.
TEST(TvmFfiDescription, MayBeAnyBytes) {
  const std::string right = some_description();
  std::mt19937 random(20261127);
  int read = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text = right;
    for (uint32_t left = random() % 3 + 1; left > 0 && !text.empty(); --left) {
      const size_t at = random() % text.size();
      const uint32_t kind = random() % 4;
      if (kind == 0) text[at] = static_cast<char>(random());
      if (kind == 1) text.erase(at, random() % 9);
      if (kind == 2) text.insert(at, right, random() % right.size(), random() % 9);
      if (kind == 3) text.resize(std::max<size_t>(at, 1));
    }
    try {
      tvm_ffi::read_description(text);
      ++read;
    } catch (const sdk::Failure& failure) {
      ASSERT_FALSE(failure.what.empty()) << text;
    }
  }
  EXPECT_GT(read, 100);
  EXPECT_LT(read, 19000);
}

void expect_refused(const std::string& text, const std::string& words) {
  try {
    tvm_ffi::read_description(text);
    ADD_FAILURE() << text.substr(0, 100) << " was read";
  } catch (const sdk::Failure& failure) {
    EXPECT_THAT(failure.what, testing::HasSubstr(words));
  }
}

TEST(TvmFfiDescription, RefusesWhatJsonAllows) {
  expect_refused(R"({"id": "a.b", "id": "a.c"})", "has the name \"id\" twice");
  expect_refused(std::string(100000, '['), "is nested too deeply");
  expect_refused("{\"id\": \"\xff\"}", "is not JSON");
  expect_refused(some_description() + "x", "is not JSON");
  expect_refused("null", "expected an object");
}

}  // namespace
}  // namespace tenon::tests
