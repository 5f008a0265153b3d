// SPDX-License-Identifier: Apache-2.0
// tests/training/csv_test.cc: tables of numbers as text: what is read, and the words in which
// others are refused.
#include <gmock/gmock.h>

#include "tests/training/training_support.h"

namespace tenon::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class Csv : public Training {
 protected:
  std::vector<Option> given(const std::string& bytes, const std::vector<Option>& more) {
    where_ = write("table.csv", bytes);
    std::vector<Option> all = {{"path", text(where_)}};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  Dataset table(const std::string& bytes, const std::vector<Option>& more = {}) {
    return dataset("tenon.csv", given(bytes, more));
  }
  // What is said behind "tenon.csv: csv file '<path>': ".
  std::string refuse(const std::string& bytes, const std::vector<Option>& more = {}) {
    const std::string words = refused_dataset("tenon.csv", given(bytes, more), TENON_E_DATA);
    const std::string start = "tenon.csv: csv file '" + where_ + "': ";
    EXPECT_THAT(words, StartsWith(start));
    return words.substr(start.size(), words.find('\n') - start.size());
  }
  std::string refuse_option(const std::vector<Option>& more) {
    const std::string words =
        refused_dataset("tenon.csv", given("a,b,b\n1,2,3\n", more), TENON_E_ATTRIBUTE);
    return words.substr(0, words.find('\n'));
  }
  std::vector<Tensor> batch(const Dataset& set, std::vector<int64_t> indices, uint32_t n_fields) {
    tenon_tensor* fields[3] = {};
    must(tenon_dataset_call(context, set.get(), indices.data(),
                            static_cast<int64_t>(indices.size()), fields, n_fields));
    return {fields, fields + n_fields};
  }
  std::string where_;
};

TEST_F(Csv, FeaturesLabelsAndTargets) {
  const Dataset set = table(
      "\xEF\xBB\xBFwidth,\"kind, as \"\"given\"\"\",height,price\r\n"
      "1.5,2, -3 ,10\r\n+0.25,0,1e3,20.5\n7,-1,1e-60,.5",
      {{"label", text("kind, as \"given\"")}, {"target", text("-1")}});
  int64_t length = 0;
  must(tenon_dataset_get_length(context, set.get(), &length));
  EXPECT_EQ(length, 3);
  const auto fields = batch(set, {2, 0, 1}, 3);
  EXPECT_THAT(values_of<float>(fields[0].get()), ElementsAre(7, 0, 1.5F, -3, 0.25F, 1000));
  EXPECT_THAT(values_of<int64_t>(fields[1].get()), ElementsAre(-1, 2, 0));
  EXPECT_THAT(values_of<float>(fields[2].get()), ElementsAre(0.5F, 10, 20.5F));
  for (const char* expected : {"features", "label", "target"}) {
    const char* name = nullptr;
    must(tenon_dataset_get_field(context, set.get(),
                                 expected[0] == 'f'   ? 0
                                 : expected[0] == 'l' ? 1
                                                      : 2,
                                 nullptr, &name));
    EXPECT_STREQ(name, expected);
  }
}

TEST_F(Csv, WithoutHeaderAndWithAnotherDelimiter) {
  const Dataset set =
      table("1\t2\t3\n4\t5\t6\n",
            {{"header", flag(false)}, {"delimiter", text("\t")}, {"target", text("0")}});
  const auto fields = batch(set, {0, 1}, 2);
  EXPECT_THAT(values_of<float>(fields[0].get()), ElementsAre(2, 3, 5, 6));
  EXPECT_THAT(values_of<float>(fields[1].get()), ElementsAre(1, 4));
  const Dataset none = table("a,b\n");
  int64_t length = -1;
  must(tenon_dataset_get_length(context, none.get(), &length));
  EXPECT_EQ(length, 0);
}

TEST_F(Csv, LinesEndInAnyOfThreeWaysAndBlankOnesAtTheEndAreNone) {
  for (const char* bytes :
       {"a,b\r1,2\r3,4", "a,b\r1,2\r3,4\r", "a,b\r\n1,2\n3,4\r", "a,b\n1,2\n3,4\n\n",
        "a,b\r1,2\r3,4\r\r\r", "a,b\r\n1,2\r\n3,4\r\n\r\n  \r\n", "a,b\n1,2\n3,4 \n \n"}) {
    const Dataset set = table(bytes);
    int64_t length = 0;
    must(tenon_dataset_get_length(context, set.get(), &length));
    EXPECT_EQ(length, 2) << bytes;
    const auto fields = batch(set, {0, 1}, 1);
    EXPECT_THAT(values_of<float>(fields[0].get()), ElementsAre(1, 2, 3, 4)) << bytes;
  }
}

TEST_F(Csv, ASpaceMayStandBetweenNumbers) {
  const Dataset set =
      table("1.5 -2\n3 4e1\n\n", {{"header", flag(false)}, {"delimiter", text(" ")}});
  EXPECT_THAT(values_of<float>(batch(set, {0, 1}, 1)[0].get()), ElementsAre(1.5F, -2, 3, 40));
  EXPECT_EQ(refuse("a b\n1  2\n", {{"delimiter", text(" ")}}),
            "line 2: the number of columns differs: expected 2, found 3");
}

TEST_F(Csv, LabelsAreExact) {
  const Dataset set = table(
      "x,id\n1,16777217\n2,-9223372036854775808\n3,9223372036854775807\n4, +7.000 \n5,1.5e1\n"
      "6,9007199254740993.0\n7,-0.0\n",
      {{"label", text("id")}});
  const auto fields = batch(set, {0, 1, 2, 3, 4, 5, 6}, 2);
  EXPECT_THAT(values_of<float>(fields[0].get()), ElementsAre(1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(values_of<int64_t>(fields[1].get()),
              ElementsAre(16777217, INT64_MIN, INT64_MAX, 7, 15, 9007199254740993, 0));
  const Dataset both = table("a,y\n1,3\n4,6\n", {{"label", text("y")}, {"target", text("-1")}});
  const auto fields_of_both = batch(both, {0, 1}, 3);
  EXPECT_THAT(values_of<int64_t>(fields_of_both[1].get()), ElementsAre(3, 6));
  EXPECT_THAT(values_of<float>(fields_of_both[2].get()), ElementsAre(3, 6));
  const Dataset bare = table(
      "5;16777219\n", {{"header", flag(false)}, {"delimiter", text(";")}, {"label", text("-1")}});
  EXPECT_THAT(values_of<int64_t>(batch(bare, {0}, 2)[1].get()), ElementsAre(16777219));
}

TEST_F(Csv, DamagedTablesAreRefusedWithLineAndColumn) {
  EXPECT_EQ(refuse(""), "it is empty: expected at least one line, found none");
  EXPECT_EQ(refuse("\n \r\n"), "it is empty: expected at least one line, found none");
  EXPECT_EQ(refuse("BZh9\x31\x01\xb4,b"),
            "line 1: the name of a column is not text: expected no control characters, found "
            "'BZh91?"
            "?'");
  EXPECT_EQ(refuse("a,b\n1,2\n3\n"), "line 3: the number of columns differs: expected 2, found 1");
  EXPECT_EQ(refuse("a,b\n1,2\n\n3,4\n"),
            "line 3: the number of columns differs: expected 2, found 1");
  EXPECT_EQ(refuse("a,b\n1,2,3\n"), "line 2: the number of columns differs: expected 2, found 3");
  EXPECT_EQ(refuse("a,width\n1,2\n3,x\x1b[2J\n"),
            "line 3, column 2 ('width'): it is not a number: expected a finite number that f32 can "
            "hold, found 'x?[2J'");
  for (const char* cell :
       {"", " ", "nan", "inf", "1e39", "-1e400", "0x10", "1 2", "+-1", "--1", "1,", "\"1\" 2"}) {
    SCOPED_TRACE(cell);
    refuse("a,b\n1," + std::string(cell) + "\n");
  }
  EXPECT_EQ(refuse("a,b\n1,\"2\n3,4\n"),
            "line 2: a quoted column does not end on its line: expected a closing quote, found "
            "'2'");
  EXPECT_EQ(refuse("a,b\n\"1\"x,2\n"),
            "line 2: text follows a quoted column: expected the delimiter, found 'x,2'");
  for (const char* label :
       {"2.5", "9223372036854775808", "1e16", "-1e300", "", "x", "1.0x", "0x1"}) {
    EXPECT_EQ(refuse("a,b\n1,2\n1," + std::string(label) + "\n", {{"label", text("b")}}),
              "line 3: the label is not a whole number: expected a whole number that i64 can hold, "
              "found '" +
                  std::string(label) + "'");
  }
  EXPECT_EQ(refuse("a\n1\n", {{"label", text("a")}}),
            "no column is left for features: expected a column that is neither label nor target, "
            "found 1 in all");
  refuse("a,b\n1," + std::string(100000, '9') + "\n");
}

TEST_F(Csv, WrongOptionsAreRefused) {
  EXPECT_THAT(refuse_option({{"label", text("c")}}),
              HasSubstr("tenon.csv: label: there is no such column"));
  EXPECT_THAT(refuse_option({{"target", text("b")}}),
              HasSubstr("target: several columns have this name"));
  EXPECT_THAT(refuse_option({{"label", text("3")}}), HasSubstr("there is no such column"));
  EXPECT_THAT(refuse_option({{"label", text("-4")}}), HasSubstr("there is no such column"));
  for (const char* wrong : {"", ",,", "5", ".", "\n", "\""}) {
    EXPECT_THAT(refuse_option({{"delimiter", text(wrong)}}),
                HasSubstr("delimiter is not a single byte that can stand between numbers"));
  }
  EXPECT_THAT(refuse_option({{"separator", text(",")}}),
              HasSubstr("option \"separator\" is unknown"));
}

}  // namespace
}  // namespace tenon::tests
