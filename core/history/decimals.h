// SPDX-License-Identifier: Apache-2.0
// core/history/decimals.h: numbers as printf writes them in the locale "C", whatever the locale of
// the process is: pictures and lines with decimal commas would be wrong.
#pragma once

#include <charconv>
#include <string>

namespace tenon::history {

// As "%.<digits>f", or with chars_format::general as "%.<digits>g".
inline std::string decimals(double value, int digits,
                            std::chars_format format = std::chars_format::fixed) {
  char text[400];  // the largest double has 309 digits before the point
  return {text, std::to_chars(text, text + sizeof text, value, format, digits).ptr};
}

}  // namespace tenon::history
