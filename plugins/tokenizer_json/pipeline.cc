// SPDX-License-Identifier: Apache-2.0
// plugins/tokenizer_json/pipeline.cc: the way of a text through the steps, and back.
#include "pipeline.hpp"

#include <tenon/sdk/plugin/utf8.hpp>

namespace tenon::tokenizer_json {

void require_utf8(std::string_view bytes, const std::string& what) {
  const size_t until = sdk::utf8_until(bytes);
  if (until == bytes.size()) return;
  throw sdk::Failure{TENON_E_DATA,
                     "the " + what + " is not UTF-8 from byte " + std::to_string(until) + " on",
                     what, "UTF-8", ""};
}

tenon_tokenizer_info Pipeline::info() const {
  tenon_tokenizer_info info = sdk::tokenizer_info(parts_->vocabulary.size());
  info.unknown = parts_->unknown;
  info.begin = parts_->before.empty() ? -1 : parts_->before.front();
  info.end = parts_->after.empty() ? -1 : parts_->after.back();
  info.pad = parts_->pad;
  return info;
}

std::vector<int32_t> Pipeline::encode(std::string_view text, uint32_t flags, int64_t limit) const {
  require_utf8(text, "text");
  const bool adds = (flags & TENON_TOKENIZER_ADD_SPECIAL) != 0;
  const size_t around = adds ? parts_->before.size() + parts_->after.size() : 0;
  const size_t room = sdk::room_beside(around, limit);
  std::vector<int32_t> tokens;
  if (adds) tokens = parts_->before;
  const size_t until = tokens.size() + room;
  encode_text(text, (flags & TENON_TOKENIZER_READ_SPECIAL) != 0, until, tokens);
  if (tokens.size() > until) tokens.resize(until);
  if (adds) tokens.insert(tokens.end(), parts_->after.begin(), parts_->after.end());
  return tokens;
}

// Equal words are encoded once. Stops soon after `most` tokens.
void Pipeline::encode_text(std::string_view text, bool with_special, size_t most,
                           std::vector<int32_t>& tokens) const {
  std::vector<Piece> pieces = added_->split(text, with_special);
  if (parts_->splitter) parts_->splitter(pieces);
  std::unordered_map<std::string_view, std::vector<int32_t>> known;
  for (const Piece& piece : pieces) {
    if (tokens.size() >= most) return;
    if (piece.token >= 0) {
      tokens.push_back(piece.token);
      continue;
    }
    if (piece.text.empty()) continue;
    const auto [at, is_new] = known.try_emplace(piece.text);
    if (is_new) model_->encode(piece.text, with_special, at->second);
    tokens.insert(tokens.end(), at->second.begin(), at->second.end());
  }
}

std::string Pipeline::decode(std::span<const int32_t> tokens, uint32_t flags) const {
  Spellings spellings;
  for (const int32_t token : tokens) {
    const std::string* const added = added_->spelling(token);
    const std::string& spelling = added ? *added : parts_->vocabulary.spelling(token);
    if (spelling.empty()) continue;  // a number that is free
    const bool skipped =
        (flags & TENON_TOKENIZER_SKIP_SPECIAL) != 0 && added_->is_special(spelling);
    if (!skipped) spellings.push_back(spelling);
  }
  if (parts_->decoder) spellings = parts_->decoder(std::move(spellings));
  std::string text;
  for (const std::string& each : spellings) {
    if (!parts_->decoder && &each != spellings.data()) text += ' ';
    text += each;
  }
  return text;
}

sdk::Spelling Pipeline::token(int32_t token) const {
  const Vocabulary& vocabulary = parts_->vocabulary;
  return {vocabulary.spelling(token), vocabulary.is_special(token) ? TENON_TOKEN_SPECIAL : 0};
}

}  // namespace tenon::tokenizer_json
