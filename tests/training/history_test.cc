// SPDX-License-Identifier: Apache-2.0
// tests/training/history_test.cc: points of a history, its texts and its picture.
#include <clocale>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/training/history_support.h"

namespace tenon::tests {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// ---- Points -------------------------------------------------------------------------------------

TEST_F(History, GivesItsPointsBack) {
  set("loss", 10, 0.5);
  set("rate", 0, 0.25);
  set("loss", 5, kNan);
  set("loss", 5, -kInfinity);
  const auto get = [&](const char* name, uint64_t index) {
    std::pair<int64_t, double> point;
    must(tenon_history_get(context, history, name, TENON_NUL, index, &point.first, &point.second));
    return point;
  };
  EXPECT_EQ(get("loss", 0), std::pair(int64_t{10}, 0.5));
  EXPECT_EQ(get("loss", 1).first, 5);
  EXPECT_TRUE(std::isnan(get("loss", 1).second));
  EXPECT_EQ(get("loss", 2), std::pair(int64_t{5}, -kInfinity));
  EXPECT_EQ(get("rate", 0), std::pair(int64_t{0}, 0.25));
  EXPECT_EQ(tenon_history_get(context, history, "loss", 4, 0, nullptr, nullptr), TENON_OK);
}

TEST_F(History, PointsThatAreNone) {
  int64_t step = 7;
  double value = 7;
  const auto refused_get = [&](std::string_view name, uint64_t index) {
    return refused(
        tenon_history_get(context, history, name.data(), name.size(), index, &step, &value),
        TENON_E_NOT_FOUND);
  };
  EXPECT_EQ(refused_get("loss", 0),
            "history: there is no series \"loss\"; nothing was added yet\n\nname\n"
            "a series with points\nloss\n\na series begins with its first point\n");
  set("loss", 0, 1);
  set("test accuracy", 0, 1);
  EXPECT_EQ(refused_get("Loss", 0),
            "history: there is no series \"Loss\"; there are \"loss\", \"test accuracy\"\n\nname\n"
            "one of: \"loss\", \"test accuracy\"\nLoss\n\na series begins with its first point\n");
  EXPECT_EQ(
      refused_get("loss", 1),
      "history: series \"loss\" has no point 1, it has 1\n\nindex\nan index below 1\n1\n\n\n");
  refused_get("loss", UINT64_MAX);
  for (int i = 0; i < 10; ++i) set(std::to_string(i), 0, 1);
  EXPECT_THAT(refused_get("x", 0), HasSubstr("\"5\", ..."));
  EXPECT_EQ(step, 7);
  EXPECT_EQ(value, 7);
}

TEST_F(History, HoldsAnyNumberOfSeries) {
  const std::string tail(1000, 'x');
  for (int i = 0; i < 300; ++i) set(std::to_string(i) + tail, i, i);
  for (int i = 0; i < 300; ++i) {
    const std::string name = std::to_string(i) + tail;
    int64_t step = 0;
    must(tenon_history_get(context, history, name.data(), name.size(), 0, &step, nullptr));
    EXPECT_EQ(step, i);
  }
  const std::string svg = picture();
  EXPECT_EQ(count_of(svg, "<path fill=\"none\""), 300u);
  EXPECT_THAT(svg, HasSubstr(">299" + tail + "</text>"));
}

// Names are in the picture, not below it: the nineteenth stands left of the first.
TEST_F(History, NamesOfManySeriesStandInColumns) {
  for (int i = 0; i < 19; ++i) set("s" + std::to_string(i), 0, 0);
  const std::string svg = picture();
  EXPECT_THAT(svg, HasSubstr("<text x=\"692.0\" y=\"54.0\" text-anchor=\"end\">s0</text>"));
  EXPECT_THAT(svg, HasSubstr("<text x=\"692.0\" y=\"326.0\" text-anchor=\"end\">s17</text>"));
  EXPECT_THAT(svg, HasSubstr("<text x=\"572.0\" y=\"54.0\" text-anchor=\"end\">s18</text>"));
}

TEST_F(History, WrongArguments) {
  EXPECT_EQ(refused(try_set("", 0, 0), TENON_E_ARGUMENT),
            "history: the name of the series is empty\n\nname\n"
            "the name of a series, such as \"loss\"\nan empty text\n\ngive the series a name\n");
  EXPECT_EQ(refused(try_set("\xff", 0, 0), TENON_E_ARGUMENT),
            "history: the name is not UTF-8\n\nname\nUTF-8 text\nother bytes\n\n"
            "convert the text to UTF-8\n");
  EXPECT_THAT(refused(tenon_history_set(context, history, nullptr, 0, 0, 0), TENON_E_ARGUMENT),
              StartsWith("name is NULL"));
  EXPECT_EQ(query("json"), "{\"series\":[]}");
  tenon_text* text = nullptr;
  EXPECT_EQ(refused(tenon_history_query(context, history, "xml", 3, &text), TENON_E_NOT_FOUND),
            "history: there is no topic \"xml\"; topics are json, csv, svg\n\ntopic\n"
            "json, csv or svg\nxml\n\n\n");
  EXPECT_EQ(text, nullptr);
  EXPECT_THAT(refused(try_save(""), TENON_E_ARGUMENT), StartsWith("the path is empty\n"));
  EXPECT_THAT(refused(try_save(std::string("a\0b", 3)), TENON_E_ARGUMENT),
              StartsWith("the path has a zero byte\n"));
  EXPECT_THAT(refused(try_save(path("loss.svg"), "\xc0\x80"), TENON_E_ARGUMENT),
              StartsWith("history: the title is not UTF-8"));
  EXPECT_THAT(refused(try_events(""), TENON_E_ARGUMENT), StartsWith("the folder is empty\n"));
  EXPECT_THAT(refused(tenon_history_set(context, reinterpret_cast<tenon_history*>(context), "loss",
                                        4, 0, 0),
                      TENON_E_HANDLE),
              StartsWith("not a live history handle"));
  EXPECT_THAT(files(), IsEmpty());
}

// ---- Texts --------------------------------------------------------------------------------------

TEST_F(History, AsJson) {
  set("loss", 1, 0.5);
  set("loss", -2, kNan);
  set("a \"b\"", std::numeric_limits<int64_t>::max(), 1e300);
  EXPECT_EQ(query("json"),
            "{\"series\":[{\"name\":\"loss\",\"steps\":[1,-2],\"values\":[0.5,null]},"
            "{\"name\":\"a \\\"b\\\"\",\"steps\":[9223372036854775807],\"values\":[1e+300]}]}");
  EXPECT_EQ(json::parse(query("json")).at("series").size(), 2u);
}

TEST_F(History, AsCsv) {
  EXPECT_EQ(query("csv"), "series,step,value\n");
  set("loss", 1, 0.1);
  set("a,\"b\"", 0, kNan);
  set("loss", 2, kInfinity);
  set("loss", 3, -kInfinity);
  EXPECT_EQ(query("csv"),
            "series,step,value\nloss,1,0.1\nloss,2,inf\nloss,3,-inf\n\"a,\"\"b\"\"\",0,nan\n");
}

TEST_F(History, AsSvgIsThePictureWithoutATitle) {
  set("loss", 1, 0.5);
  set("loss", 2, 0.25);
  EXPECT_EQ(query("svg"), picture(""));
}

// ---- The picture --------------------------------------------------------------------------------

TEST_F(History, IsALineForEachSeries) {
  for (int64_t i = 0; i <= 10; ++i) {
    set("loss", i, 2.0 - 0.2 * static_cast<double>(i));
    set("a < b & c", i, 1);
  }
  const std::string svg = picture("R&D");
  EXPECT_EQ(count_of(svg, "<path fill=\"none\""), 2u);
  EXPECT_THAT(svg, HasSubstr(">loss</text>"));
  EXPECT_THAT(svg, HasSubstr(">a &lt; b &amp; c</text>"));
  EXPECT_THAT(svg, HasSubstr(">R&amp;D</text>"));
  // From the upper left corner of the frame to the lower right one.
  EXPECT_THAT(svg, HasSubstr("\"M64.0 40.0h0.01L127.2 70.0"));
  EXPECT_THAT(svg, HasSubstr("L696.0 340.0\"/>"));
  for (const char* number : {">0<", ">0.5<", ">1<", ">1.5<", ">2<", ">4<", ">10<"}) {
    EXPECT_THAT(svg, HasSubstr(number));
  }
  EXPECT_THAT(files(), ElementsAre("loss.svg"));
}

// Every byte of a small one.
TEST_F(History, IsThisPicture) {
  set("loss", 0, 1);
  set("loss", 1, 0);
  EXPECT_EQ(picture("T"), R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 400" )"
                          R"(font-family="sans-serif" font-size="12">
<rect width="720" height="400" fill="white"/>
<text x="64.0" y="24.0" text-anchor="start">T</text>
<text x="380.0" y="388.0" text-anchor="middle">step</text>
<path d="M64.0 340.0H696.0" stroke="#ddd"/>
<text x="58.0" y="344.0" text-anchor="end">0</text>
<path d="M64.0 280.0H696.0" stroke="#ddd"/>
<text x="58.0" y="284.0" text-anchor="end">0.2</text>
<path d="M64.0 220.0H696.0" stroke="#ddd"/>
<text x="58.0" y="224.0" text-anchor="end">0.4</text>
<path d="M64.0 160.0H696.0" stroke="#ddd"/>
<text x="58.0" y="164.0" text-anchor="end">0.6</text>
<path d="M64.0 100.0H696.0" stroke="#ddd"/>
<text x="58.0" y="104.0" text-anchor="end">0.8</text>
<path d="M64.0 40.0H696.0" stroke="#ddd"/>
<text x="58.0" y="44.0" text-anchor="end">1</text>
<text x="64.0" y="358.0" text-anchor="middle">0</text>
<text x="190.4" y="358.0" text-anchor="middle">0.2</text>
<text x="316.8" y="358.0" text-anchor="middle">0.4</text>
<text x="443.2" y="358.0" text-anchor="middle">0.6</text>
<text x="569.6" y="358.0" text-anchor="middle">0.8</text>
<text x="696.0" y="358.0" text-anchor="middle">1</text>
<path fill="none" stroke="#1f5fa8" stroke-width="1.5" d="M64.0 40.0h0.01L696.0 340.0"/>
<g fill="#1f5fa8"><text x="692.0" y="54.0" text-anchor="end">loss</text>
</g>
</svg>
)");
}

TEST_F(History, NumbersThatAreNone) {
  int64_t step = 0;
  for (const double value : {1.0, kNan, 2.0, kInfinity, -kInfinity, 3.0}) {
    set("loss", step++, value);
  }
  const std::string svg = picture();
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
  EXPECT_EQ(count_of(svg, "h0.01"), 3u) << "broken where there is no number: " << svg;
}

TEST_F(History, NothingOneValueAndHugeOnes) {
  EXPECT_THAT(picture(), EndsWith("</svg>\n"));
  set("loss", 5, 1e15);
  EXPECT_THAT(picture(), Not(HasSubstr("nan")));
  set("loss", 6, 1e15 + 0.125);
  EXPECT_THAT(picture(), Not(HasSubstr("nan")));
  set("loss", std::numeric_limits<int64_t>::max(), -1.7e308);
  set("loss", std::numeric_limits<int64_t>::min(), 1.7e308);
  EXPECT_THAT(picture(), EndsWith("</svg>\n"));
}

TEST_F(History, MillionsOfValuesStaySmall) {
  for (int64_t i = 0; i < 1000000; ++i) set("loss", i, static_cast<double>(i % 1000));
  EXPECT_LT(picture().size(), 100000u);
}

TEST_F(History, AnotherLocaleChangesNoByte) {
  set("loss", 0, 0.5);
  set("loss", 1, 1.25);
  const std::string before = picture() + query("csv") + query("json");
  const std::string own = setlocale(LC_NUMERIC, nullptr);
  const char* comma = nullptr;
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "fr_FR.utf8"}) {
    if (!comma) comma = setlocale(LC_NUMERIC, name);
  }
  const std::string after = picture() + query("csv") + query("json");
  setlocale(LC_NUMERIC, own.c_str());
  if (!comma) GTEST_SKIP() << "no locale with decimal commas is installed";
  EXPECT_EQ(before, after);
}

TEST_F(History, FilesThatCannotBeWritten) {
  set("loss", 0, 1);
  EXPECT_THAT(refused(try_save(path("no/loss.svg")), TENON_E_IO),
              AllOf(HasSubstr("no/loss.svg'"), HasSubstr("No such file or directory")));
  std::filesystem::create_directory(path("taken"));
  EXPECT_THAT(refused(try_save(path("taken")), TENON_E_IO), HasSubstr("it is a folder"));
  EXPECT_THAT(refused(try_save("/dev/full"), TENON_E_IO), HasSubstr("is not a regular file"));
  EXPECT_THAT(files(), ElementsAre("taken"));
}

TEST_F(History, AFullDiskLosesNoPicture) {
  set("loss", 0, 1);
  const std::string before = picture();
  set("loss", 1, 2);
  tenon_status status = TENON_OK;
  {
    const FullDisk full(100);
    status = try_save(path("loss.svg"));
  }
  EXPECT_THAT(refused(status, TENON_E_IO), HasSubstr("File too large"));
  EXPECT_EQ(content_of(path("loss.svg")), before);
  EXPECT_THAT(files(), ElementsAre("loss.svg"));
  EXPECT_NE(picture(), before);
}

}  // namespace
}  // namespace tenon::tests
