// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/base64.hpp: bytes that are written as text (RFC 4648, section 4).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tenon::sdk {

// Nothing unless all of it is base64, with its padding.
inline std::optional<std::string> from_base64(std::string_view text) {
  constexpr std::string_view alphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (text.size() % 4 != 0) return std::nullopt;
  const size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  text.remove_suffix(padding);
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  uint32_t bits = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t value = alphabet.find(text[i]);
    if (value == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(value);
    if (i % 4 != 0) bytes += static_cast<char>(bits >> (6 - 2 * (i % 4)));
  }
  const uint32_t left_over = padding == 0 ? 0 : (1U << 2 * padding) - 1;
  if ((bits & left_over) != 0) return std::nullopt;
  return bytes;
}

}  // namespace tenon::sdk
