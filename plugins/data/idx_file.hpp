// SPDX-License-Identifier: Apache-2.0
// plugins/data/idx_file.hpp: reads one idx file, plain or gzip-compressed, and checks all of it.
//
// The format (Y. LeCun, C. Cortes, C. Burges, "The MNIST database of handwritten digits"):
//
//   2 bytes    0
//   1 byte     element type: 08 u8, 09 i8, 0B i16, 0C i32, 0D f32, 0E f64
//   1 byte     number of dimensions, n
//   n * 4      sizes, big-endian, the slowest first
//   the rest   elements, big-endian, row-major; the file ends with the last one
#pragma once

#include <tenon/sdk/base.hpp>

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace tenon::data {

struct IdxFile {
  tenon_dtype dtype = TENON_DTYPE_NONE;
  std::vector<int64_t> shape;        // at least one dimension
  std::vector<unsigned char> bytes;  // elements in this machine's byte order
};

struct CloseGz {
  void operator()(gzFile_s* file) const { gzclose_r(file); }
};
using GzFile = std::unique_ptr<gzFile_s, CloseGz>;

[[noreturn]] inline void refuse_file(const std::string& path, const std::string& what,
                                     std::string expected = {}, std::string found = {}) {
  std::string text = "idx file '" + path + "': " + what;
  if (!expected.empty()) text += ": expected " + expected + ", found " + found;
  throw sdk::Failure{TENON_E_DATA,
                     std::move(text),
                     "",
                     std::move(expected),
                     std::move(found),
                     "the file is damaged or no idx file; fetch or make it again"};
}

[[noreturn]] inline void refuse_io(const std::string& path, const std::string& why) {
  throw sdk::Failure{TENON_E_IO, "cannot read '" + path + "': " + why, "", "a readable idx file",
                     why};
}

// The file itself, or else the same name with ".gz".
inline std::string existing_path(const std::string& path) {
  std::error_code error;
  for (const std::string& name : {path, path + ".gz"}) {
    const auto status = std::filesystem::status(name, error);
    if (status.type() == std::filesystem::file_type::not_found) continue;
    if (error) refuse_io(name, error.message());
    if (std::filesystem::is_directory(status)) refuse_io(name, "it is a folder, not a file");
    if (!std::filesystem::is_regular_file(status)) refuse_io(name, "it is no regular file");
    return name;
  }
  refuse_io(path, std::generic_category().message(ENOENT) + " (nor one with .gz)");
}

class IdxReader {
 public:
  explicit IdxReader(const std::string& path)
      : path_(existing_path(path)), file_(gzopen(path_.c_str(), "rb")) {
    if (!file_) {
      const int why = errno;
      if (why == 0 || why == ENOMEM) throw std::bad_alloc();
      refuse_io(path_, std::generic_category().message(why));
    }
  }

  IdxFile read() {
    IdxFile file;
    unsigned char magic[4];
    const size_t found = read_some(magic, sizeof magic);
    if (found < sizeof magic) {
      refuse_file(path_, "it is too short for a header", "4 bytes or more",
                  std::to_string(found) + " bytes");
    }
    if (magic[0] != 0 || magic[1] != 0) {
      refuse_file(path_, "it does not start as idx files do", "two zero bytes",
                  std::to_string(magic[0]) + ", " + std::to_string(magic[1]));
    }
    file.dtype = dtype_of_code(magic[2]);
    const int64_t bytes = read_shape(magic[3], file);
    read_payload(bytes, file);
    to_host_order(file);
    return file;
  }

 private:
  static constexpr size_t kPiece = size_t{1} << 20;

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

  [[noreturn]] void refuse_stream() {
    int code = Z_OK;
    const int why = errno;
    const char* words = gzerror(file_.get(), &code);
    if (code == Z_ERRNO) refuse_io(path_, std::generic_category().message(why));
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    const std::string_view found(words + (std::string_view(words).starts_with(path_ + ": ")
                                              ? path_.size() + 2  // zlib names the file as well
                                              : 0));
    refuse_file(path_, "its compressed data cannot be read", "intact gzip data",
                std::string(found));
  }

  tenon_dtype dtype_of_code(unsigned char code) const {
    switch (code) {
      case 0x08:
        return TENON_DTYPE_U8;
      case 0x09:
        return TENON_DTYPE_I8;
      case 0x0B:
        return TENON_DTYPE_I16;
      case 0x0C:
        return TENON_DTYPE_I32;
      case 0x0D:
        return TENON_DTYPE_F32;
      case 0x0E:
        return TENON_DTYPE_F64;
      default:
        refuse_file(path_, "unknown element type", "code 8, 9, 11, 12, 13 or 14",
                    "code " + std::to_string(code));
    }
  }

  // Returns how many bytes of elements must follow.
  int64_t read_shape(unsigned char rank, IdxFile& file) {
    constexpr int kMaxRank = TENON_MAX_RANK;  // a batch must be a tensor
    if (rank < 1 || rank > kMaxRank) {
      refuse_file(path_, "wrong number of dimensions", "1 to " + std::to_string(kMaxRank),
                  std::to_string(rank));
    }
    std::vector<unsigned char> sizes(size_t{rank} * 4);
    header_bytes_ = 4 + sizes.size();
    const size_t found = read_some(sizes.data(), sizes.size());
    if (found < sizes.size()) {
      refuse_file(path_, "it ends within its header", std::to_string(header_bytes_) + " bytes",
                  std::to_string(4 + found) + " bytes");
    }
    int64_t bytes = sdk::size_of(file.dtype);
    for (size_t d = 0; d < rank; ++d) {
      const unsigned char* at = &sizes[d * 4];
      const int64_t size =
          int64_t{at[0]} << 24 | int64_t{at[1]} << 16 | int64_t{at[2]} << 8 | at[3];
      file.shape.push_back(size);
      if (size != 0 && bytes > kMostBytes / size) {
        refuse_file(path_, "its sizes multiply to too many bytes",
                    "at most " + std::to_string(kMostBytes) + " bytes",
                    sdk::shape_text(file.shape));
      }
      bytes *= size;
    }
    return bytes;
  }

  // Memory grows with what is really there, not with what the header claims.
  void read_payload(int64_t declared, IdxFile& file) {
    const auto wanted = static_cast<size_t>(declared);
    size_t total = 0;
    while (total < wanted) {
      const size_t piece = std::min(wanted - total, std::max(total, kPiece));
      file.bytes.resize(total + piece);
      const size_t got = read_some(file.bytes.data() + total, piece);
      total += got;
      if (got < piece) break;
    }
    unsigned char more = 0;
    const bool longer = total == wanted && read_some(&more, 1) == 1;
    if (total < wanted || longer) {
      const std::string expected = std::to_string(header_bytes_ + wanted) + " bytes";
      const std::string found = longer ? "more" : std::to_string(header_bytes_ + total) + " bytes";
      refuse_file(path_, longer ? "bytes follow the last element" : "it is too short", expected,
                  size_text(found));
    }
    int code = Z_OK;
    gzerror(file_.get(), &code);
    if (code < 0) refuse_stream();
  }

  // The plain file's exact size where it is known, else `otherwise`.
  std::string size_text(const std::string& otherwise) const {
    std::error_code error;
    const auto size = std::filesystem::file_size(path_, error);
    const bool exact = !error && gzdirect(file_.get()) == 1;
    return exact ? std::to_string(size) + " bytes" : otherwise;
  }

  static void to_host_order(IdxFile& file) {
    const size_t size = sdk::size_of(file.dtype);
    const uint16_t one = 1;
    const bool little = *reinterpret_cast<const unsigned char*>(&one) == 1;
    if (!little || size == 1) return;
    for (size_t at = 0; at < file.bytes.size(); at += size) {
      const auto element = file.bytes.begin() + static_cast<std::ptrdiff_t>(at);
      std::reverse(element, element + static_cast<std::ptrdiff_t>(size));
    }
  }

  static constexpr int64_t kMostBytes = int64_t{1} << 62;
  std::string path_;
  GzFile file_;
  size_t header_bytes_ = 4;
};

}  // namespace tenon::data
