// SPDX-License-Identifier: Apache-2.0
// tenon/sdk/plugin/appended.hpp: what `tenon wrap` appends to a plugin's library, and how a bridge
// reads it: a description, and the bytes of a library of others.
//
// A bridge is a plugin's library that offers what its description says. The loader ignores what
// follows a library in its file, so one file holds all three: its hash in plugin.json and in lock
// files covers what is described and what runs.
//
//   library | description | library of others | mark | bytes of the two, 8 each, little endian
#pragma once

#include <tenon/sdk/plugin/base.hpp>

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

namespace tenon::sdk {

struct Appended {
  std::string description;  // empty: nothing is appended
  std::string library;
};

inline constexpr std::string_view kAppendedMark = "tenon-appended/1";
inline constexpr uint64_t kAppendedFooter = kAppendedMark.size() + 16;
// A description of more bytes than this is refused.
inline constexpr uint64_t kMaxDescription = uint64_t{1} << 20;

// The last bytes of a file to which these are appended, in this order.
inline std::string appended_footer(const Appended& appended) {
  std::string footer(kAppendedMark);
  for (const uint64_t bytes :
       {uint64_t{appended.description.size()}, uint64_t{appended.library.size()}}) {
    for (int i = 0; i < 8; ++i) footer += static_cast<char>((bytes >> (8 * i)) & 0xFF);
  }
  return footer;
}

// What is appended to the file `path`. Throws Failure if the file cannot be read or is damaged.
inline Appended read_appended(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const auto end = static_cast<int64_t>(file.tellg());
  if (!file || end < 0) throw Failure{TENON_E_IO, path + ": cannot be read"};
  const auto size = static_cast<uint64_t>(end);
  if (size < kAppendedFooter) return {};
  const auto read = [&](uint64_t begin, uint64_t bytes) {
    std::string got(bytes, '\0');
    file.seekg(static_cast<std::streamoff>(begin));
    if (!file.read(got.data(), static_cast<std::streamsize>(bytes))) {
      throw Failure{TENON_E_IO, path + ": cannot be read"};
    }
    return got;
  };
  const std::string footer = read(size - kAppendedFooter, kAppendedFooter);
  if (!footer.starts_with(kAppendedMark)) return {};
  uint64_t bytes[2] = {0, 0};
  for (size_t i = 0; i < 16; ++i) {
    const auto byte = static_cast<unsigned char>(footer[kAppendedMark.size() + i]);
    bytes[i / 8] |= uint64_t{byte} << (8 * (i % 8));
  }
  const uint64_t room = size - kAppendedFooter;
  if (bytes[0] > kMaxDescription || bytes[0] > room || bytes[1] > room - bytes[0]) {
    throw Failure{TENON_E_DATA, path + ": is damaged: it says that " + std::to_string(bytes[0]) +
                                    " and " + std::to_string(bytes[1]) +
                                    " bytes are appended, and has " + std::to_string(size)};
  }
  const uint64_t begin = room - bytes[0] - bytes[1];
  return {read(begin, bytes[0]), read(begin + bytes[0], bytes[1])};
}

}  // namespace tenon::sdk
