// SPDX-License-Identifier: Apache-2.0
// plugins/data/data_file.hpp: what all datasets read from: a file, plain or gzip-compressed, and
// the words in which one is refused.
#pragma once

#include <tenon/sdk/plugin/base.hpp>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "gzip_file.hpp"

namespace tenon::data {

// The path that an option of the type string holds.
inline std::string path_of(const tenon_value& value, const char* option) {
  std::string path(value.as.string, value.count);
  if (path.empty() || path.find('\0') != std::string::npos) {
    throw sdk::Failure{TENON_E_ATTRIBUTE, std::string(option) + " is not a path", option,
                       "a path without zero bytes", path.empty() ? "an empty text" : "a zero byte"};
  }
  return path;
}

// Those of several files, with a line feed between two.
inline std::vector<std::string> paths_of(const tenon_value& value, const char* option) {
  std::vector<std::string> paths;
  std::string rest = path_of(value, option);
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    paths.push_back(rest.substr(0, end));
    rest.erase(0, end + 1);
  }
  return paths;
}

inline std::string file_words(const std::string& format, const std::string& path) {
  return format + " file '" + path + "'";
}

[[noreturn]] inline void refuse_file(const std::string& format, const std::string& path,
                                     const std::string& what, std::string expected = {},
                                     std::string found = {}) {
  std::string text = file_words(format, path) + ": " + what;
  if (!expected.empty()) text += ": expected " + expected + ", found " + found;
  throw sdk::Failure{TENON_E_DATA,
                     std::move(text),
                     "",
                     std::move(expected),
                     std::move(found),
                     "the file is damaged or no " + format + " file; fetch or make it again"};
}

// Bytes of a file for a message: short, and nothing a terminal would obey.
inline std::string shown(std::string_view bytes) {
  constexpr size_t longest = 40;
  std::string text = "'";
  for (const char byte : bytes.substr(0, longest)) {
    text += byte >= 0x20 && byte < 0x7F ? byte : '?';
  }
  return text + (bytes.size() > longest ? "...'" : "'");
}

// Elements of `size` bytes each, from the file's byte order to this machine's.
inline void to_host_order(bool is_big, size_t size, unsigned char* bytes, size_t length) {
  const uint16_t one = 1;
  const bool is_little_host = *reinterpret_cast<const unsigned char*>(&one) == 1;
  if (is_big != is_little_host || size == 1) return;
  for (size_t at = 0; at < length; at += size) std::reverse(bytes + at, bytes + at + size);
}

class DataFile {
 public:
  static constexpr size_t kPiece = GzipFile::kPiece;

  // `format` is its name in messages. If there is no file `path`, the same name with ".gz".
  DataFile(std::string format, const std::string& path)
      : format_(std::move(format)), path_(existing(path)) {
    attempt([&] { file_ = std::make_unique<GzipFile>(path_); });
  }

  // As many bytes as there are, up to `wanted`.
  size_t read_some(unsigned char* out, size_t wanted) {
    size_t total = 0;
    attempt([&] {
      while (total < wanted) {
        const size_t got = file_->read(out + total, wanted - total);
        if (got == 0) break;
        total += got;
      }
    });
    return total;
  }

  // All that is left. Memory grows with what is really there.
  std::string read_rest() {
    std::string bytes;
    size_t got = 0;
    do {
      const size_t before = bytes.size();
      const size_t piece = std::max(before, size_t{1} << 16);
      bytes.resize(before + piece);
      got = read_some(reinterpret_cast<unsigned char*>(bytes.data()) + before, piece);
      bytes.resize(before + got);
    } while (got > 0);
    return bytes;
  }

  [[noreturn]] void refuse(const std::string& what, std::string expected = {},
                           std::string found = {}) const {
    refuse_file(format_, path_, what, std::move(expected), std::move(found));
  }

  std::string words() const { return file_words(format_, path_); }

  // The plain file's exact size where it is known, else `otherwise`.
  std::string size_text(const std::string& otherwise) const {
    std::error_code error;
    const auto size = std::filesystem::file_size(path_, error);
    const bool exact = !error && file_->is_plain();
    return exact ? std::to_string(size) + " bytes" : otherwise;
  }

 private:
  // In words if the file cannot be read, or its compressed data is damaged.
  template <class Reading>
  void attempt(Reading&& reading) {
    try {
      reading();
    } catch (const GzipFile::Unreadable& failure) {
      if (failure.why == 0 || failure.why == ENOMEM) throw std::bad_alloc();
      refuse_io(path_, std::generic_category().message(failure.why));
    } catch (const GzipFile::Damage& damage) {
      refuse("its compressed data cannot be read", "intact gzip data", damage.words);
    }
  }

  [[noreturn]] void refuse_io(const std::string& path, const std::string& why) const {
    throw sdk::Failure{TENON_E_IO, "cannot read '" + path + "': " + why, "",
                       "a readable " + format_ + " file", why};
  }

  std::string existing(const std::string& path) const {
    std::error_code error;
    for (const std::string& name : {path, path + ".gz"}) {
      const auto status = std::filesystem::status(name, error);
      if (status.type() == std::filesystem::file_type::not_found) continue;
      if (error) refuse_io(name, error.message());
      if (std::filesystem::is_directory(status)) refuse_io(name, "it is a folder, not a file");
      if (!std::filesystem::is_regular_file(status)) refuse_io(name, "it is not a regular file");
      return name;
    }
    refuse_io(path, std::generic_category().message(ENOENT) + " (nor one with .gz)");
  }

  std::string format_;
  std::string path_;
  std::unique_ptr<GzipFile> file_;
};

}  // namespace tenon::data
