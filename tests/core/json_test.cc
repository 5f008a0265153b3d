// SPDX-License-Identifier: Apache-2.0
// tests/core/json_test.cc: what the writer writes is what nlohmann's library writes, byte for byte;
// what the reader reads is what it reads.
#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "core/base/error.h"
#include "core/json/reader.h"
#include "core/json/writer.h"

namespace tenon::tests {
namespace {

using nlohmann::ordered_json;

std::string quoted(const std::string& text, bool ascii) {
  std::string out;
  json::append_quoted(out, text, ascii);
  return out;
}

std::string number(double value) {
  std::string out;
  json::append_number(out, value);
  return out;
}

TEST(JsonWriter, QuotesAnyBytes) {
  std::mt19937 random(20261121);
  const std::string interesting[] = {
      "\xC3\xA9",       "\xE2\x82\xAC",      "\xF0\x9F\x98\x80", "\xC3",
      "\xED\xA0\x80",   "\xF4\x90",          "\xE0\x80\x80",     "\x7F",
      "\"\\\b\f\n\r\t", std::string(1, '\0')};
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (int i = 0; i < 6; ++i) {
      if (random() % 2) {
        text += interesting[random() % std::size(interesting)];
      } else {
        text += static_cast<char>(random());
      }
    }
    for (const bool ascii : {false, true}) {
      ASSERT_EQ(quoted(text, ascii),
                ordered_json(text).dump(-1, ' ', ascii, ordered_json::error_handler_t::replace))
          << "round " << round;
    }
  }
}

TEST(JsonWriter, WritesNumbersThatReadBack) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double value : {0.0, -0.0, 1.0, 0.5, -2.5, 1e-4, 9.9e-5, 1e-8, 123456.75, 1e14, 1e15,
                             1e16, 1e300, 5e-324, std::nan(""), kInfinity, -kInfinity}) {
    EXPECT_EQ(number(value), ordered_json(value).dump());
  }
  std::mt19937_64 random(20261121);
  for (int round = 0; round < 100000; ++round) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(std::strtod(number(value).c_str(), nullptr), value);
  }
}

TEST(JsonWriter, WritesObjectsAndLists) {
  for (const uint32_t indent : {0u, 2u}) {
    json::Writer out(indent);
    out.begin_object();
    out.member("a", 1);
    out.name("empty");
    out.begin_list();
    out.end_list();
    out.name("list");
    out.begin_list();
    out.value(nullptr);
    out.value(true);
    out.value(-7);
    out.value(0.25);
    out.begin_object();
    out.end_object();
    out.end_list();
    out.member("words", std::vector<std::string>{"x", "y"});
    out.end_object();
    const ordered_json expected = {{"a", 1},
                                   {"empty", ordered_json::array()},
                                   {"list", {nullptr, true, -7, 0.25, ordered_json::object()}},
                                   {"words", {"x", "y"}}};
    EXPECT_EQ(out.take(), expected.dump(indent ? static_cast<int>(indent) : -1));
  }
}

TEST(JsonReader, ReadsEveryKind) {
  const json::Value root =
      json::parse(R"({"n": null, "t": true, "u": 7, "i": -7, "f": 0.5, "s": "\u00e9",
                      "l": [1, [2]], "o": {"x": 1}})",
                  TENON_E_DATA);
  ASSERT_TRUE(root.is(json::Kind::Object));
  EXPECT_TRUE(root.member("n").is(json::Kind::Null));
  EXPECT_TRUE(root.member("absent").is(json::Kind::Null));
  EXPECT_EQ(root.member("t").text, "true");
  EXPECT_EQ(root.member("u").number, 7u);
  EXPECT_EQ(root.member("i").text, "-7");
  EXPECT_TRUE(root.member("i").is(json::Kind::Number));
  EXPECT_EQ(root.member("f").text, "0.5");
  EXPECT_EQ(root.member("s").text, "\xC3\xA9");
  EXPECT_EQ(root.member("l").items[1].items[0].number, 2u);
  EXPECT_EQ(root.member("o").member("x").number, 1u);
}

TEST(JsonReader, SaysWhatIsWrong) {
  const auto complaint = [](const std::string& text) {
    try {
      json::parse(text, TENON_E_DATA);
    } catch (const Error& error) {
      EXPECT_EQ(error.status, TENON_E_DATA);
      return error.message;
    }
    return std::string("nothing");
  };
  EXPECT_THAT(complaint("{\"a\": }"), testing::StartsWith("is not JSON: parse error at line 1"));
  EXPECT_EQ(complaint(R"({"a": 1, "a": 2})"), "field \"a\" stands there twice");
  EXPECT_EQ(complaint(std::string(20, '[')), "brackets are nested deeper than 16");
  EXPECT_EQ(complaint(std::string(16, '[') + std::string(16, ']')), "nothing");
}

}  // namespace
}  // namespace tenon::tests
