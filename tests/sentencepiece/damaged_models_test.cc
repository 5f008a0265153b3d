// SPDX-License-Identifier: Apache-2.0
// tests/sentencepiece/damaged_models_test.cc: models that the library would die of, one for each
// rule of plugins/sentencepiece/model_file.hpp and tenon/sdk/plugin/charsmap.hpp, and models with
// bytes changed, dropped and repeated: each is made or refused in words.
#include <gmock/gmock.h>
#include <tenon/sdk/philox.h>

#include <cstdio>
#include <limits>

#include "tests/sentencepiece/sentencepiece_support.h"

namespace tenon::tests {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;
using testing::AnyOf;
using testing::HasSubstr;

struct Row {
  std::string file;
  const char* words;
  tenon_status expect = TENON_E_DATA;
};

class DamagedModelsHostile : public SentencePiece {
 protected:
  void refuse(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
      SCOPED_TRACE(row.words);
      EXPECT_THAT(session->refused_file(row.file, row.expect), HasSubstr(row.words));
    }
  }
};

TEST_F(DamagedModelsHostile, Wire) {
  const std::string good = small_pieces();
  session->made(good);
  refuse({{good.substr(0, good.size() - 1), "it is cut off, or a length is wrong"},
          {good + "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "a length is wrong"},
          {good + "\x08"s + std::string(10, '\x80'), "a number has too many digits"},
          {good + "\x02"s + "a", "a field has no number"},
          {good + "\x0b"s, "a field has a type that there is not"},
          {good + "\x08\x01"s, "a text has another type"},
          {good + bytes_field(1, "\x12\x01x"), "a score has another type"},
          {good + bytes_field(2, "\x1a\x01x"), "a number has another type"}});
}

TEST_F(DamagedModelsHostile, Pieces) {
  const std::string good = small_pieces();
  std::string bytes;
  for (int i = 0; i < 255; ++i) {
    char text[8];
    std::snprintf(text, sizeof text, "<0x%02X>", static_cast<unsigned>(i));
    bytes += piece(text, 6);
  }
  const std::string fallback = bytes_field(2, number_field(35, 1));
  session->made(good + fallback + bytes + piece("<0xFF>", 6));
  const float infinity = std::numeric_limits<float>::infinity();
  refuse(
      {{piece("a"), "the pieces for what is unknown"},
       {good + piece("<u>", 2), "the pieces for what is unknown"},
       {good + piece(""), "piece 5: it is empty"},
       {good + piece("a"), "piece 5: it is there already"},
       {good + piece("<s>", 2), "piece 5: it is there already"},
       {good + piece("b\0"s), "piece 5: it has a NUL"},
       {good + piece("\xC3"), "piece 5: it is not UTF-8"},
       {good + piece("b", 1, std::numeric_limits<float>::quiet_NaN()), "its score is not a number"},
       {good + piece("b", 1, infinity), "its score is not a number"},
       {good + piece("<0x41>", 6), "the pieces for bytes"},
       {good + fallback + bytes, "the pieces for bytes"},
       {good + fallback + bytes + piece("<0xff>", 6), "it is no byte"},
       {good + piece(std::string(1025, 'b')), "piece 5: it is too long", TENON_E_UNSUPPORTED},
       {good + piece("b", 7), "a piece's type is not known", TENON_E_UNSUPPORTED},
       {good + bytes_field(2, number_field(3, 5)), "the model's type is not known",
        TENON_E_UNSUPPORTED},
       {good + bytes_field(2, bytes_field(46, "\xFF")), "the name of a special piece"},
       {good + bytes_field(5, "") + bytes_field(5, ""), "there are two denormalisers"},
       {piece("<unk>", 2) + piece("<s>", 3), "SentencePiece: no pieces are loaded"}});
}

TEST_F(DamagedModelsHostile, SymbolsThatBeginWithOneAnother) {
  std::string good = small_pieces();
  for (size_t length = 1; length <= 64; ++length) good += piece(std::string(length, 'u'), 4);
  const Tokenizer made = session->made(good);
  EXPECT_EQ(session->encoded(made, std::string(65, 'u')).size(), 3u);
  refuse({{good + piece(std::string(65, 'u'), 4), "begin with one another", TENON_E_UNSUPPORTED}});
}

TEST_F(DamagedModelsHostile, Sizes) {
  std::string file = small_pieces();
  refuse({{file + bytes_field(7, std::string(64 << 20, 'x')), "the model is too large",
           TENON_E_UNSUPPORTED}});
  file += bytes_field(3, bytes_field(2, std::string((8 << 20) + 1, 'x')));
  refuse({{file, "the rules of normalisation are too long", TENON_E_UNSUPPORTED}});
}

// A trie of which the unit of a state has these parts, in 512 units without any other state.
struct Trie {
  std::vector<uint32_t> units = std::vector<uint32_t>(512, 1U << 31);
  std::string replacements = "yz\0"s;

  void state(uint32_t index, uint32_t label, uint32_t base, bool has_value) {
    units[index] = label | (has_value ? 0x100U : 0U) | (index ^ base) << 10;
  }
  std::string model(uint32_t field = 3) const {
    std::string bytes;
    const auto word = [&](uint32_t value) {
      for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(value >> shift);
    };
    word(static_cast<uint32_t>(units.size() * 4));
    for (const uint32_t unit : units) word(unit);
    // As the library's trainer writes them: no space in front, spaces stay spaces.
    const std::string flags = number_field(3, 0) + number_field(4, 0) + number_field(5, 0);
    return small_pieces() + piece("y") + piece("z") + piece("x") +
           bytes_field(field, bytes_field(2, bytes + replacements) + (field == 5 ? flags : ""));
  }
};
constexpr uint32_t kX = 256 ^ 'x';

// "x" becomes "yz".
Trie x_to_yz() {
  Trie trie;
  trie.state(0, 0, 256, false);
  trie.state(kX, 'x', 1, true);
  trie.units[1] = 1U << 31;
  return trie;
}

TEST_F(DamagedModelsHostile, RulesOfNormalisation) {
  const Trie good = x_to_yz();
  const Tokenizer made = session->made(good.model());
  EXPECT_EQ(session->encoded(made, "ax"), session->encoded(made, "ayz"));
  EXPECT_EQ(session->decoded(session->made(good.model(5)), {7}), "yz");

  const auto changed = [&](auto&& change) {
    Trie trie = good;
    change(trie);
    return trie.model();
  };
  const char* const past = "the trie points past its end";
  refuse({{changed([](Trie& t) { t.state(0, 0, 512, false); }), past},
          {changed([](Trie& t) { t.state(kX, 'x', 1024, false); }), past},
          {changed([](Trie& t) { t.units[kX] |= 1U << 9; }), past},
          {changed([](Trie& t) { t.units.resize(511); }), past},
          {changed([](Trie& t) { t.units.clear(); }), past},
          {changed([](Trie& t) { t.state(kX, 'x', 256, false); }), "the trie has a cycle"},
          {changed([](Trie& t) { t.state(0, 0, 0, false); }), "the trie has a cycle"},
          {changed([](Trie& t) { t.units[1] |= 3; }), "there is no such replacement"},
          {changed([](Trie& t) { t.units[1] = ~0U; }), "there is no such replacement"},
          {changed([](Trie& t) { t.replacements = "yz"; }), "the replacements are cut off"},
          {changed([](Trie& t) { t.replacements = ""; }), "the replacements are cut off"},
          {changed([](Trie& t) { t.replacements = "\xFF\0"s; }), "a replacement is not UTF-8"},
          {changed([](Trie& t) { t.replacements = std::string(1025, 'y') + '\0'; }),
           "a replacement is too long"},
          {small_pieces() + bytes_field(3, bytes_field(2, "abc")), "they are cut off"},
          {small_pieces() + bytes_field(3, bytes_field(2, "\x08\0\0\0abcd"s)),
           "the length of the trie is wrong"}});
  EXPECT_THAT(session->refused_file(changed([](Trie& t) { t.units[1] |= 3; })),
              HasSubstr("in the rules of normalisation"));
}

// "x", "xx", ... are keys: the library has room for 32 that fit one text.
TEST_F(DamagedModelsHostile, KeysThatBeginWithOneAnother) {
  const auto nested = [](uint32_t n) {
    Trie trie;
    trie.units.assign(256 * (n + 2), 1U << 31);
    trie.state(0, 0, 256, false);
    for (uint32_t i = 1; i <= n; ++i) trie.state(256 * i ^ 'x', 'x', 256 * (i + 1), true);
    return trie.model();
  };
  const Tokenizer made = session->made(nested(32));
  EXPECT_EQ(session->encoded(made, std::string(40, 'x')), session->encoded(made, "yzyz"));
  refuse({{nested(33), "too many keys begin with another"}});
}

class MutatedModelsHostile : public SentencePiece {
 protected:
  uint64_t below(uint64_t bound) { return tenon_sdk_random_below(&random_, bound); }

  std::string mutated(std::string bytes) {
    for (uint64_t changes = 1 + below(3); changes > 0 && !bytes.empty(); --changes) {
      const size_t at = below(bytes.size());
      const uint64_t kind = below(5);
      if (kind == 0) bytes.erase(at, 1 + below(6));
      if (kind == 1) bytes.insert(at, bytes.substr(below(bytes.size()), 1 + below(6)));
      if (kind == 2) bytes[at] = static_cast<char>(below(256));
      if (kind == 3) bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(8));
      if (kind == 4 && below(8) == 0) bytes.resize(at);
    }
    return bytes;
  }

  void use(const Tokenizer& made) {
    const int64_t size = session->info(made).size;
    for (const std::string_view text :
         {"the day, the night"sv, "<user> \xEF\xAC\x81 \xEF\xBC\xA1\0 x"sv, "\xFF\xE2\x98"sv}) {
      Tokens tokens;
      if (session->encode(made, text, 3, 0, tokens) != TENON_OK) continue;
      tokens.push_back(static_cast<int64_t>(below(static_cast<uint64_t>(size))));
      session->decoded(made, tokens);
    }
  }

  void sweep(const std::string& name) {
    SCOPED_TRACE(name);
    const std::string good = model(name);
    int refusals = 0;
    for (int i = 0; i < 250 && !HasFatalFailure(); ++i) {
      Tokenizer made;
      const tenon_status status = session->create(mutated(good), made);
      ASSERT_THAT(status, AnyOf(TENON_OK, TENON_E_DATA, TENON_E_UNSUPPORTED));
      refusals += status == TENON_OK ? 0 : 1;
      if (status == TENON_OK) use(made);
    }
    EXPECT_GT(refusals, 20);
    EXPECT_LT(refusals, 250);
  }

  tenon_sdk_random random_ = {20261126, 0, 0};
};

TEST_F(MutatedModelsHostile, Unigram) { sweep("unigram"); }
TEST_F(MutatedModelsHostile, Bpe) { sweep("bpe"); }
TEST_F(MutatedModelsHostile, Char) { sweep("char"); }
TEST_F(MutatedModelsHostile, Word) { sweep("word"); }

}  // namespace
}  // namespace tenon::tests
