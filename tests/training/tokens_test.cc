// SPDX-License-Identifier: Apache-2.0
// tests/training/tokens_test.cc: windows of tokens in files: several files, long ones, files that
// change, and the words in which they are refused. The golden file has the small ones.
#include <gmock/gmock.h>

#include <filesystem>

#include "tests/training/training_support.h"

namespace tenon::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TokenSet : public Training {
 protected:
  // A file of u16 tokens.
  std::string tokens(const std::string& name, const std::vector<uint16_t>& numbers) {
    std::string bytes;
    for (const uint16_t number : numbers) {
      bytes += static_cast<char>(number & 0xFF);
      bytes += static_cast<char>(number >> 8);
    }
    return write(name, bytes);
  }
  Dataset open(const std::string& paths, std::vector<Option> more) {
    more.push_back({"paths", text(paths)});
    more.push_back({"dtype", text("u16")});
    return dataset("tenon.tokens", more);
  }
  std::vector<int64_t> sample(const Dataset& set, int64_t index, size_t field) {
    tenon_tensor* fields[2] = {};
    must(tenon_dataset_call(context, set.get(), &index, 1, fields, 2));
    const Tensor both[] = {Tensor(fields[0]), Tensor(fields[1])};
    return values_of<int64_t>(both[field].get());
  }
  int64_t length(const Dataset& set) {
    int64_t out = -1;
    must(tenon_dataset_get_length(context, set.get(), &out));
    return out;
  }
};

TEST_F(TokenSet, WindowsDoNotReachFromOneFileIntoTheNext) {
  const std::string paths = tokens("a", {1, 2, 3, 4}) + "\n" + tokens("b", {5, 6}) + "\n" +
                            tokens("c", {7, 8, 9, 10, 11});
  const Dataset set = open(paths, {{"window", whole(2)}});
  ASSERT_EQ(length(set), 3);
  EXPECT_THAT(sample(set, 0, 0), ElementsAre(1, 2));
  EXPECT_THAT(sample(set, 0, 1), ElementsAre(2, 3));
  EXPECT_THAT(sample(set, 1, 0), ElementsAre(7, 8));
  EXPECT_THAT(sample(set, 2, 1), ElementsAre(10, 11));
}

// Documents of 1,000 tokens in a file that is read in several pieces.
TEST_F(TokenSet, DocumentsAreFoundInLongFiles) {
  std::vector<uint16_t> numbers;
  for (int i = 0; i < 300000; ++i) {
    numbers.push_back(static_cast<uint16_t>(i % 1000 == 999 ? 0 : 1 + i / 1000));
  }
  const Dataset set =
      open(tokens("long", numbers),
           {{"window", whole(333)}, {"separator", whole(0)}, {"vocabulary", whole(301)}});
  ASSERT_EQ(length(set), 900);
  for (const int64_t document : {0, 130, 131, 262, 299}) {
    const std::vector<int64_t> last = sample(set, 3 * document + 2, 1);
    const std::vector<int64_t> first = sample(set, 3 * document, 0);
    EXPECT_EQ(first.front(), document + 1);
    EXPECT_EQ(last[331], document + 1);
    EXPECT_EQ(last[332], 0);
  }
}

TEST_F(TokenSet, EveryTargetIsThereOnceWhereWindowsArePadded) {
  std::vector<uint16_t> numbers;
  for (int i = 0; i < 40; ++i) numbers.push_back(static_cast<uint16_t>(i));
  const std::string path = tokens("some", numbers);
  for (const int64_t window : {1, 2, 3, 12, 13, 38, 39, 40, 100}) {
    const Dataset set = open(path, {{"window", whole(window)}, {"pad", whole(7)}});
    std::vector<int64_t> found;
    for (int64_t i = 0; i < length(set); ++i) {
      tenon_tensor* fields[3] = {};
      must(tenon_dataset_call(context, set.get(), &i, 1, fields, 3));
      const Tensor all[] = {Tensor(fields[0]), Tensor(fields[1]), Tensor(fields[2])};
      const auto n = values_of<int64_t>(all[2].get()).at(0);
      const auto inputs = values_of<int64_t>(all[0].get());
      const auto targets = values_of<int64_t>(all[1].get());
      for (int64_t k = 0; k < window; ++k) {
        const auto at = static_cast<size_t>(k);
        if (k < n) found.push_back(targets[at]);
        EXPECT_EQ(inputs[at], k < n ? targets[at] - 1 : 7);
        EXPECT_TRUE(k < n || targets[at] == -100) << k;
      }
    }
    ASSERT_EQ(found.size(), 39u) << window;
    for (size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], static_cast<int64_t>(i) + 1);
  }
}

TEST_F(TokenSet, WhatIsRefusedNamesFileAndPlace) {
  const std::string good = tokens("good", {1, 2, 3});
  const std::string bad = tokens("bad", {1, 2, 3, 9, 300});
  const auto words = [&](const std::string& paths, tenon_status status) {
    return refused_dataset("tenon.tokens",
                           {{"paths", text(paths)},
                            {"dtype", text("u16")},
                            {"window", whole(2)},
                            {"vocabulary", whole(300)}},
                           status);
  };
  const std::string both = words(good + "\n" + bad, TENON_E_DATA);
  EXPECT_THAT(both, HasSubstr("token file '" + bad + "': token 4 is not in the vocabulary"));
  EXPECT_THAT(both, HasSubstr("0 to 299"));
  EXPECT_THAT(words(good + "\n" + good + ".not", TENON_E_IO), HasSubstr(good + ".not"));
  EXPECT_THAT(words(std::filesystem::path(good).parent_path().string(), TENON_E_IO),
              HasSubstr("directory"));
  EXPECT_THAT(words(write("odd", "abc"), TENON_E_DATA), HasSubstr("a multiple of 2 bytes"));
}

TEST_F(TokenSet, AFileThatHasBecomeShorterIsRefused) {
  const std::string path = tokens("shrinks", {1, 2, 3, 4, 5, 6});
  const Dataset set = open(path, {{"window", whole(2)}});
  ASSERT_EQ(length(set), 2);
  std::filesystem::resize_file(path, 7);
  EXPECT_THAT(sample(set, 0, 0), ElementsAre(1, 2));
  tenon_tensor* fields[2] = {};
  const int64_t index = 1;
  EXPECT_THAT(refused(tenon_dataset_call(context, set.get(), &index, 1, fields, 2), TENON_E_IO),
              HasSubstr("it has become shorter"));
}

}  // namespace
}  // namespace tenon::tests
