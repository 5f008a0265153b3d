// SPDX-License-Identifier: Apache-2.0
// plugins/tokenizer_json/added_tokens.cc: tokens that are looked for before a model sees a text.
#include "added_tokens.hpp"

#include "unicode.hpp"

namespace tenon::tokenizer_json {
namespace {

// A search takes time with this, for each place of a text.
constexpr size_t kLongestToken = 1024;

bool ends_with_word(std::string_view text) {
  if (text.empty()) return false;
  size_t start = text.size() - 1;
  while ((text[start] & 0xC0) == 0x80) --start;
  std::string_view last = text.substr(start);
  return is_word(sdk::take_code_point(last));
}

bool starts_with_word(std::string_view text) {
  return !text.empty() && is_word(sdk::take_code_point(text));
}

}  // namespace

void Finder::add(const std::string& text, const AddedToken* token) {
  if (text.empty() || text.size() > kLongestToken) {
    throw sdk::Failure{TENON_E_DATA, "an added token has " + std::to_string(text.size()) + " bytes",
                       "added_tokens", "1 to " + std::to_string(kLongestToken),
                       std::to_string(text.size())};
  }
  size_t node = 0;
  for (const char byte : text) {
    const auto [found, is_new] = nodes_[node].next.try_emplace(byte, nodes_.size());
    node = found->second;
    if (is_new) nodes_.emplace_back();
  }
  if (nodes_[node].token != nullptr) {
    throw sdk::Failure{TENON_E_DATA, "two added tokens are spelt '" + text + "'", "added_tokens",
                       "another spelling", text};
  }
  nodes_[node].token = token;
}

const AddedToken* Finder::at(std::string_view text, size_t place, size_t& length) const {
  const AddedToken* longest = nullptr;
  size_t node = 0;
  for (size_t i = place; i < text.size(); ++i) {
    const auto found = nodes_[node].next.find(text[i]);
    if (found == nodes_[node].next.end()) break;
    node = found->second;
    if (nodes_[node].token == nullptr) continue;
    longest = nodes_[node].token;
    length = i + 1 - place;
  }
  return longest;
}

AddedTokens::AddedTokens(const std::vector<AddedToken>& tokens, const Normalizer& normalizer)
    : normalizer_(normalizer) {
  for (const AddedToken& each : tokens) {
    Normalized spelling{each.content};
    if (each.normalized && normalizer) normalizer(spelling);
    (each.normalized ? normalized_ : plain_).add(spelling.text, &each);
    spellings_[each.token] = spelling.text;
    if (each.special) special_contents_.insert(each.content);
  }
}

const std::string* AddedTokens::spelling(int32_t token) const {
  const auto found = spellings_.find(token);
  return found == spellings_.end() ? nullptr : &found->second;
}

void AddedTokens::cut(const Piece& piece, const Finder& finder, bool with_special,
                      std::vector<Piece>& out) const {
  const std::string_view text = piece.text;
  const auto keep = [&](size_t begin, size_t end) {
    if (begin >= end) return;
    out.push_back(
        {std::string(text.substr(begin, end - begin)), -1, piece.first_until_from(begin)});
  };
  size_t done = 0;
  for (size_t place = 0; place < text.size();) {
    size_t length = 0;
    const AddedToken* const found = finder.at(text, place, length);
    if (found == nullptr) {
      ++place;
      continue;
    }
    size_t begin = place;
    size_t end = place + length;
    place = end;
    if (found->special && !with_special) continue;
    if (found->single_word &&
        (ends_with_word(text.substr(0, begin)) || starts_with_word(text.substr(end)))) {
      continue;
    }
    if (found->lstrip) {
      begin = std::max(stripped(text.substr(0, begin), false, true).size(), done);
    }
    if (found->rstrip) end = text.size() - stripped(text.substr(end), true, false).size();
    // What one token took of the white space after it may be another one all the same; one that
    // takes white space before it then has nothing left.
    if (begin >= end) {
      done = std::max(done, end);
      continue;
    }
    keep(done, begin);
    out.push_back({found->content, found->token, -1});
    done = end;
  }
  keep(done, text.size());
}

std::vector<Piece> AddedTokens::split(std::string_view text, bool with_special) const {
  std::vector<Piece> pieces;
  cut({std::string(text), -1, 0}, plain_, with_special, pieces);
  std::vector<Piece> out;
  for (Piece& piece : pieces) {
    if (piece.token >= 0) {
      out.push_back(std::move(piece));
      continue;
    }
    if (normalizer_) {
      Normalized normalized{std::move(piece.text)};
      normalizer_(normalized);
      piece.text = std::move(normalized.text);
      if (!normalized.has_first) piece.first_until = -1;
      if (piece.first_until >= 0) piece.first_until = static_cast<int64_t>(normalized.before);
    }
    cut(piece, normalized_, with_special, out);
  }
  return out;
}

}  // namespace tenon::tokenizer_json
