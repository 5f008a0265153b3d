// SPDX-License-Identifier: Apache-2.0
// plugins/tokenizer_json/added_tokens.hpp: tokens that are looked for in a text before a model
// sees it: special ones, such as [SEP], and others that are to stay whole.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "models.hpp"
#include "steps.hpp"

namespace tenon::tokenizer_json {

struct AddedToken {
  std::string content;
  int32_t token = -1;
  bool single_word = false;  // not within a word
  bool lstrip = false;       // takes the white space before it
  bool rstrip = false;       // and after it
  bool normalized = false;   // looked for in the normalised text
  bool special = false;
};

// The longest of several texts that begins at a place.
class Finder {
 public:
  // errors   TENON_E_DATA: twice the same, or one too long
  void add(const std::string& text, const AddedToken* token);
  // NULL: none begins there.
  const AddedToken* at(std::string_view text, size_t place, size_t& length) const;

 private:
  struct Node {
    std::map<char, size_t> next;
    const AddedToken* token = nullptr;
  };
  std::vector<Node> nodes_ = {Node{}};
};

class AddedTokens {
 public:
  // Both outlive it. errors   TENON_E_DATA
  AddedTokens(const std::vector<AddedToken>& tokens, const Normalizer& normalizer);
  AddedTokens(const AddedTokens&) = delete;
  AddedTokens& operator=(const AddedTokens&) = delete;

  // The pieces of a text: added tokens, and what is between them, normalised.
  std::vector<Piece> split(std::string_view text, bool with_special) const;
  // As decoders see it; NULL: not an added token.
  const std::string* spelling(int32_t token) const;
  bool is_special(std::string_view content) const { return special_contents_.contains(content); }

 private:
  void cut(const Piece& piece, const Finder& finder, bool with_special,
           std::vector<Piece>& out) const;

  const Normalizer& normalizer_;
  Finder plain_, normalized_;
  std::unordered_map<int32_t, std::string> spellings_;
  std::unordered_set<std::string, TextHash, std::equal_to<>> special_contents_;
};

}  // namespace tenon::tokenizer_json
