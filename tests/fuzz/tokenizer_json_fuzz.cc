// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/tokenizer_json_fuzz.cc: libFuzzer target for tokenizer.json files, for ranks with the
// expression that cuts, for texts, and for tokens that no text became. What is before the last zero
// byte is the file, what is after it the text. A file that does not begin with { is of ranks, and
// its first line the expression.
#include "plugins/tokenizer_json/pipeline.hpp"

#include <algorithm>
#include <cstring>

#include "tests/fuzz/fuzz_support.h"

using namespace tenon::fuzz;
using tenon::tokenizer_json::Pipeline;

namespace {

Pipeline read(std::string_view file) {
  if (file.starts_with('{')) return tenon::tokenizer_json::read_tokenizer_json(file);
  const size_t end = std::min(file.find('\n'), file.size());
  try {
    return tenon::tokenizer_json::read_tiktoken(file.substr(std::min(end + 1, file.size())),
                                                file.substr(0, end), "<e>=300");
  } catch (tenon::sdk::Failure& failure) {  // the expression is an option to those who call it
    if (failure.status == TENON_E_ATTRIBUTE) failure.status = TENON_E_DATA;
    throw;
  }
}

void use(const Pipeline& tokenizer, std::string_view text) {
  const int64_t size = tokenizer.info().size;
  for (uint32_t flags = 0; flags < 4; ++flags) {
    const auto tokens = tokenizer.encode(text, flags, INT64_MAX);
    for (const int32_t token : tokens) require(token >= 0 && token < size);
    tokenizer.decode(tokens, 0);
    tokenizer.decode(tokens, TENON_TOKENIZER_SKIP_SPECIAL);
    if ((flags & TENON_TOKENIZER_ADD_SPECIAL) != 0) continue;
    const auto some = tokenizer.encode(text, flags, 3);
    require(some.size() == std::min<size_t>(tokens.size(), 3));
    require(std::equal(some.begin(), some.end(), tokens.begin()));
  }
}

void decode_any(const Pipeline& tokenizer, std::string_view numbers) {
  const int64_t size = tokenizer.info().size;
  std::vector<int32_t> tokens;
  for (const char each : numbers) {
    if (size > 0) tokens.push_back(static_cast<int32_t>(static_cast<unsigned char>(each) % size));
  }
  tokenizer.decode(tokens, 0);
  tokenizer.decode(tokens, TENON_TOKENIZER_SKIP_SPECIAL);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const size_t zero = bytes.rfind('\0');
  const std::string_view file = bytes.substr(0, std::min(zero, size));
  const std::string_view text = zero == std::string_view::npos ? "" : bytes.substr(zero + 1);
  read_or_refuse([&] {
    const Pipeline tokenizer = read(file);
    for (int32_t token = 0; token < tokenizer.info().size; token += 1 + token / 64) {
      const std::string spelling = tokenizer.token(token).text;
      require(spelling.empty() || tokenizer.find(spelling) == token);
    }
    read_or_refuse([&] { use(tokenizer, text); });
    read_or_refuse([&] { decode_any(tokenizer, text); });
    read_or_refuse([&] { use(tokenizer, "A text, abab  1984 \xC3\xA9\n"); });
  });
  return 0;
}
