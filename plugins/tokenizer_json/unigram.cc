// SPDX-License-Identifier: Apache-2.0
// plugins/tokenizer_json/unigram.cc: the model of unigrams (T. Kudo, "Subword Regularization:
// Improving Neural Network Translation Models with Multiple Subword Candidates", ACL 2018): the
// pieces of a word whose scores have the greatest sum.
#include <algorithm>
#include <limits>

#include "models.hpp"

namespace tenon::tokenizer_json {
namespace {

constexpr size_t kLongestPiece = 1024;  // a search takes time with this, for each place of a text
constexpr double kUnknownPenalty = 10;  // of an unknown character, below the lowest score

// The pieces that a text begins with. Children of a node lie side by side, by their bytes.
class Trie {
 public:
  // pieces   in ascending order, none empty
  explicit Trie(std::span<const std::pair<std::string_view, int32_t>> pieces) {
    struct Part {
      size_t node, begin, end, depth;  // pieces[begin, end) go through the node
    };
    nodes_.emplace_back();
    std::vector<Part> parts = {{0, 0, pieces.size(), 0}};
    for (size_t next = 0; next < parts.size(); ++next) {
      auto [node, begin, end, depth] = parts[next];
      nodes_[node].children = static_cast<uint32_t>(nodes_.size());
      if (begin < end && pieces[begin].first.size() == depth)
        nodes_[node].piece = pieces[begin++].second;
      while (begin < end) {
        const char byte = pieces[begin].first[depth];
        size_t until = begin;
        while (until < end && pieces[until].first[depth] == byte) ++until;
        parts.push_back({nodes_.size(), begin, until, depth + 1});
        nodes_.push_back({.byte = byte});
        ++nodes_[node].count;
        begin = until;
      }
    }
  }

  // visit(length, piece) for each, the shortest first.
  template <class Visit>
  void each_prefix(std::string_view text, Visit&& visit) const {
    const Node* node = &nodes_[0];
    for (size_t i = 0; i < text.size(); ++i) {
      const Node* const first = nodes_.data() + node->children;
      const Node* const last = first + node->count;
      node = std::lower_bound(first, last, text[i], [](const Node& child, char byte) {
        return static_cast<unsigned char>(child.byte) < static_cast<unsigned char>(byte);
      });
      if (node == last || node->byte != text[i]) return;
      if (node->piece >= 0) visit(i + 1, node->piece);
    }
  }

 private:
  struct Node {
    uint32_t children = 0;  // where they are
    uint16_t count = 0;
    char byte = 0;
    int32_t piece = -1;
  };
  std::vector<Node> nodes_;
};

class UnigramModel final : public Model {
 public:
  UnigramModel(const Vocabulary& vocabulary, const Unigrams& settings)
      : vocabulary_(vocabulary), settings_(settings), trie_(sorted(vocabulary, settings)) {
    for (const auto& [token, score] : settings.scores) {
      lowest_ = std::min(lowest_, score);
      pieces_.push_back({token, score, vocabulary.is_special(token)});
    }
    for (size_t byte = 0; byte < 256 && settings.byte_fallback; ++byte) {
      bytes_.push_back(vocabulary.find(spelling_of_byte(static_cast<unsigned char>(byte))));
    }
  }

  void encode(std::string_view word, bool with_special,
              std::vector<int32_t>& tokens) const override {
    const std::vector<Step> best = best_ways(word, with_special);
    std::vector<Step> way;  // from the end
    for (size_t end = word.size(); end > 0; end = best[end].begin)
      way.push_back({best[end].begin, best[end].token, 0});
    std::ranges::reverse(way);
    for (size_t i = 0; i < way.size();) {
      const size_t begin = way[i].begin;
      const int32_t token = way[i++].token;
      if (token != settings_.unknown) {
        tokens.push_back(token);
        continue;
      }
      while (i < way.size() && way[i].token == token) ++i;  // unknown neighbours are one
      const size_t end = i < way.size() ? way[i].begin : word.size();
      add_unknown(word.substr(begin, end - begin), with_special, tokens);
    }
  }

 private:
  struct Piece {
    int32_t token;
    double score;
    bool special;
  };
  // The best way to a place of a word: its last piece.
  struct Step {
    size_t begin = 0;
    int32_t token = -1;
    double score = -std::numeric_limits<double>::infinity();
  };

  static std::vector<std::pair<std::string_view, int32_t>> sorted(const Vocabulary& vocabulary,
                                                                  const Unigrams& settings) {
    std::vector<std::pair<std::string_view, int32_t>> pieces;
    for (const auto& [token, score] : settings.scores) {
      const std::string& spelling = vocabulary.spelling(token);
      if (spelling.size() > kLongestPiece) {
        throw sdk::Failure{TENON_E_UNSUPPORTED, "token " + std::to_string(token) + " is too long",
                           "vocab", "at most " + std::to_string(kLongestPiece) + " bytes",
                           std::to_string(spelling.size())};
      }
      pieces.emplace_back(spelling, static_cast<int32_t>(pieces.size()));
    }
    std::ranges::sort(pieces);
    return pieces;
  }

  std::vector<Step> best_ways(std::string_view word, bool with_special) const {
    std::vector<Step> best(word.size() + 1);
    best[0].score = 0;
    for (size_t begin = 0; begin < word.size();) {
      const double score = best[begin].score;
      const auto propose = [&](size_t length, int32_t token, double of_piece) {
        Step& step = best[begin + length];
        if (step.token < 0 || score + of_piece > step.score) {
          step = {begin, token, score + of_piece};
        }
      };
      size_t character = 1;
      while (begin + character < word.size() && (word[begin + character] & 0xC0) == 0x80) {
        ++character;
      }
      bool is_known = false;  // the character by itself
      trie_.each_prefix(word.substr(begin), [&](size_t length, int32_t piece) {
        const Piece& found = pieces_[static_cast<size_t>(piece)];
        if (found.special && !with_special) return;
        propose(length, found.token, found.score);
        is_known = is_known || length == character;
      });
      if (!is_known) {
        if (settings_.unknown < 0) refuse_unknown_text(word.substr(begin, character));
        propose(character, settings_.unknown, lowest_ - kUnknownPenalty);
      }
      begin += character;
    }
    return best;
  }

  void add_unknown(std::string_view text, bool with_special, std::vector<int32_t>& tokens) const {
    const int32_t found = vocabulary_.find_word(text, with_special);
    if (found >= 0) return tokens.push_back(found);
    const auto token_of = [&](char byte) { return bytes_[static_cast<unsigned char>(byte)]; };
    if (bytes_.empty() ||
        std::ranges::any_of(text, [&](char byte) { return token_of(byte) < 0; })) {
      return tokens.push_back(settings_.unknown);
    }
    for (const char byte : text) tokens.push_back(token_of(byte));
  }

  const Vocabulary& vocabulary_;
  Unigrams settings_;
  Trie trie_;
  std::vector<Piece> pieces_;   // as in the settings
  std::vector<int32_t> bytes_;  // empty: no byte fallback
  double lowest_ = std::numeric_limits<double>::infinity();
};

}  // namespace

std::unique_ptr<Model> unigrams(const Vocabulary& vocabulary, const Unigrams& settings) {
  return std::make_unique<UnigramModel>(vocabulary, settings);
}

}  // namespace tenon::tokenizer_json
