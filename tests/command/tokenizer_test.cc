// SPDX-License-Identifier: Apache-2.0
// tests/command/tokenizer_test.cc: `tenon tokenizer`: make one, encode, decode; what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/command/command_support.h"
#include "tests/support/paths.h"

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

TEST(CommandTokenizer, TakesANameAndOptions) {
  if (!std::filesystem::exists(std::string(plugin_dir()) + "/tenon.tokenizer_json")) {
    GTEST_SKIP() << "tenon.tokenizer_json is not built: Oniguruma or utf8proc is not there";
  }
  const TemporaryFolder folder;
  const std::string words = folder.write("vocab.txt", "[UNK]\nThe\nthe\n[CLS]\n[SEP]\n");
  const std::string text = folder.write("text", "The the <e>");
  const auto encoded = [&](std::vector<std::string> line) {
    line.insert(line.begin(), {"tokenizer", "encode"});
    const Done done = run_command(line);
    EXPECT_EQ(done.status, 0) << done.err;
    return done.out;
  };
  EXPECT_EQ(encoded({words, text, "--name", "wordpiece", "--limit", "2"}), "2 2\n");
  EXPECT_EQ(encoded({words, text, "--name", "tenon.wordpiece", "--set", "lower_case=false",
                     "--special", "--limit", "4"}),
            "3 1 2 4\n");
  const std::string vocab = folder.write(
      "vocab.json", R"({"T":0,"h":1,"e":2,"\u0120":3,"t":4,"<":5,">":6,"he":7,"<e>":8})");
  const std::string merges = folder.write("merges.txt", "h e\n");
  EXPECT_EQ(encoded({vocab, text, "--set", "merges=@" + merges, "--set", "special=<e>",
                     "--read-special"}),
            "0 7 3 4 7 3 8\n");
  const std::string tokens = folder.write("tokens", "0 7 8");
  EXPECT_EQ(run_command({"tokenizer", "decode", vocab, tokens, "--set", "merges=@" + merges,
                         "--set", "special=<e>", "--skip-special"})
                .out,
            "The");

  const auto refused = [&](const std::vector<std::string>& more) {
    std::vector<std::string> line = {"tokenizer", "encode", words, text, "--name", "wordpiece"};
    line.insert(line.end(), more.begin(), more.end());
    const Done done = run_command(line);
    EXPECT_EQ(done.status, 1) << done.out;
    return done.err;
  };
  EXPECT_THAT(refused({"--set", "lower_case"}), HasSubstr("expected name=value"));
  EXPECT_THAT(refused({"--set", "lower_case=1"}), HasSubstr("expected true or false"));
  EXPECT_THAT(refused({"--set", "lower=true"}), HasSubstr("lower_case"));
  EXPECT_THAT(refused({"--set", "prefix=@absent"}), HasSubstr("absent: cannot be read"));
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
