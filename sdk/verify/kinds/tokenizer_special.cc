// SPDX-License-Identifier: Apache-2.0
// sdk/verify/kinds/tokenizer_special.cc: that a text gives no commands: what is spelt as a special
// token is text like any other, unless special tokens are to be read.
#include <algorithm>

#include "kinds/special_texts.h"
#include "kinds/tokenizer_checks.h"

namespace tenon::verify {

// Some tokenizers have a thousand that are reserved.
constexpr size_t kMaxTokens = 32;

// Those among `tokens` that stand for no text.
Tokens TokenizerChecks::special_among(const Tokenizer& tokenizer, const Tokens& tokens) const {
  const int32_t unknown = info_of(tokenizer).unknown;
  Tokens special;
  for (const int64_t token : tokens) {
    uint32_t flags = 0;
    session_.check(
        tenon_tokenizer_get_token(session_.context(), tokenizer.get(), token, nullptr, &flags));
    // The unknown token stands for what has no other one, a byte's for that byte.
    const bool stands_for_text =
        token == unknown || is_byte_spelling(spelling_of(tokenizer, token));
    if ((flags & TENON_TOKEN_SPECIAL) != 0 && !stands_for_text) special.push_back(token);
  }
  return special;
}

// `expected`  how many special tokens any text has with these flags
std::optional<Finding> TokenizerChecks::gives_special(const Tokenizer& tokenizer,
                                                      const std::string& text, uint32_t flags,
                                                      size_t expected) const {
  Tokens tokens;
  const tenon_status status = encode(tokenizer, text, flags, 0, tokens);
  if (status == TENON_E_DATA) return std::nullopt;  // a character without a token
  if (status != TENON_OK) {
    return Finding{&causes::kErrorStatus, "a text is refused otherwise than as TENON_E_DATA: " +
                                              failure_of(session_, status) + "; it is " +
                                              as_json(text)};
  }
  const Tokens special = special_among(tokenizer, tokens);
  if (special.size() <= expected) return std::nullopt;
  return Finding{&causes::kSpecialFromText, as_json(text) + " gives " + tokens_text(tokens) +
                                                " without READ_SPECIAL" +
                                                (flags == 0 ? "" : " and with ADD_SPECIAL") +
                                                "; special are " + tokens_text(special)};
}

std::optional<Finding> TokenizerChecks::special(const TokenizerSample& sample) const {
  const Tokenizer tokenizer = made(sample);
  const size_t added =
      special_among(tokenizer, encoded(tokenizer, sample.text, TENON_TOKENIZER_ADD_SPECIAL)).size();
  const Tokens special = special_among(tokenizer, tokens_of(tokenizer));
  for (size_t i = 0; i < std::min(special.size(), kMaxTokens); ++i) {
    const std::string token = spelling_of(tokenizer, special[i]);
    const std::string other = spelling_of(tokenizer, special[(i + 1) % special.size()]);
    for (const std::string& text : special_texts(token, other, sample.text)) {
      auto finding = gives_special(tokenizer, text, 0, 0);
      if (!finding) finding = gives_special(tokenizer, text, TENON_TOKENIZER_ADD_SPECIAL, added);
      if (finding) return finding;
    }
  }
  return std::nullopt;
}

}  // namespace tenon::verify
