// SPDX-License-Identifier: Apache-2.0
// core/history/decimals.h: numbers as printf writes them in the locale "C", whatever the locale of
// the process is: pictures and lines with decimal commas would be wrong.
#pragma once

#include <array>
#include <charconv>
#include <string>

namespace tenon::history {

// As "%.<digits>f".
inline void append_fixed(std::string& out, double value, int digits) {
  std::array<char, 400> buffer;  // the largest double has 309 digits before the point
  const auto done = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                  std::chars_format::fixed, digits);
  out.append(buffer.data(), done.ptr);
}

// As "%.<digits>g".
inline void append_general(std::string& out, double value, int digits) {
  std::array<char, 64> buffer;
  const auto done = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                  std::chars_format::general, digits);
  out.append(buffer.data(), done.ptr);
}

}  // namespace tenon::history
