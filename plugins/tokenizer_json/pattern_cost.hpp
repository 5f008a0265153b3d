// SPDX-License-Identifier: Apache-2.0
// plugins/tokenizer_json/pattern_cost.hpp: for how long a text an expression may be tried.
// Oniguruma counts ways that are tried again. A look-around that takes time with the text, in a
// group that is repeated as often, (?:(?=a*)a)*, tries none again, and takes time with the square
// of the text.
#pragma once

#include <cstddef>
#include <string_view>

namespace tenon::tokenizer_json {

// In bytes. So many that it says nothing for an expression that has no such look-around.
size_t longest_text(std::string_view expression);

}  // namespace tenon::tokenizer_json
