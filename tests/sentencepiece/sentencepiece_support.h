// SPDX-License-Identifier: Apache-2.0
// tests/sentencepiece/sentencepiece_support.h: tokenizers of the plugin tenon.sentencepiece through
// the public headers, and models written by hand.
#pragma once

#include <gtest/gtest.h>
#include <tenon/ext/draft/tokenizers.h>
#include <tenon/tenon.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::tests {

struct ReleaseTokenizer {
  void operator()(tenon_tokenizer* tokenizer) const { tenon_tokenizer_release(tokenizer); }
};
using Tokenizer = std::unique_ptr<tenon_tokenizer, ReleaseTokenizer>;
using Tokens = std::vector<int64_t>;

// A context of its own, for one thread.
class Session {
 public:
  explicit Session(tenon_runtime* runtime);
  ~Session() { tenon_context_release(context_); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  tenon_context* context() const { return context_; }
  void must(tenon_status status) const;
  // Message and hint of a call that must fail with `expected`.
  std::string refused(tenon_status found, tenon_status expected) const;

  tenon_status create(std::string_view file, Tokenizer& made) const;
  Tokenizer made(std::string_view file) const;
  std::string refused_file(std::string_view file, tenon_status expected = TENON_E_DATA) const;
  tenon_status encode(const Tokenizer& tokenizer, std::string_view text, uint32_t flags,
                      int64_t limit, Tokens& tokens) const;
  Tokens encoded(const Tokenizer& tokenizer, std::string_view text, uint32_t flags = 0,
                 int64_t limit = 0) const;
  std::string decoded(const Tokenizer& tokenizer, const Tokens& tokens, uint32_t flags = 0) const;
  tenon_tokenizer_info info(const Tokenizer& tokenizer) const;
  // -1: none
  int64_t find(const Tokenizer& tokenizer, std::string_view spelling) const;

 private:
  tenon_context* context_ = nullptr;
};

// A runtime on the tree's own plugins. Skips where the plugin was not built.
class SentencePiece : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  static std::string model(const std::string& name);  // of models/, its bytes

  tenon_runtime* runtime = nullptr;
  std::unique_ptr<Session> session;
};

// Protocol buffers.
std::string bytes_field(uint32_t number, std::string_view bytes);
std::string number_field(uint32_t number, uint64_t value);
std::string piece(std::string_view text, uint64_t type = 1, float score = -1);
// <unk>, <s>, </s>, the sign for a space, and "a".
std::string small_pieces();

}  // namespace tenon::tests
