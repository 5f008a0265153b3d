// SPDX-License-Identifier: Apache-2.0
// sdk/tools/known_files.h: what files hold that plugins read: tensors and tokenizers.
#pragma once

#include <tenon/ext/draft/tokenizers.h>

#include <memory>
#include <optional>

#include "session.h"

namespace tenon::tools {

struct ReleaseTokenizer {
  void operator()(tenon_tokenizer* tokenizer) const { tenon_tokenizer_release(tokenizer); }
};
using Tokenizer = std::unique_ptr<tenon_tokenizer, ReleaseTokenizer>;

// What a file is, and what is wrong with it.
struct Inspection {
  Json content;
  std::vector<std::string> findings;
};

// By the formats and the tokenizers that plugins offer, a checkpoint as its parts; nothing if none
// of them is for it.
std::optional<Inspection> inspect_tensors(const Options& options, const std::string& file);
std::optional<Inspection> inspect_tokenizer(const Options& options, const std::string& file);

}  // namespace tenon::tools
