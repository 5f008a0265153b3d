// SPDX-License-Identifier: Apache-2.0
// tests/python/plugins/acme.words/words.cc: a tokenizer with special tokens: <pad>, <unk>, <s>,
// </s> and the words of its option.
#include <tenon/sdk/plugin/plugin.hpp>
#include <tenon/sdk/plugin/tokenizer.hpp>

namespace {

namespace sdk = tenon::sdk;

enum Special : int32_t { kPad, kUnknown, kBegin, kEnd, kSpecials };

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const size_t length = std::min(text.find(' '), text.size());
    if (length != 0) words.emplace_back(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return words;
}

class Words {
 public:
  Words(const sdk::Attrs& options, const sdk::TokenizerFile& file)
      : spellings_{"<pad>", "<unk>", "<s>", "</s>"} {
    sdk::refuse_file(file);
    for (std::string& word : split(options.text(0))) spellings_.push_back(std::move(word));
  }

  tenon_tokenizer_info info() const {
    tenon_tokenizer_info info = sdk::tokenizer_info(static_cast<int64_t>(spellings_.size()));
    info.pad = kPad;
    info.unknown = kUnknown;
    info.begin = kBegin;
    info.end = kEnd;
    return info;
  }

  std::vector<int32_t> encode(std::string_view text, uint32_t flags, int64_t limit) const {
    const bool adds = (flags & TENON_TOKENIZER_ADD_SPECIAL) != 0;
    const int64_t room = std::max<int64_t>(limit - (adds ? 2 : 0), 0);
    std::vector<int32_t> tokens;
    if (adds) tokens.push_back(kBegin);
    for (const std::string& word : split(text)) {
      if (static_cast<int64_t>(tokens.size()) - adds >= room) break;
      const int32_t token = find(word);
      const bool may = token >= kSpecials || (flags & TENON_TOKENIZER_READ_SPECIAL) != 0;
      tokens.push_back(token >= 0 && may ? token : static_cast<int32_t>(kUnknown));
    }
    if (adds) tokens.push_back(kEnd);
    if (static_cast<int64_t>(tokens.size()) > limit) tokens.resize(static_cast<size_t>(limit));
    return tokens;
  }

  std::string decode(std::span<const int32_t> tokens, uint32_t flags) const {
    std::string text;
    for (const int32_t token : tokens) {
      if (token < kSpecials && (flags & TENON_TOKENIZER_SKIP_SPECIAL) != 0) continue;
      text += (text.empty() ? "" : " ") + spellings_[static_cast<size_t>(token)];
    }
    return text;
  }

  sdk::Spelling token(int32_t token) const {
    return {spellings_[static_cast<size_t>(token)], token < kSpecials ? TENON_TOKEN_SPECIAL : 0};
  }
  int32_t find(std::string_view spelling) const {
    const auto found = std::ranges::find(spellings_, spelling);
    return found == spellings_.end() ? -1 : static_cast<int32_t>(found - spellings_.begin());
  }

 private:
  std::vector<std::string> spellings_;
};

constexpr tenon_tokenizer_option options[] = {
    sdk::required_tokenizer_option("words", TENON_VALUE_STRING, "with a space between two")};

constexpr tenon_tokenizer_sample samples[] = {sdk::tokenizer_sample(
    {.options = "words=\"a b\"", .text = "b a c", .tokens = "5 4 1", .lossy = true})};

constexpr tenon_tokenizer_desc tokenizers[] = {sdk::tokenizer<Words>(
    {.name = "acme.words", .doc = "Words.", .options = options, .samples = samples})};

}  // namespace

TENON_UNIT(words) = {.tokenizers = tokenizers};
