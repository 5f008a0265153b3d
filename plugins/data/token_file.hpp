// SPDX-License-Identifier: Apache-2.0
// plugins/data/token_file.hpp: a file of token numbers, of which parts are read where they lie.
//
// The file stays open and its bytes in the system's cache, which all processes share: a set may be
// larger than memory. It is read and not mapped: a mapped file that somebody cuts off ends the
// process that touches what was there, a read one is refused.
#pragma once

#include <tenon/sdk/plugin/npy.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data_file.hpp"

namespace tenon::data {

// How a token is stored.
struct TokenForm {
  std::string_view name;
  int64_t size;
  bool is_signed;
};
inline constexpr TokenForm kTokenForms[] = {
    {"u16", 2, false}, {"u32", 4, false}, {"i32", 4, true}, {"i64", 8, true}};

class TokenFile {
 public:
  // dtype  of a file without a header, "" if none was given
  TokenFile(std::string path, const std::string& dtype)
      : path_(std::move(path)), descriptor_(open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat about {};
    if (descriptor_.number < 0 || fstat(descriptor_.number, &about) != 0) refuse_io(errno);
    if (!S_ISREG(about.st_mode)) refuse_io(S_ISDIR(about.st_mode) ? EISDIR : EINVAL);
    const auto bytes = static_cast<int64_t>(about.st_size);
    std::string front(static_cast<size_t>(std::min<int64_t>(bytes, sdk::files::kMaxNpyPrefixBytes)),
                      '\0');
    read_bytes(0, front.data(), front.size());
    if (front.starts_with(sdk::files::kNpyMagic)) {
      read_header(std::move(front), bytes);
    } else {
      form_ = form_of(dtype);
      if (bytes % form_.size != 0) {
        refuse_file("token", path_, "its length is not a whole number of tokens",
                    "a multiple of " + std::to_string(form_.size) + " bytes, as it is of " + dtype,
                    std::to_string(bytes) + " bytes");
      }
      count_ = bytes / form_.size;
    }
  }

  const std::string& path() const { return path_; }
  int64_t count() const { return count_; }

  // Tokens [first, first + n), which there are.
  void read(int64_t first, int64_t n, int64_t* out) const {
    // The bytes lie in the last part of `out`, so that each is read before it is overwritten.
    const auto size = static_cast<size_t>(n * form_.size);
    char* const bytes = reinterpret_cast<char*>(out + n) - size;
    read_bytes(begin_ + first * form_.size, bytes, size);
    to_host_order(is_big_, static_cast<size_t>(form_.size), reinterpret_cast<unsigned char*>(bytes),
                  size);
    for (int64_t i = 0; i < n; ++i) out[i] = token_at(bytes + i * form_.size);
  }

 private:
  struct Descriptor {
    int number;
    explicit Descriptor(int opened) : number(opened) {}
    Descriptor(Descriptor&& other) noexcept : number(std::exchange(other.number, -1)) {}
    Descriptor& operator=(Descriptor&&) = delete;
    ~Descriptor() {
      if (number >= 0) close(number);
    }
  };

  [[noreturn]] void refuse_io(int why) const {
    const std::string words = std::generic_category().message(why);
    throw sdk::Failure{TENON_E_IO, "cannot read '" + path_ + "': " + words, "paths",
                       "a readable token file", words};
  }

  TokenForm form_of(const std::string& dtype) const {
    for (const TokenForm& form : kTokenForms) {
      if (form.name == dtype) return form;
    }
    throw sdk::Failure{TENON_E_ATTRIBUTE,
                       "dtype does not say how the tokens of '" + path_ + "' are stored",
                       "dtype",
                       "u16, u32, i32 or i64",
                       dtype.empty() ? "none" : "'" + dtype + "'",
                       "a npy file says it itself, another one does not"};
  }

  // Tenon has no unsigned numbers of 16 and 32 bits: their header is read as that of signed ones.
  void read_header(std::string front, int64_t bytes) {
    bool is_signed = true;
    const size_t end = front.find('\n', 12);  // of the header; its length stands before it
    for (const char* const code : {"u2'", "u4'"}) {
      const size_t at = front.find(code);
      if (at >= end) continue;
      front[at] = 'i';
      is_signed = false;
    }
    const auto header = sdk::files::NpyParser(front, file_words("token", path_)).read();
    const tenon_dtype dtype = header.meta.dtype;
    const int64_t size = sdk::size_of(dtype);
    if ((dtype != TENON_DTYPE_I16 || is_signed) && dtype != TENON_DTYPE_I32 &&
        dtype != TENON_DTYPE_I64) {
      refuse_file("token", path_, "its numbers are not tokens", "u2, u4, i4 or i8", "others");
    }
    if (header.meta.rank != 1) {
      refuse_file("token", path_, "it has another number of dimensions", "1",
                  std::to_string(header.meta.rank));
    }
    begin_ = static_cast<int64_t>(header.data_begin);
    if (header.data_bytes != static_cast<uint64_t>(bytes - begin_)) {
      refuse_file("token", path_, "its length does not fit its shape",
                  std::to_string(header.data_bytes) + " bytes of tokens",
                  std::to_string(bytes - begin_));
    }
    form_ = {"", size, is_signed};
    is_big_ = header.swap;
    count_ = header.meta.shape[0];
  }

  void read_bytes(int64_t from, char* out, size_t size) const {
    while (size > 0) {
      const ssize_t got = pread(descriptor_.number, out, size, static_cast<off_t>(from));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) refuse_io(errno);
      if (got == 0) {
        throw sdk::Failure{TENON_E_IO, file_words("token", path_) + ": it has become shorter",
                           "paths", "the bytes that were there when it was opened"};
      }
      from += got;
      out += got;
      size -= static_cast<size_t>(got);
    }
  }

  template <class T>
  static int64_t load(const char* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return static_cast<int64_t>(value);
  }
  int64_t token_at(const char* bytes) const {
    if (form_.size == 2) return load<uint16_t>(bytes);
    if (form_.size == 8) return load<int64_t>(bytes);
    return form_.is_signed ? load<int32_t>(bytes) : load<uint32_t>(bytes);
  }

  std::string path_;
  Descriptor descriptor_;
  TokenForm form_{};
  bool is_big_ = false;
  int64_t begin_ = 0;
  int64_t count_ = 0;
};

}  // namespace tenon::data
