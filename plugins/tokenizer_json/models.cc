// SPDX-License-Identifier: Apache-2.0
// plugins/tokenizer_json/models.cc: byte pairs (R. Sennrich, B. Haddow, A. Birch, "Neural Machine
// Translation of Rare Words with Subword Units", ACL 2016) and word pieces (Y. Wu et al., "Google's
// Neural Machine Translation System", 2016: the longest piece that fits, from the left).
#include "models.hpp"

#include <algorithm>
#include <array>
#include <queue>

#include "unicode.hpp"

namespace tenon::tokenizer_json {

// ---- Vocabulary ---------------------------------------------------------------------------------

void Vocabulary::add(std::string spelling, int64_t token) {
  // Memory is by the highest number, so a short file must not name a high one.
  const auto most = static_cast<int64_t>(4 * tokens_.size() + (1 << 20));
  if (token < 0 || token > most) {
    throw sdk::Failure{TENON_E_DATA, "token '" + spelling + "' has number " + std::to_string(token),
                       "vocab", "0 to " + std::to_string(most), std::to_string(token)};
  }
  const auto at = static_cast<size_t>(token);
  if (at >= spellings_.size()) spellings_.resize(at + 1);
  const auto [found, is_new] = tokens_.try_emplace(spelling, static_cast<int32_t>(token));
  if (!is_new && found->second == token) return;
  if (!is_new || !spellings_[at].empty()) {
    throw sdk::Failure{
        TENON_E_DATA,
        is_new ? "tokens '" + spellings_[at] + "' and '" + spelling + "' have one number"
               : "token '" + spelling + "' has two numbers",
        "vocab", "another number", std::to_string(token)};
  }
  spellings_[at] = std::move(spelling);
}

int32_t Vocabulary::find(std::string_view spelling) const {
  const auto found = tokens_.find(spelling);
  return found == tokens_.end() ? -1 : found->second;
}

const std::string& Vocabulary::spelling(int32_t token) const {
  return spellings_[static_cast<size_t>(token)];
}

std::string spelling_of_byte(unsigned char byte) {
  constexpr char digits[] = "0123456789ABCDEF";
  return {'<', '0', 'x', digits[byte >> 4], digits[byte & 15], '>'};
}

void refuse_unknown_text(std::string_view text) {
  const std::string spelling(text);
  throw sdk::Failure{
      TENON_E_DATA, "'" + spelling + "' is not in the vocabulary, which has no unknown token",
      "text",       "what the vocabulary has",
      spelling,     "train the tokenizer with an initial alphabet or an unknown token"};
}

// ---- Byte pairs ---------------------------------------------------------------------------------

namespace {

struct Merge {
  uint32_t rank;
  int32_t made;
  bool special;
};

uint64_t key_of(int32_t left, int32_t right) {
  return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
}

// A word's tokens while they are merged: a list within an array, so that one is taken out in no
// time.
class MergingWord {
 public:
  struct Symbol {
    int32_t token;
    size_t end;  // in the bytes of the word
    int64_t previous;
    int64_t next;
    bool is_there;
  };

  void add(int32_t token, size_t end = 0) {
    const auto at = static_cast<int64_t>(symbols_.size());
    symbols_.push_back({token, end, at - 1, -1, true});
    if (at > 0) symbols_[static_cast<size_t>(at) - 1].next = at;
  }

  // find(left, right) is the merge of two neighbours, made -1 if there is none. The one of the
  // lowest rank first, of equals the leftmost.
  template <class Find>
  void merge_all(Find&& find) {
    std::priority_queue<Candidate> queue;
    const auto propose = [&](int64_t left) {
      if (left < 0 || symbol(left).next < 0) return;
      const Merge found = find(symbol(left), symbol(symbol(left).next));
      if (found.made >= 0) queue.push({found.rank, left, found.made});
    };
    for (int64_t i = 0; i + 1 < static_cast<int64_t>(symbols_.size()); ++i) propose(i);
    while (!queue.empty()) {
      const Candidate best = queue.top();
      queue.pop();
      Symbol& left = symbol(best.at);
      if (!left.is_there || left.next < 0) continue;
      Symbol& right = symbol(left.next);
      if (find(left, right).made != best.made) continue;
      left.token = best.made;
      left.end = right.end;
      right.is_there = false;
      left.next = right.next;
      if (left.next >= 0) symbol(left.next).previous = best.at;
      propose(left.previous);
      propose(best.at);
    }
  }

  // Where it begins in the bytes of the word.
  size_t begin_of(const Symbol& each) { return each.previous < 0 ? 0 : symbol(each.previous).end; }

  void append_to(std::vector<int32_t>& tokens) const {
    for (const Symbol& each : symbols_) {
      if (each.is_there) tokens.push_back(each.token);
    }
  }

 private:
  struct Candidate {
    uint32_t rank;
    int64_t at;
    int32_t made;
    bool operator<(const Candidate& other) const {  // the greatest is the next
      return rank != other.rank ? rank > other.rank : at > other.at;
    }
  };
  Symbol& symbol(int64_t at) { return symbols_[static_cast<size_t>(at)]; }

  std::vector<Symbol> symbols_;
};

class BytePairModel final : public Model {
 public:
  BytePairModel(const Vocabulary& vocabulary, const BytePairs& settings)
      : vocabulary_(vocabulary), settings_(settings) {
    uint32_t rank = 0;
    for (const auto& [left, right] : settings.merges) add_merge(left, right, rank++);
    settings_.merges.clear();
    if (!settings.unknown.empty()) unknown_ = require(settings.unknown, "unk_token");
    for (size_t byte = 0; byte < 256; ++byte) {
      const std::string spelling = spelling_of_byte(static_cast<unsigned char>(byte));
      bytes_[byte] = settings.byte_fallback ? vocabulary.find(spelling) : -1;
    }
  }

  void encode(std::string_view word, bool with_special,
              std::vector<int32_t>& tokens) const override {
    if (settings_.ignore_merges) {
      const int32_t whole = vocabulary_.find_word(word, with_special);
      if (whole >= 0) return tokens.push_back(whole);
    }
    MergingWord merging;
    add_characters(word, with_special, merging);
    merging.merge_all([&](const MergingWord::Symbol& left, const MergingWord::Symbol& right) {
      const auto found = merges_.find(key_of(left.token, right.token));
      const bool merges = found != merges_.end() && (with_special || !found->second.special);
      return merges ? found->second : Merge{0, -1, false};
    });
    merging.append_to(tokens);
  }

 private:
  int32_t require(std::string_view spelling, const char* where) const {
    const int32_t token = vocabulary_.find(spelling);
    if (token >= 0) return token;
    throw sdk::Failure{
        TENON_E_DATA,
        std::string(where) + ": '" + std::string(spelling) + "' is not in the vocabulary", where,
        "a token", std::string(spelling)};
  }

  void add_merge(std::string_view left, std::string_view right, uint32_t rank) {
    const std::string_view rest = right.substr(std::min(settings_.prefix.size(), right.size()));
    const std::string joined = std::string(left) + std::string(rest);
    const uint64_t key = key_of(require(left, "merges"), require(right, "merges"));
    const int32_t made = require(joined, "merges");
    merges_[key] = {rank, made, vocabulary_.is_special(made)};
  }

  void add_characters(std::string_view word, bool with_special, MergingWord& merging) const {
    int32_t unknown = -1;  // not added yet, so that the next one may join it
    const std::string_view all = word;
    while (!word.empty()) {
      const bool is_first = word.size() == all.size();
      std::string_view rest = word;
      sdk::take_code_point(rest);
      std::string spelling(word.substr(0, word.size() - rest.size()));
      word = rest;
      if (!is_first) spelling = settings_.prefix + spelling;
      if (word.empty()) spelling += settings_.suffix;
      const int32_t token = vocabulary_.find_word(spelling, with_special);
      if (token >= 0) {
        if (unknown >= 0) merging.add(unknown);
        unknown = -1;
        merging.add(token);
      } else if (!add_bytes(spelling, merging)) {
        if (unknown_ < 0) refuse_unknown_text(spelling);
        if (unknown >= 0 && !settings_.fuse_unknown) merging.add(unknown);
        unknown = unknown_;
      }
    }
    if (unknown >= 0) merging.add(unknown);
  }

  bool add_bytes(std::string_view spelling, MergingWord& merging) const {
    const auto token_of = [&](char byte) { return bytes_[static_cast<unsigned char>(byte)]; };
    if (std::ranges::any_of(spelling, [&](char byte) { return token_of(byte) < 0; })) return false;
    for (const char byte : spelling) merging.add(token_of(byte));
    return true;
  }

  const Vocabulary& vocabulary_;
  BytePairs settings_;
  std::unordered_map<uint64_t, Merge> merges_;
  int32_t unknown_ = -1;
  std::array<int32_t, 256> bytes_{};
};

// Bytes, of which any two neighbours merge whose bytes are a token; its number is the rank.
class RankModel final : public Model {
 public:
  explicit RankModel(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {
    for (int32_t token = 0; token < vocabulary.size(); ++token) {
      longest_ = std::max(longest_, vocabulary.spelling(token).size());
    }
  }

  void encode(std::string_view word, bool with_special,
              std::vector<int32_t>& tokens) const override {
    const int32_t whole = vocabulary_.find_word(word, with_special);
    if (whole >= 0) return tokens.push_back(whole);
    MergingWord merging;
    for (size_t i = 0; i < word.size(); ++i) {
      const int32_t token = vocabulary_.find_word(word.substr(i, 1), with_special);
      if (token < 0) {
        throw sdk::Failure{TENON_E_DATA,
                           "the file has no token for a byte of the text",
                           "text",
                           "bytes that have a rank",
                           "byte " + std::to_string(static_cast<unsigned char>(word[i])),
                           "get the file again: ranks that are published have all bytes"};
      }
      merging.add(token, i + 1);
    }
    merging.merge_all([&](const MergingWord::Symbol& left, const MergingWord::Symbol& right) {
      const size_t begin = merging.begin_of(left);
      if (right.end - begin > longest_) return Merge{0, -1, false};
      const int32_t made =
          vocabulary_.find_word(word.substr(begin, right.end - begin), with_special);
      return Merge{static_cast<uint32_t>(made), made, false};
    });
    merging.append_to(tokens);
  }

 private:
  const Vocabulary& vocabulary_;
  size_t longest_ = 0;  // spelling
};

// ---- Word pieces --------------------------------------------------------------------------------

constexpr int64_t kLongestWord = 1000;

class WordPieceModel final : public Model {
 public:
  WordPieceModel(const Vocabulary& vocabulary, const WordPieces& settings)
      : vocabulary_(vocabulary), settings_(settings), unknown_(vocabulary.find(settings.unknown)) {
    if (unknown_ < 0) {
      throw sdk::Failure{TENON_E_DATA,
                         "the vocabulary has no token '" + settings.unknown + "' for the unknown",
                         "unknown", "a token", settings.unknown};
    }
    if (settings.longest_word < 0 || settings.longest_word > kLongestWord) {
      throw sdk::Failure{TENON_E_UNSUPPORTED, "max_input_chars_per_word is out of range",
                         "max_input_chars_per_word", "0 to " + std::to_string(kLongestWord),
                         std::to_string(settings.longest_word)};
    }
  }

  void encode(std::string_view word, bool with_special,
              std::vector<int32_t>& tokens) const override {
    const size_t before = tokens.size();
    if (characters_of(word) <= settings_.longest_word) {
      std::string_view rest = word;
      while (!rest.empty() && take_piece(word, rest, with_special, tokens)) {
      }
      if (rest.empty()) return;
    }
    tokens.resize(before);
    tokens.push_back(unknown_);
  }

 private:
  static int64_t characters_of(std::string_view text) {
    return std::ranges::count_if(text, [](char byte) { return (byte & 0xC0) != 0x80; });
  }

  // The longest one that `rest` begins with; false: none.
  bool take_piece(std::string_view word, std::string_view& rest, bool with_special,
                  std::vector<int32_t>& tokens) const {
    std::string spelling = rest.size() == word.size() ? "" : settings_.prefix;
    const size_t start = spelling.size();
    spelling += rest;
    while (spelling.size() > start) {
      const int32_t token = vocabulary_.find_word(spelling, with_special);
      if (token >= 0) {
        tokens.push_back(token);
        rest.remove_prefix(spelling.size() - start);
        return true;
      }
      do {
        spelling.pop_back();
      } while (spelling.size() > start &&
               (rest[spelling.size() - start] & 0xC0) == 0x80);  // up to a whole character
    }
    return false;
  }

  const Vocabulary& vocabulary_;
  WordPieces settings_;
  int32_t unknown_;
};

// ---- Whole words --------------------------------------------------------------------------------

class WordModel final : public Model {
 public:
  WordModel(const Vocabulary& vocabulary, const std::string& unknown)
      : vocabulary_(vocabulary), unknown_(vocabulary.find(unknown)) {}

  void encode(std::string_view word, bool with_special,
              std::vector<int32_t>& tokens) const override {
    const int32_t found = vocabulary_.find_word(word, with_special);
    const int32_t token = found >= 0 ? found : unknown_;
    if (token < 0) refuse_unknown_text(word);
    tokens.push_back(token);
  }

 private:
  const Vocabulary& vocabulary_;
  int32_t unknown_;
};

}  // namespace

std::unique_ptr<Model> whole_words(const Vocabulary& vocabulary, const std::string& unknown) {
  return std::make_unique<WordModel>(vocabulary, unknown);
}

std::unique_ptr<Model> byte_ranks(const Vocabulary& vocabulary) {
  return std::make_unique<RankModel>(vocabulary);
}

std::unique_ptr<Model> byte_pairs(const Vocabulary& vocabulary, const BytePairs& settings) {
  return std::make_unique<BytePairModel>(vocabulary, settings);
}

std::unique_ptr<Model> word_pieces(const Vocabulary& vocabulary, const WordPieces& settings) {
  return std::make_unique<WordPieceModel>(vocabulary, settings);
}

}  // namespace tenon::tokenizer_json
