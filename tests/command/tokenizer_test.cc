// SPDX-License-Identifier: Apache-2.0
// tests/command/tokenizer_test.cc: `tenon tokenizer`: make one, encode, decode; what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/command/command_support.h"

namespace tenon::tests {
namespace {

using testing::HasSubstr;

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(CommandTokenizer, TrainsEncodesAndDecodes) {
  const TemporaryFolder folder;
  const std::string text = "ab ab ab\nabc\nabc";
  const std::string where = folder.write("text", text);
  const std::string made = folder.path("a.pairs");
  const Done trained =
      run_command({"tokenizer", "train", where, "--vocabulary", "258", "-o", made});
  EXPECT_EQ(trained.status, 0) << trained.err;
  EXPECT_EQ(trained.out, made + ": 258 tokens\n");
  EXPECT_EQ(content_of(made), "tenon-pairs 1\n97 98\n32 256\n");
  const Done encoded = run_command({"tokenizer", "encode", made, where});
  EXPECT_EQ(encoded.out, "256 257 257 10 256 99 10 256 99\n");
  const std::string tokens = folder.write("tokens", encoded.out);
  EXPECT_EQ(run_command({"tokenizer", "decode", made, tokens}).out, text);
  const Done as_json = run_command({"tokenizer", "decode", made, tokens, "--json"});
  EXPECT_EQ(as_json.json().at("text"), text);
  EXPECT_EQ(run_command({"tokenizer", "encode", "byte", folder.write("a", "Az")}).out, "65 122\n");
  const std::string of_characters = folder.path("a.characters");
  const Done characters =
      run_command({"tokenizer", "train", where, "--kind", "char", "-o", of_characters, "--json"});
  EXPECT_EQ(characters.json(),
            (nlohmann::json{{"file", of_characters}, {"kind", "char"}, {"tokens", 5}}));
  EXPECT_EQ(content_of(of_characters), "tenon-characters 1\n10\n32\n97\n98\n99\n");
  EXPECT_EQ(
      run_command({"tokenizer", "encode", of_characters, where, "--json"}).json().at("tokens"),
      (std::vector<int>{2, 3, 1, 2, 3, 1, 2, 3, 0, 2, 3, 4, 0, 2, 3, 4}));
}

TEST(CommandTokenizer, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const auto expect_refused = [](const std::vector<std::string>& line, int status,
                                 const std::string& words) {
    const Done done = run_command(line);
    EXPECT_EQ(done.status, status) << done.out;
    EXPECT_THAT(done.err, HasSubstr(words));
    EXPECT_EQ(done.out, "");
  };
  const std::string text = folder.write("text", "abc");
  expect_refused({"tokenizer", "train", folder.path("absent"), "-o", folder.path("out")}, 1,
                 "absent: cannot be read");
  expect_refused({"tokenizer", "train", text, "-o", folder.path("no/folder")}, 1, "cannot write");
  expect_refused({"tokenizer", "train", folder.write("bad", "ab\xFF"), "--kind", "char", "-o",
                  folder.path("out")},
                 1, "bad: tenon.characters: the text is not UTF-8 from byte 2 on");
  expect_refused({"tokenizer", "encode", text, text}, 1,
                 "no tokenizer is for files named as '" + text + "'");
  const std::string cut = folder.write("cut.pairs", "tenon-pairs 1");
  expect_refused({"tokenizer", "encode", cut, text}, 1,
                 "file '" + cut + "': tenon.pairs: line 1: the file is cut off");
  expect_refused({"tokenizer", "decode", "byte", folder.write("tokens", "65 256")}, 1,
                 "tokens: tenon.bytes: position 1: this is not a token: 256");
  expect_refused({"tokenizer", "decode", "byte", folder.write("words", "65 99999999999")}, 1,
                 "words: tenon.bytes: position 1: this is not a token: 99999999999");
  expect_refused({"tokenizer", "decode", "byte", folder.write("letters", "65 x")}, 1,
                 "letters: number 2 is not a token: expected whole numbers between white space");
  expect_refused({"tokenizer", "train", text, "--vocabulary", "255", "-o", folder.path("out")}, 2,
                 "--vocabulary");
  expect_refused({"tokenizer"}, 2, "");
  EXPECT_FALSE(std::filesystem::exists(folder.path("out")));
}

}  // namespace
}  // namespace tenon::tests
