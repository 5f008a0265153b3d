// SPDX-License-Identifier: Apache-2.0
// tests/training/tokenizers_support.h: tokenizers through the C API; and acme.letters, one of the
// test program's own, which has special tokens and misbehaves if it is told to.
#pragma once

#include <tenon/ext/draft/tokenizers.h>

#include <optional>

#include "tests/training/training_support.h"

namespace tenon::tests {

struct ReleaseTokenizer {
  void operator()(tenon_tokenizer* tokenizer) const { tenon_tokenizer_release(tokenizer); }
};
using Tokenizer = std::unique_ptr<tenon_tokenizer, ReleaseTokenizer>;
using Tokens = std::vector<int64_t>;

// acme.letters: the tokens 0 to 3 are [pad], [begin], [end] and [unknown], all special, and from 4
// on come the letters a to z. It is made of no file and writes none. Option `fault`: how it goes
// wrong.
tenon_status letters_query(const tenon_host* host, tenon_plugin* out, tenon_diag* diag);

class TokenizerTest : public Training {
 protected:
  void SetUp() override;

  using File = std::optional<std::string_view>;

  tenon_status create(std::string_view name, const std::vector<Option>& options, const File& file,
                      Tokenizer& out);
  Tokenizer tokenizer(std::string_view name, const std::vector<Option>& options = {},
                      const File& file = {});
  std::string refused_tokenizer(std::string_view name, const std::vector<Option>& options,
                                const File& file, tenon_status expected);
  Tokenizer loaded(const std::string& path, const char* name = nullptr);
  std::string refused_file(const std::string& path, const char* name, tenon_status expected);
  // What it saves.
  std::string file_of(const Tokenizer& tokenizer, const std::string& name);

  Tokens encode(const Tokenizer& tokenizer, std::string_view text, uint32_t flags = 0,
                int64_t limit = 0);
  std::string refused_text(const Tokenizer& tokenizer, std::string_view text, uint32_t flags,
                           int64_t limit, tenon_status expected);
  tenon_status decode(const Tokenizer& tokenizer, tenon_tensor* tokens, uint32_t flags,
                      std::string& out);
  std::string decode(const Tokenizer& tokenizer, const Tokens& tokens, uint32_t flags = 0);
  std::string refused_tokens(const Tokenizer& tokenizer, const Tokens& tokens,
                             tenon_status expected);
  std::string spelling(const Tokenizer& tokenizer, int64_t token, uint32_t* flags = nullptr);
  int64_t find(const Tokenizer& tokenizer, std::string_view spelling);
  tenon_tokenizer_info info(const Tokenizer& tokenizer);

  Tokenizer letters(std::string_view fault = {});
  Tokenizer characters(std::string_view of) {
    return tokenizer("tenon.characters", {{"text", text(of)}});
  }
};

}  // namespace tenon::tests
