// SPDX-License-Identifier: Apache-2.0
// plugins/tokenizer_json/pattern.hpp: regular expressions, over Oniguruma, and how matches cut a
// text.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::tokenizer_json {

// Before any other call of the library, by any thread.
void start_oniguruma();

// A part of a text, from `begin` to before `end`, in bytes.
struct Cut {
  size_t begin;
  size_t end;
  bool match;
};
// All of a text, one after the other.
using Cuts = std::vector<Cut>;
// What cuts a text.
using Cutter = std::function<Cuts(std::string_view text)>;

// What an expression means depends on whose file it stands in: to the package `tokenizers` {1,3}+
// repeats and ^ $ are at every line, to tiktoken it is possessive and they are at the ends.
enum class Dialect { kTokenizers, kTiktoken };
// errors   TENON_E_UNSUPPORTED: an expression that Oniguruma does not take; of the result
//          TENON_E_DATA: a text that is not UTF-8, or one for which it needs too long
Cutter by_expression(const std::string& expression, Dialect dialect = Dialect::kTokenizers);
// Nothing stands between any two characters, as an expression of nothing has it.
Cutter by_text(const std::string& text);
// Each character by itself.
Cutter by_character(bool (*is_match)(int32_t point));
// A run of so many characters, all of them matches.
Cutter by_length(size_t characters);
// A run of characters of one script; Japanese is one, and spaces belong to what is before them.
// Matches are what stands before the first one: spaces, and characters of no script.
// errors   TENON_E_UNSUPPORTED: an Oniguruma that does not know the scripts
Cutter by_script();
// Every run of characters; what is not a word's and not white space is a run too. Matches are what
// stands between them.
Cuts around_words(std::string_view text);

// What becomes of the matches.
enum class Behavior { kRemoved, kIsolated, kMergedWithPrevious, kMergedWithNext, kContiguous };
// The parts that are kept.
Cuts apply(Cuts cuts, Behavior behavior);

// A file can name steps that make a text as long as they like; more than this ends in
// TENON_E_DATA before memory does.
inline constexpr size_t kLongestText = size_t{64} << 20;
void check_length(size_t bytes);

// `text` with every match replaced.
std::string replaced(std::string_view text, const Cutter& cutter, std::string_view content);

}  // namespace tenon::tokenizer_json
