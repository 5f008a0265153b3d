// SPDX-License-Identifier: Apache-2.0
// tests/witness/plugins/test.witness/spellers.cc: tokenizers that should all be the same, each
// wrong in a way of its own. Tokens 0 and 1 are "<" and ">", which are special and stand around a
// text; the letters follow, in their order. A file is
//
//   "speller1", the number of letters as one byte, the letters, and a "!"
#include <tenon/sdk/plugin/tokenizer.hpp>

#include <array>
#include <atomic>
#include <thread>

#include "faults.h"

namespace {

using namespace witness;

enum Fault : uint32_t {
  kShifts,
  kOutside,
  kGrows,
  kCounts,
  kThreads,
  kBeyond,
  kFromTheEnd,
  kForgets,
  kMisspells,
  kSaysOther,
  kLoses,
  kTrusts,
  kDies,
  kAccepts,
  kRefuses,
  kReads,
  kObeys,
  kFaults
};
constexpr std::string_view kNames[kFaults] = {
    "test.witness.speller_shifts",    "test.witness.speller_outside",
    "test.witness.speller_grows",     "test.witness.speller_counts",
    "test.witness.speller_threads",   "test.witness.speller_beyond",
    "test.witness.speller_from_end",  "test.witness.speller_forgets",
    "test.witness.speller_misspells", "test.witness.speller_says_other",
    "test.witness.speller_loses",     "test.witness.speller_trusts",
    "test.witness.speller_dies",      "test.witness.speller_accepts",
    "test.witness.speller_refuses",   "test.witness.speller_reads",
    "test.witness.speller_obeys"};

constexpr std::string_view kTitle = "speller1";
constexpr int32_t kBegin = 0, kEnd = 1, kFirst = 2;

template <uint32_t F>
class Speller {
 public:
  Speller(const sdk::Attrs& options, const sdk::TokenizerFile& file) {
    if (file) {
      letters_ = read(*file);
    } else {
      letters_ = options.text(0);
    }
  }

  tenon_tokenizer_info info() const {
    tenon_tokenizer_info info = sdk::tokenizer_info(size());
    info.begin = kBegin;
    info.end = kEnd;
    return info;
  }

  std::vector<int32_t> encode(std::string_view text, uint32_t flags, int64_t limit) const {
    const bool around = (flags & TENON_TOKENIZER_ADD_SPECIAL) != 0;
    const int64_t room = std::max<int64_t>(limit - (around ? 2 : 0), 0);
    if (is(kFromTheEnd) && static_cast<uint64_t>(room) < text.size()) {
      text.remove_prefix(text.size() - static_cast<size_t>(room));
    }
    if (!is(kBeyond)) text = text.substr(0, static_cast<size_t>(room));
    std::vector<int32_t> tokens;
    if (around) tokens.push_back(kBegin);
    for (const char letter : text) {
      const bool reads = is(kReads) || (is(kObeys) && around);
      const bool is_special = letter == '<' || letter == '>';
      tokens.push_back(reads && is_special ? find({&letter, 1}) : token_of(letter));
    }
    if (around) tokens.push_back(kEnd);
    if (is(kOutside) && !tokens.empty()) tokens.back() = size();
    if (is(kGrows)) tokens.resize(1000 + static_cast<size_t>(calls_++));
    if (is(kCounts) && calls_++ > 2) tokens.push_back(kEnd);
    if (is(kThreads) && std::this_thread::get_id() != maker_) tokens.push_back(kEnd);
    if (static_cast<int64_t>(tokens.size()) > limit && around) {
      tokens.resize(static_cast<size_t>(limit));
    }
    return tokens;
  }

  std::string decode(std::span<const int32_t> tokens, uint32_t flags) const {
    std::string text;
    for (const int32_t token : tokens) {
      const bool special = token < kFirst;
      if (special && (flags & TENON_TOKENIZER_SKIP_SPECIAL) != 0) continue;
      text += this->token(token).text;
    }
    if (is(kForgets) && !text.empty()) text.pop_back();
    return text;
  }

  sdk::Spelling token(int32_t token) const {
    if (token < kFirst) return {token == kBegin ? "<" : ">", TENON_TOKEN_SPECIAL};
    return {std::string(1, letters_[static_cast<size_t>(token - kFirst)]), 0};
  }

  int32_t find(std::string_view spelling) const {
    if (spelling.size() != 1) return -1;
    if (spelling == "<" || spelling == ">") return spelling == "<" ? kBegin : kEnd;
    const size_t at = letters_.find(spelling[0]);
    if (at == std::string::npos || (is(kMisspells) && at == 1)) return -1;
    const auto token = static_cast<int32_t>(at) + kFirst;
    return is(kSaysOther) ? std::max(token - 1, kFirst) : token;
  }

  std::string save() const {
    const std::string letters = is(kLoses) ? letters_.substr(1) : letters_;
    return std::string(kTitle) + static_cast<char>(letters.size()) + letters + '!';
  }

 private:
  static bool is(Fault fault) { return is_wrong() && F == fault; }

  static std::string read(std::string_view file) {
    if (!file.starts_with(kTitle) || file.size() == kTitle.size()) {
      throw sdk::Failure{TENON_E_DATA, "the file is no speller's"};
    }
    file.remove_prefix(kTitle.size());
    const auto count = static_cast<unsigned char>(file[0]);
    file.remove_prefix(1);
    if (file.size() != count + 1u || file.back() != '!') {
      if (is(kDies)) __builtin_trap();
      const tenon_status status = is(kTrusts) ? TENON_E_MEMORY : TENON_E_DATA;
      throw sdk::Failure{status, "the file has another length"};
    }
    return std::string(file.substr(0, count));
  }

  int32_t size() const { return kFirst + static_cast<int32_t>(letters_.size()); }

  int32_t token_of(char letter) const {
    const size_t at = letters_.find(letter);
    if (at == std::string::npos) {
      if (is(kAccepts)) return kEnd;
      throw sdk::Failure{TENON_E_DATA, is(kRefuses) ? "something is wrong"
                                                    : std::string("no letter is ") + letter};
    }
    const auto shift = is(kShifts) && at + 1 < letters_.size() ? 1 : 0;
    return static_cast<int32_t>(at) + kFirst + shift;
  }

  std::string letters_;
  std::thread::id maker_ = std::this_thread::get_id();
  mutable std::atomic<int> calls_ = 0;
};

constexpr tenon_tokenizer_option kOptions[] = {sdk::optional_tokenizer_option(
    "letters", TENON_VALUE_STRING, "the letters there are, in place of a file")};
constexpr tenon_tokenizer_sample kSamples[] = {
    sdk::tokenizer_sample({.options = "letters=\"abc\"", .text = "cabba", .tokens = "4 2 3 3 2"}),
    sdk::tokenizer_sample({.file = "speller1\5vwxyz!", .text = "zyx", .tokens = "6 5 4"}),
    sdk::refused_tokenizer({.options = "letters=\"abc\"", .text = "abd"}, TENON_E_DATA,
                           "no letter is d")};

template <uint32_t... F>
constexpr auto tokenizers_of(std::integer_sequence<uint32_t, F...>) {
  return std::array{sdk::tokenizer<Speller<F>>({.name = kNames[F],
                                                .doc = "Letters.",
                                                .endings = ".speller",
                                                .options = kOptions,
                                                .samples = kSamples})...};
}
constexpr auto tokenizers = tokenizers_of(std::make_integer_sequence<uint32_t, kFaults>());

}  // namespace

TENON_UNIT(spellers) = {.tokenizers = tokenizers};
