// SPDX-License-Identifier: Apache-2.0
// tests/training/tokenizers_support.cc: see tokenizers_support.h.
#include "tests/training/tokenizers_support.h"

#include <tenon/sdk/plugin/plugin.hpp>
#include <tenon/sdk/plugin/tokenizer.hpp>

#include <fstream>
#include <utility>

#include "tests/support/program_query.h"

namespace tenon::tests {
namespace {

using namespace std::string_literals;

// ---- acme.letters -------------------------------------------------------------------------------

constexpr std::string_view kSpecial[] = {"[pad]", "[begin]", "[end]", "[unknown]"};
enum Special : int32_t { kPad, kBegin, kEnd, kUnknown, kLetters };

class Letters {
 public:
  Letters(const sdk::Attrs& options, const sdk::TokenizerFile& file) : fault_(options.text(0)) {
    sdk::refuse_file(file);
    if (fault_ == "throws") throw std::length_error("more than there is");
  }

  tenon_tokenizer_info info() const {
    tenon_tokenizer_info info = sdk::tokenizer_info(kLetters + 26);
    info.pad = is("no pad") ? -1 : kPad;
    info.begin = kBegin;
    info.end = is("end of 30") ? 30 : kEnd;
    info.unknown = is("unknown of -2") ? -2 : kUnknown;
    if (is("negative size")) info.size = -1;
    if (is("huge size")) info.size = int64_t{1} << 31;
    return info;
  }

  std::vector<int32_t> encode(std::string_view text, uint32_t flags, int64_t limit) const {
    const bool around = (flags & TENON_TOKENIZER_ADD_SPECIAL) != 0;
    const int64_t room = limit - (around ? 2 : 0);
    std::vector<int32_t> tokens;
    if (around) tokens.push_back(kBegin);
    for (int64_t n = 0; !text.empty() && n < room; ++n) tokens.push_back(take(text, flags));
    if (around) tokens.push_back(kEnd);
    if (std::cmp_greater(tokens.size(), limit)) tokens.resize(static_cast<size_t>(limit));
    if (is("token 30")) tokens.push_back(30);
    if (is("token -1")) tokens.push_back(-1);
    if (is("beyond the limit")) tokens.resize(tokens.size() + 1);
    if (is("another length")) tokens.resize(100 + static_cast<size_t>(calls_++));
    if (is("zero bytes")) throw sdk::Failure{TENON_E_DATA, "a\0b"s, "c\0d"s, "e\0"s, "\0f"s, "\0"s};
    return tokens;
  }

  std::string decode(std::span<const int32_t> tokens, uint32_t flags) const {
    std::string text;
    for (const int32_t token : tokens) {
      if (token < kLetters && (flags & TENON_TOKENIZER_SKIP_SPECIAL) != 0) continue;
      text += this->token(token).text;
    }
    if (is("another length")) text.resize(1000 + static_cast<size_t>(calls_++));
    return text;
  }

  sdk::Spelling token(int32_t token) const {
    if (token < kLetters) return {std::string(kSpecial[token]), TENON_TOKEN_SPECIAL};
    return {std::string(1, static_cast<char>('a' + token - kLetters)), 0};
  }

  int32_t find(std::string_view spelling) const {
    if (is("finds 30")) return 30;
    if (is("finds -2")) return -2;
    for (int32_t token = 0; token < kLetters + 26; ++token) {
      if (this->token(token).text == spelling) return token;
    }
    return -1;
  }

 private:
  bool is(std::string_view fault) const { return fault_ == fault; }

  static int32_t take(std::string_view& text, uint32_t flags) {
    for (int32_t token = 0; token < kLetters; ++token) {
      if ((flags & TENON_TOKENIZER_READ_SPECIAL) == 0 || !text.starts_with(kSpecial[token])) {
        continue;
      }
      text.remove_prefix(kSpecial[token].size());
      return token;
    }
    const char letter = text[0];
    text.remove_prefix(1);
    return letter >= 'a' && letter <= 'z' ? kLetters + letter - 'a' : kUnknown;
  }

  std::string fault_;
  mutable int calls_ = 0;
};

constexpr tenon_tokenizer_option kOptions[] = {
    sdk::optional_tokenizer_option("fault", TENON_VALUE_STRING, "how it goes wrong")};
constexpr tenon_tokenizer_desc kTokenizers[] = {sdk::tokenizer<Letters>(
    {.name = "acme.letters", .doc = "Letters.", .endings = ".letters", .options = kOptions})};
constexpr sdk::Unit kUnit = {.tokenizers = kTokenizers};
constexpr const sdk::Unit* kUnits[] = {&kUnit};

struct Data {
  static sdk::About about() { return {"acme.letters", "1.0.0", "Apache-2.0", kUnits}; }
};

}  // namespace

tenon_status letters_query(const tenon_host* host, tenon_plugin* out, tenon_diag* diag) {
  return query_in_program<Data>(host, out, diag);
}

// ---- Through the C API --------------------------------------------------------------------------

void TokenizerTest::SetUp() {
  Training::SetUp();
  must(tenon_plugin_load(context, letters_query));
}

Tokenizer TokenizerTest::letters(std::string_view fault) {
  if (fault.empty()) return tokenizer("acme.letters");
  return tokenizer("acme.letters", {{"fault", text(fault)}});
}

tenon_status TokenizerTest::create(std::string_view name, const std::vector<Option>& options,
                                   const File& file, Tokenizer& out) {
  const Options given(options);
  tenon_tokenizer* made = nullptr;
  const tenon_status status = tenon_tokenizer_create(
      context, name.data(), name.size(), file ? file->data() : nullptr, file ? file->size() : 0,
      given.names.data(), given.values.data(), static_cast<uint32_t>(given.names.size()), &made);
  EXPECT_EQ(made == nullptr, status != TENON_OK);
  out.reset(made);
  return status;
}

Tokenizer TokenizerTest::tokenizer(std::string_view name, const std::vector<Option>& options,
                                   const File& file) {
  Tokenizer made;
  must(create(name, options, file, made));
  return made;
}

std::string TokenizerTest::refused_tokenizer(std::string_view name,
                                             const std::vector<Option>& options, const File& file,
                                             tenon_status expected) {
  Tokenizer made;
  return refused(create(name, options, file, made), expected);
}

Tokenizer TokenizerTest::loaded(const std::string& path, const char* name) {
  tenon_tokenizer* made = nullptr;
  must(tenon_tokenizer_load(context, path.data(), path.size(), name, name ? TENON_NUL : 0, nullptr,
                            nullptr, 0, &made));
  return Tokenizer(made);
}

std::string TokenizerTest::refused_file(const std::string& path, const char* name,
                                        tenon_status expected) {
  tenon_tokenizer* made = nullptr;
  std::string words =
      refused(tenon_tokenizer_load(context, path.data(), path.size(), name, name ? TENON_NUL : 0,
                                   nullptr, nullptr, 0, &made),
              expected);
  EXPECT_EQ(made, nullptr);
  return words;
}

std::string TokenizerTest::file_of(const Tokenizer& tokenizer, const std::string& name) {
  const std::string where = path(name);
  must(tenon_tokenizer_save(context, tokenizer.get(), where.data(), where.size()));
  std::ifstream file(where, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Tokens TokenizerTest::encode(const Tokenizer& tokenizer, std::string_view text, uint32_t flags,
                             int64_t limit) {
  tenon_tensor* made = nullptr;
  must(tenon_tokenizer_call(context, tokenizer.get(), text.data(), text.size(), flags, limit,
                            &made));
  const Tensor owned(made);
  return made ? values_of<int64_t>(made) : Tokens{};
}

std::string TokenizerTest::refused_text(const Tokenizer& tokenizer, std::string_view text,
                                        uint32_t flags, int64_t limit, tenon_status expected) {
  tenon_tensor* made = nullptr;
  std::string words = refused(
      tenon_tokenizer_call(context, tokenizer.get(), text.data(), text.size(), flags, limit, &made),
      expected);
  EXPECT_EQ(made, nullptr);
  return words;
}

tenon_status TokenizerTest::decode(const Tokenizer& tokenizer, tenon_tensor* tokens, uint32_t flags,
                                   std::string& out) {
  tenon_text* made = nullptr;
  const tenon_status status =
      tenon_tokenizer_get_text(context, tokenizer.get(), tokens, flags, &made);
  EXPECT_EQ(made == nullptr, status != TENON_OK);
  if (status != TENON_OK) return status;
  const char* data = nullptr;
  uint64_t length = 0;
  must(tenon_text_get(made, &data, &length));
  out.assign(data, length);
  tenon_text_release(made);
  return status;
}

std::string TokenizerTest::decode(const Tokenizer& tokenizer, const Tokens& tokens,
                                  uint32_t flags) {
  const Tensor list = tensor<int64_t>({static_cast<int64_t>(tokens.size())}, tokens);
  std::string text;
  must(decode(tokenizer, list.get(), flags, text));
  return text;
}

std::string TokenizerTest::refused_tokens(const Tokenizer& tokenizer, const Tokens& tokens,
                                          tenon_status expected) {
  const Tensor list = tensor<int64_t>({static_cast<int64_t>(tokens.size())}, tokens);
  std::string text;
  return refused(decode(tokenizer, list.get(), 0, text), expected);
}

std::string TokenizerTest::spelling(const Tokenizer& tokenizer, int64_t token, uint32_t* flags) {
  tenon_text* made = nullptr;
  must(tenon_tokenizer_get_token(context, tokenizer.get(), token, &made, flags));
  const char* data = nullptr;
  uint64_t length = 0;
  if (made) must(tenon_text_get(made, &data, &length));
  std::string text(data ? data : "", length);
  tenon_text_release(made);
  return text;
}

int64_t TokenizerTest::find(const Tokenizer& tokenizer, std::string_view spelling) {
  int64_t token = -1;
  must(tenon_tokenizer_find_token(context, tokenizer.get(), spelling.data(), spelling.size(),
                                  &token));
  return token;
}

tenon_tokenizer_info TokenizerTest::info(const Tokenizer& tokenizer) {
  tenon_tokenizer_info found{};
  found.struct_size = sizeof found;
  must(tenon_tokenizer_get_info(context, tokenizer.get(), &found));
  return found;
}

}  // namespace tenon::tests
