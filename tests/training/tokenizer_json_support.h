// SPDX-License-Identifier: Apache-2.0
// tests/training/tokenizer_json_support.h: tokenizers of the plugin tenon.tokenizer_json, made of
// files that a test writes.
#pragma once

#include <gmock/gmock.h>
#include <tenon/ext/draft/tokenizers.h>

#include <nlohmann/json.hpp>

#include "tests/support/paths.h"
#include "tests/training/training_support.h"

namespace tenon::tests {

using nlohmann::json;

struct ReleaseTokenizer {
  void operator()(tenon_tokenizer* tokenizer) const { tenon_tokenizer_release(tokenizer); }
};
using Tokenizer = std::unique_ptr<tenon_tokenizer, ReleaseTokenizer>;

inline constexpr uint32_t kAdd = TENON_TOKENIZER_ADD_SPECIAL;
inline constexpr uint32_t kRead = TENON_TOKENIZER_READ_SPECIAL;

// Byte pairs of "a", "b" and the space, with two special tokens.
inline json small() {
  return json::parse(R"({
    "added_tokens": [{"id": 5, "content": "<s>", "normalized": false, "special": true},
                     {"id": 6, "content": "ba", "normalized": false, "single_word": true}],
    "normalizer": null,
    "pre_tokenizer": {"type": "WhitespaceSplit"},
    "post_processor": {"type": "TemplateProcessing",
                       "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}},
                                  {"Sequence": {"id": "A", "type_id": 0}}],
                       "special_tokens": {"<s>": {"id": "<s>", "ids": [5], "tokens": ["<s>"]}}},
    "decoder": {"type": "Fuse"},
    "model": {"type": "BPE", "unk_token": "?", "fuse_unk": true,
              "vocab": {"a": 0, "b": 1, "ab": 2, "abab": 3, "?": 4},
              "merges": ["a b", "ab ab"]}})");
}

class TokenizerJsonFiles : public Training {
 protected:
  void SetUp() override {
    Training::SetUp();
    if (!std::filesystem::exists(std::string(plugin_dir()) + "/tenon.tokenizer_json")) {
      GTEST_SKIP() << "tenon.tokenizer_json is not built: Oniguruma or utf8proc is not there";
    }
  }
  tenon_status create(const char* name, const std::string& file, Tokenizer& out,
                      const std::vector<Option>& options = {}) {
    const Options given(options);
    tenon_tokenizer* made = nullptr;
    const tenon_status status = tenon_tokenizer_create(
        context, name, TENON_NUL, file.data(), file.size(), given.names.data(), given.values.data(),
        static_cast<uint32_t>(given.names.size()), &made);
    out.reset(made);
    return status;
  }
  Tokenizer made(const json& file) {
    Tokenizer out;
    must(create("tenon.tokenizer_json", file.dump(), out));
    return out;
  }
  std::string refused_file(const std::string& file, tenon_status expected) {
    Tokenizer out;
    return refused(create("tenon.tokenizer_json", file, out), expected);
  }
  // The small file with one member changed: "/model/vocab" is null.
  std::string changed(const std::string& pointer, const json& value, tenon_status expected) {
    json file = small();
    file[json::json_pointer(pointer)] = value;
    return refused_file(file.dump(), expected);
  }
  tenon_status encode(const Tokenizer& tokenizer, std::string_view words, uint32_t flags,
                      int64_t limit, Tensor& out) {
    tenon_tensor* tokens = nullptr;
    const tenon_status status = tenon_tokenizer_call(context, tokenizer.get(), words.data(),
                                                     words.size(), flags, limit, &tokens);
    out.reset(tokens);
    return status;
  }
  std::vector<int64_t> encoded(const Tokenizer& tokenizer, std::string_view words,
                               uint32_t flags = 0, int64_t limit = 0) {
    Tensor tokens;
    must(encode(tokenizer, words, flags, limit, tokens));
    return values_of<int64_t>(tokens.get());
  }
  std::string decoded(const Tokenizer& tokenizer, const std::vector<int64_t>& numbers) {
    const Tensor tokens = tensor<int64_t>({static_cast<int64_t>(numbers.size())}, numbers);
    tenon_text* made = nullptr;
    must(tenon_tokenizer_get_text(context, tokenizer.get(), tokens.get(), 0, &made));
    const char* data = nullptr;
    uint64_t length = 0;
    tenon_text_get(made, &data, &length);
    std::string text(data, length);
    tenon_text_release(made);
    return text;
  }
};

}  // namespace tenon::tests
