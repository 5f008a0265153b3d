// SPDX-License-Identifier: Apache-2.0
// plugins/tokenizers/bytes.cc: the tokenizer tenon.bytes: each byte is its number.
#include <tenon/sdk/plugin/plugin.hpp>
#include <tenon/sdk/plugin/tokenizer.hpp>

namespace {

namespace sdk = tenon::sdk;

class Bytes {
 public:
  Bytes(const sdk::Attrs&, const sdk::TokenizerFile& file) { sdk::refuse_file(file); }

  tenon_tokenizer_info info() const { return sdk::tokenizer_info(256); }
  std::vector<int32_t> encode(std::string_view text, uint32_t, int64_t limit) const {
    text = text.substr(0, static_cast<size_t>(limit));
    std::vector<int32_t> tokens;
    tokens.reserve(text.size());
    for (const char byte : text) tokens.push_back(static_cast<unsigned char>(byte));
    return tokens;
  }
  std::string decode(std::span<const int32_t> tokens, uint32_t) const {
    return {tokens.begin(), tokens.end()};
  }
  sdk::Spelling token(int32_t token) const { return {std::string(1, static_cast<char>(token)), 0}; }
  int32_t find(std::string_view spelling) const {
    return spelling.size() == 1 ? static_cast<unsigned char>(spelling[0]) : -1;
  }
};

constexpr tenon_tokenizer_sample kSamples[] = {
    sdk::tokenizer_sample({.text = "Az \xC3\xA9\n", .tokens = "65 122 32 195 169 10"}),
    sdk::tokenizer_sample({.text = "", .tokens = ""}),
    sdk::refused_tokenizer({.file = "", .text = ""}, TENON_E_ATTRIBUTE, "not made of a file")};

constexpr tenon_tokenizer_desc kTokenizers[] = {sdk::tokenizer<Bytes>(
    {.name = "tenon.bytes",
     .doc = "Each byte of a text is a token, 0 to 255. Every text can be encoded.",
     .samples = kSamples})};

}  // namespace

TENON_UNIT(bytes) = {.tokenizers = kTokenizers};
