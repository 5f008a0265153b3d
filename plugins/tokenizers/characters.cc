// SPDX-License-Identifier: Apache-2.0
// plugins/tokenizers/characters.cc: the tokenizer tenon.characters.
#include "characters.hpp"

#include <tenon/sdk/plugin/plugin.hpp>

namespace {

namespace sdk = tenon::sdk;
using tenon::tokenizers::Characters;

constexpr tenon_tokenizer_option kOptions[] = {sdk::optional_tokenizer_option(
    "text", TENON_VALUE_STRING, "its characters become the tokens, in place of a file; UTF-8")};

constexpr tenon_tokenizer_sample kSamples[] = {
    sdk::tokenizer_sample({.options = "text=\"z\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80 a\"",
                           .text = "a \xF0\x9F\x98\x80z\xC3\xA9",
                           .tokens = "1 0 5 2 3"}),
    sdk::tokenizer_sample(
        {.file = "tenon-characters 1\n10\n97\n98\n", .text = "ba\nab", .tokens = "2 1 0 1 2"}),
    sdk::tokenizer_sample({.options = "text=\"\"", .text = "", .tokens = ""}),
    sdk::refused_tokenizer({.options = "text=\"a\"", .text = "ab"}, TENON_E_DATA,
                           "the character 98 at byte 1"),
    sdk::refused_tokenizer({.file = "tenon-characters 1\n98\n97\n", .text = "a"}, TENON_E_DATA,
                           "line 3: this is not a character"),
    sdk::refused_tokenizer({.text = "a"}, TENON_E_ATTRIBUTE, "neither a file nor a text")};

constexpr tenon_tokenizer_desc kTokenizers[] = {sdk::tokenizer<Characters>(
    {.name = "tenon.characters",
     .doc = "The characters that one text has, in ascending order of their code points. A text "
            "with other ones is refused, with the first of them.",
     .endings = ".characters",
     .options = kOptions,
     .samples = kSamples})};

}  // namespace

TENON_UNIT(characters) = {.tokenizers = kTokenizers};
