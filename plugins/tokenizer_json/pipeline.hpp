// SPDX-License-Identifier: Apache-2.0
// plugins/tokenizer_json/pipeline.hpp: a tokenizer of several steps: added tokens, a normaliser,
// splitters, a model, special tokens around the text, decoders.
#pragma once

#include <tenon/sdk/plugin/tokenizer.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "added_tokens.hpp"
#include "models.hpp"
#include "steps.hpp"

namespace tenon::tokenizer_json {

// what  "text" or "file". errors  TENON_E_DATA, with the place
void require_utf8(std::string_view bytes, const std::string& what);

// The next part of a text, and what is left of it.
inline std::string_view take_until(std::string_view& rest, char end) {
  const std::string_view part = rest.substr(0, rest.find(end));
  rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  return part;
}

// What a pipeline is made of.
struct Parts {
  Vocabulary vocabulary;  // of the model and of added tokens
  std::vector<AddedToken> added;
  Normalizer normalizer;               // empty: none
  Splitter splitter;                   // empty: the text is one word
  Decoder decoder;                     // empty: spellings with a space between
  std::vector<int32_t> before, after;  // special tokens around a text
  int32_t unknown = -1;
  int32_t pad = -1;
};

class Pipeline {
 public:
  // make_model(vocabulary)  the model, which keeps the vocabulary
  template <class MakeModel>
  Pipeline(Parts parts, MakeModel&& make_model)
      : parts_(std::make_unique<const Parts>(with_special_marked(std::move(parts)))),
        added_(std::make_unique<AddedTokens>(parts_->added, parts_->normalizer)),
        model_(make_model(parts_->vocabulary)) {}

  tenon_tokenizer_info info() const;
  // errors   TENON_E_DATA (not UTF-8; no token for a character), TENON_E_ARGUMENT (a limit below
  //          the number of special tokens)
  std::vector<int32_t> encode(std::string_view text, uint32_t flags, int64_t limit) const;
  std::string decode(std::span<const int32_t> tokens, uint32_t flags) const;
  sdk::Spelling token(int32_t token) const;
  int32_t find(std::string_view spelling) const { return parts_->vocabulary.find(spelling); }

 private:
  static Parts with_special_marked(Parts parts) {
    for (const AddedToken& each : parts.added) {
      if (each.special) parts.vocabulary.set_special(each.token);
    }
    return parts;
  }
  void encode_text(std::string_view text, bool with_special, size_t most,
                   std::vector<int32_t>& tokens) const;

  std::unique_ptr<const Parts> parts_;
  std::unique_ptr<AddedTokens> added_;
  std::unique_ptr<Model> model_;
};

// What a tokenizer.json says.
// errors   TENON_E_DATA, TENON_E_UNSUPPORTED, with the place in the file
Pipeline read_tokenizer_json(std::string_view file);

// A file of ranks.
// pattern  an expression, or the name of an encoding that is published
// special  spelling=number, with a space between
// errors   TENON_E_DATA, TENON_E_UNSUPPORTED, TENON_E_ATTRIBUTE (special)
Pipeline read_tiktoken(std::string_view file, std::string_view pattern, std::string_view special);

}  // namespace tenon::tokenizer_json
