// SPDX-License-Identifier: Apache-2.0
// sdk/verify/kinds/tokenizer_files.cc: tokenizers that are saved and read again; and what strangers
// write, files and texts: it is refused in words or taken, and ends no process.
#include <algorithm>

#include "kinds/tokenizer_checks.h"

namespace tenon::verify {
namespace {

// The same in every process.
std::string random_bytes(size_t length) {
  std::string bytes;
  uint32_t state = 20261126;
  while (bytes.size() < length) {
    state = state * 1664525u + 1013904223u;
    bytes += static_cast<char>(state >> 24);
  }
  return bytes;
}

std::string every_byte() {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  return bytes;
}

// Of changes to a file, so many places are tried.
constexpr size_t kPlaces = 256;

}  // namespace

// What is made of its file is like it.
std::optional<Finding> TokenizerChecks::read_back(const TokenizerSample& sample) const {
  const Tokenizer tokenizer = made(sample);
  Tokenizer again;
  const tenon_status status = create({}, saved(tokenizer), again);
  if (status != TENON_OK) {
    return Finding{&causes::kNotReadBack, "its file is refused: " + failure_of(session_, status)};
  }
  const Said first = all_of(tokenizer, sample.text);
  std::string words;
  try {
    words = first.difference(all_of(again, sample.text));
  } catch (const Failure& failure) {
    words = failure.text;
  }
  if (words.empty()) return std::nullopt;
  return Finding{&causes::kNotReadBack, "of one that was made of its file " + words};
}

// Any bytes are encoded or refused as TENON_E_DATA, and what is encoded can be decoded.
std::optional<Finding> TokenizerChecks::any_text(const TokenizerSample& sample) const {
  const Tokenizer tokenizer = made(sample);
  const std::string texts[] = {"",
                               std::string(1, '\0'),
                               " ",
                               sample.text + sample.text,
                               std::string(20000, 'a'),
                               std::string(2000, ' ') + "\t\r\n",
                               every_byte(),
                               random_bytes(4096),
                               "\xC3",  // cut off
                               "a\xED\xA0\x80"
                               "b",                 // a surrogate
                               "\xF4\x90\x80\x80",  // past U+10FFFF
                               "e\xCC\x81 \xE2\x80\x8D \xF0\x9F\x98\x80\xEF\xBF\xBD"};
  for (const std::string& text : texts) {
    for (const uint32_t flags : {0u, TENON_TOKENIZER_ADD_SPECIAL | TENON_TOKENIZER_READ_SPECIAL}) {
      Tokens tokens;
      std::string back;
      tenon_status status = encode(tokenizer, text, flags, 0, tokens);
      const char* what = "a text is refused otherwise than as TENON_E_DATA: ";
      if (status == TENON_OK) {
        status = decode(tokenizer, tokens, flags ? TENON_TOKENIZER_SKIP_SPECIAL : 0, back);
        if (status == TENON_OK) continue;
        what = "tokens of a text are not decoded: ";
      } else if (status == TENON_E_DATA) {
        continue;
      }
      return Finding{&causes::kErrorStatus, what + failure_of(session_, status) + "; it begins " +
                                                as_json(text.substr(0, 16))};
    }
  }
  return std::nullopt;
}

// A file that need not be one is refused in words, or what it makes can be used.
std::optional<Finding> TokenizerChecks::survives(const TokenizerSample& sample,
                                                 const std::string& file,
                                                 const std::string& what) const {
  Tokenizer tokenizer;
  const auto wrong = [&](tenon_status status, const char* words) {
    return Finding{&causes::kErrorStatus, what + words + failure_of(session_, status)};
  };
  tenon_status status = create(sample.file ? sample.options : sdk::Sample(), file, tokenizer);
  if (status != TENON_OK) {
    const bool fits =
        status == TENON_E_DATA || status == TENON_E_UNSUPPORTED || status == TENON_E_ATTRIBUTE;
    if (fits) return std::nullopt;
    return wrong(status, ": expected TENON_E_DATA or TENON_E_UNSUPPORTED, found ");
  }
  Tokens tokens;
  status = encode(tokenizer, sample.text, TENON_TOKENIZER_ADD_SPECIAL, 0, tokens);
  if (status != TENON_OK && status != TENON_E_DATA) return wrong(status, " is taken, but ");
  std::string text;
  status = decode(tokenizer, tokens, 0, text);
  if (status != TENON_OK) return wrong(status, " is taken, but decoded is ");
  for (const int64_t token : tokens_of(tokenizer)) spelling_of(tokenizer, token);
  return std::nullopt;
}

// The file of the sample, else the one it saves.
std::string TokenizerChecks::file_of(const TokenizerSample& sample) const {
  return sample.file ? *sample.file : saved(made(sample));
}

std::optional<Finding> TokenizerChecks::cut_short(const TokenizerSample& sample) const {
  const std::string whole = file_of(sample);
  const size_t step = std::max<size_t>(whole.size() / kPlaces, 1);
  for (size_t length = 0; length < whole.size(); length += step) {
    const auto finding = survives(sample, whole.substr(0, length),
                                  "the first " + std::to_string(length) + " of " +
                                      std::to_string(whole.size()) + " bytes of its file");
    if (finding) return finding;
  }
  return std::nullopt;
}

std::optional<Finding> TokenizerChecks::changed(const TokenizerSample& sample) const {
  const std::string whole = file_of(sample);
  const size_t step = std::max<size_t>(whole.size() / kPlaces, 1);
  for (size_t at = 0; at < whole.size(); at += step) {
    for (const unsigned char mask : {0xFF, 0x01, 0x10, 0x80}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ mask);
      const auto finding =
          survives(sample, bytes, "its file with byte " + std::to_string(at) + " changed");
      if (finding) return finding;
    }
  }
  return std::nullopt;
}

std::optional<Finding> TokenizerChecks::garbage(const TokenizerSample& sample) const {
  const std::string files[] = {"",           std::string(1, '\0'),     std::string(4096, '\0'),
                               every_byte(), random_bytes(65536),      std::string(4096, '\xFF'),
                               "{",          std::string(100000, '['), "\n\n"};
  for (const std::string& file : files) {
    const auto finding =
        survives(sample, file, "a file of " + std::to_string(file.size()) + " bytes that is none");
    if (finding) return finding;
  }
  return std::nullopt;
}

}  // namespace tenon::verify
