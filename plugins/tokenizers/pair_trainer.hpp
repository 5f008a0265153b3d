// SPDX-License-Identifier: Apache-2.0
// plugins/tokenizers/pair_trainer.hpp: learns byte pairs from a text.
//
// The pair of neighbours that stands most often in the words of the text is merged, again and
// again; of pairs that are equally frequent, the one with the lower left token, then the lower
// right one. So the same text gives the same tokenizer everywhere. Pairs are counted once, and
// after each merge again only in the words that held it.
#pragma once

#include <map>
#include <queue>

#include "pairs.hpp"

namespace tenon::tokenizers {

class PairTrainer {
 public:
  explicit PairTrainer(std::string_view text) {
    std::map<std::string_view, int64_t> counts;
    Words words(text);
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) ++counts[word];
    for (const auto& [word, count] : counts) {
      words_.push_back({{}, count});
      for (const char byte : word) words_.back().tokens.push_back(static_cast<unsigned char>(byte));
      count_pairs(words_.size() - 1, 1, kEvery);
    }
  }

  // Up to `vocabulary` tokens, the 256 bytes among them; fewer where no pair stands there twice.
  std::vector<TokenPair> train(Token vocabulary) {
    std::vector<TokenPair> merges;
    while (kByteTokens + static_cast<Token>(merges.size()) < vocabulary && !queue_.empty()) {
      const Candidate best = queue_.top();
      queue_.pop();
      const int64_t count = pairs_[key_of(best.pair)].count;
      if (count != best.count) {  // counted before words changed; a smaller count comes later
        if (count < best.count && count > 1) queue_.push({count, best.pair});
        continue;
      }
      merge(best.pair, kByteTokens + static_cast<Token>(merges.size()));
      merges.push_back(best.pair);
    }
    return merges;
  }

 private:
  struct Word {
    std::vector<Token> tokens;
    int64_t count;
  };
  struct Occurrences {
    int64_t count = 0;
    std::vector<size_t> words;  // that hold it or held it
  };
  struct Candidate {
    int64_t count;
    TokenPair pair;
    bool operator<(const Candidate& other) const {
      return count != other.count ? count < other.count : pair > other.pair;
    }
  };

  // Adds (sign 1) the pairs of a word, or takes them away (-1). Only pairs with the token `made`
  // can be new in the word or more frequent than the queue knows.
  void count_pairs(size_t index, int sign, Token made) {
    const Word& word = words_[index];
    for (size_t i = 0; i + 1 < word.tokens.size(); ++i) {
      const TokenPair pair = {word.tokens[i], word.tokens[i + 1]};
      Occurrences& occurrences = pairs_[key_of(pair)];
      occurrences.count += sign * word.count;
      if (sign < 0 || (made != kEvery && pair.first != made && pair.second != made)) continue;
      if (occurrences.words.empty() || occurrences.words.back() != index) {
        occurrences.words.push_back(index);
      }
      if (occurrences.count > 1) queue_.push({occurrences.count, pair});
    }
  }

  void merge(TokenPair pair, Token token) {
    std::vector<size_t> holders;
    holders.swap(pairs_[key_of(pair)].words);
    for (const size_t index : holders) {
      count_pairs(index, -1, token);
      merge_pair(words_[index].tokens, pair, token);
      count_pairs(index, 1, token);
    }
  }

  static constexpr Token kEvery = -1;
  std::vector<Word> words_;
  std::unordered_map<uint64_t, Occurrences> pairs_;
  std::priority_queue<Candidate> queue_;
};

}  // namespace tenon::tokenizers
