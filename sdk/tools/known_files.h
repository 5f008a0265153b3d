// SPDX-License-Identifier: Apache-2.0
// sdk/tools/known_files.h: what files hold that Tenon itself writes: tensors and tokenizers.
#pragma once

#include <optional>

#include "session.h"

namespace tenon::tools {

// What a file is, and what is wrong with it.
struct Inspection {
  Json content;
  std::vector<std::string> findings;
};

// Nothing if the file is not a tokenizer.
std::optional<Inspection> inspect_tokenizer(const std::string& file);

// By the formats that plugins offer; nothing if none of them is for it.
std::optional<Inspection> inspect_tensors(const Options& options, const std::string& file);

}  // namespace tenon::tools
