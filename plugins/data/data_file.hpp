// SPDX-License-Identifier: Apache-2.0
// plugins/data/data_file.hpp: what all datasets read from: a file, plain or gzip-compressed, and
// the words in which one is refused.
#pragma once

#include <tenon/sdk/plugin/base.hpp>

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

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
  static constexpr size_t kPiece = size_t{1} << 20;

  // `format` is its name in messages. If there is no file `path`, the same name with ".gz".
  DataFile(std::string format, const std::string& path)
      : format_(std::move(format)), path_(existing(path)), file_(gzopen(path_.c_str(), "rb")) {
    if (!file_) {
      const int why = errno;
      if (why == 0 || why == ENOMEM) throw std::bad_alloc();
      refuse_io(path_, std::generic_category().message(why));
    }
  }

  // As many bytes as there are, up to `wanted`.
  size_t read_some(unsigned char* out, size_t wanted) {
    size_t total = 0;
    while (total < wanted) {
      const size_t piece = std::min(wanted - total, kPiece);
      const int got = gzread(file_.get(), out + total, static_cast<unsigned>(piece));
      if (got < 0) refuse_stream();
      if (got == 0) break;
      total += static_cast<size_t>(got);
    }
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
    expect_intact();
    return bytes;
  }

  // After the last byte: was the compressed data whole?
  void expect_intact() {
    int code = Z_OK;
    gzerror(file_.get(), &code);
    if (code < 0) refuse_stream();
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
    const bool exact = !error && gzdirect(file_.get()) == 1;
    return exact ? std::to_string(size) + " bytes" : otherwise;
  }

 private:
  struct Close {
    void operator()(gzFile_s* file) const { gzclose_r(file); }
  };

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

  [[noreturn]] void refuse_stream() {
    int code = Z_OK;
    const int why = errno;
    const char* words = gzerror(file_.get(), &code);
    if (code == Z_ERRNO) refuse_io(path_, std::generic_category().message(why));
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    const std::string_view found(words + (std::string_view(words).starts_with(path_ + ": ")
                                              ? path_.size() + 2  // zlib names the file as well
                                              : 0));
    refuse("its compressed data cannot be read", "intact gzip data", std::string(found));
  }

  std::string format_;
  std::string path_;
  std::unique_ptr<gzFile_s, Close> file_;
};

}  // namespace tenon::data
