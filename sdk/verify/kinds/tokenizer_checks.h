// SPDX-License-Identifier: Apache-2.0
// sdk/verify/kinds/tokenizer_checks.h: what is asked of a tokenizer, one sample after the other.
#pragma once

#include <tenon/ext/draft/tokenizers.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinds/part_checks.h"
#include "kinds/temporary_folder.h"

namespace tenon::verify {

struct ReleaseTokenizer {
  void operator()(tenon_tokenizer* tokenizer) const { tenon_tokenizer_release(tokenizer); }
};
using Tokenizer = std::unique_ptr<tenon_tokenizer, ReleaseTokenizer>;
using Tokens = std::vector<int64_t>;

struct TokenizerSample {
  uint32_t number = 0;
  std::string text, fragment;
  Tokens tokens;
  std::optional<std::string> file;
  sdk::Sample options;
  tenon_status expect = TENON_OK;
  bool lossy = false;
};
// An entry of "samples" of the query "tokenizers". Throws Failure.
TokenizerSample tokenizer_sample_of(const Json& entry, uint32_t number);

// [1 2 3]
std::string tokens_text(const Tokens& tokens);
// As JSON, in ASCII, whatever bytes it has.
std::string as_json(std::string_view text);

class TokenizerChecks : PartChecks {
 public:
  TokenizerChecks(Subject& subject, Recorder& recorder, const Json& tokenizer)
      : PartChecks(subject, recorder, tokenizer), saves_(tokenizer.at("saves")) {}

  using PartChecks::check_declared;
  void check(const TokenizerSample& sample);

 private:
  // All that a tokenizer says of itself and of one text.
  struct Said {
    Tokens info;  // size, unknown, begin, end, pad
    Tokens tokens, with_special;
    std::string text;
    std::vector<std::string> spellings;
    std::string file;  // empty if it saves none
    // What differs first from another one's; "" if nothing does.
    std::string difference(const Said& other) const;
  };

  tenon_status create(const sdk::Sample& options, const std::optional<std::string>& file,
                      Tokenizer& out) const;
  Tokenizer made(const TokenizerSample& sample) const;
  tenon_status encode(const Tokenizer& tokenizer, std::string_view text, uint32_t flags,
                      int64_t limit, Tokens& out) const;
  Tokens encoded(const Tokenizer& tokenizer, std::string_view text, uint32_t flags = 0) const;
  tenon_status decode(const Tokenizer& tokenizer, const Tokens& tokens, uint32_t flags,
                      std::string& out) const;
  std::string decoded(const Tokenizer& tokenizer, const Tokens& tokens, uint32_t flags = 0) const;
  tenon_tokenizer_info info_of(const Tokenizer& tokenizer) const;
  std::string spelling_of(const Tokenizer& tokenizer, int64_t token) const;
  std::string saved(const Tokenizer& tokenizer) const;
  Tokens tokens_of(const Tokenizer& tokenizer) const;
  Said all_of(const Tokenizer& tokenizer, const std::string& text) const;

  // tokenizers.cc
  std::optional<Finding> refused(const TokenizerSample& sample) const;
  std::optional<Finding> tokens(const TokenizerSample& sample) const;
  std::optional<Finding> text(const TokenizerSample& sample) const;
  std::optional<Finding> limits(const TokenizerSample& sample) const;
  std::optional<Finding> vocabulary(const TokenizerSample& sample) const;
  std::optional<Finding> repeated(const TokenizerSample& sample) const;
  std::optional<Finding> threads(const TokenizerSample& sample) const;
  // tokenizer_special.cc
  Tokens special_among(const Tokenizer& tokenizer, const Tokens& tokens) const;
  std::optional<Finding> gives_special(const Tokenizer& tokenizer, const std::string& text,
                                       uint32_t flags, size_t expected) const;
  std::optional<Finding> special(const TokenizerSample& sample) const;
  // tokenizer_files.cc: what strangers write
  std::optional<Finding> any_text(const TokenizerSample& sample) const;
  std::optional<Finding> read_back(const TokenizerSample& sample) const;
  std::optional<Finding> cut_short(const TokenizerSample& sample) const;
  std::optional<Finding> changed(const TokenizerSample& sample) const;
  std::optional<Finding> garbage(const TokenizerSample& sample) const;
  std::optional<Finding> survives(const TokenizerSample& sample, const std::string& file,
                                  const std::string& what) const;
  std::string file_of(const TokenizerSample& sample) const;

  bool saves_;
  TemporaryFolder folder_;
};

}  // namespace tenon::verify
