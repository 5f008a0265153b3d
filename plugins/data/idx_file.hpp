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

#include <algorithm>
#include <string>
#include <vector>

#include "data_file.hpp"

namespace tenon::data {

struct IdxFile {
  tenon_dtype dtype = TENON_DTYPE_NONE;
  std::vector<int64_t> shape;        // at least one dimension
  std::vector<unsigned char> bytes;  // elements in this machine's byte order
};

class IdxReader {
 public:
  explicit IdxReader(const std::string& path) : file_("idx", path) {}

  IdxFile read() {
    IdxFile file;
    unsigned char magic[4];
    const size_t found = file_.read_some(magic, sizeof magic);
    if (found < sizeof magic) {
      file_.refuse("it is too short for a header", "4 bytes or more",
                   std::to_string(found) + " bytes");
    }
    if (magic[0] != 0 || magic[1] != 0) {
      file_.refuse("it does not start as idx files do", "two zero bytes",
                   std::to_string(magic[0]) + ", " + std::to_string(magic[1]));
    }
    file.dtype = dtype_of_code(magic[2]);
    const int64_t bytes = read_shape(magic[3], file);
    read_payload(bytes, file);
    to_host_order(true, sdk::size_of(file.dtype), file.bytes.data(), file.bytes.size());
    return file;
  }

 private:
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
        file_.refuse("unknown element type", "code 8, 9, 11, 12, 13 or 14",
                     "code " + std::to_string(code));
    }
  }

  // Returns how many bytes of elements must follow.
  int64_t read_shape(unsigned char rank, IdxFile& file) {
    constexpr int kMaxRank = TENON_MAX_RANK;  // a batch must be a tensor
    if (rank < 1 || rank > kMaxRank) {
      file_.refuse("wrong number of dimensions", "1 to " + std::to_string(kMaxRank),
                   std::to_string(rank));
    }
    std::vector<unsigned char> sizes(size_t{rank} * 4);
    header_bytes_ = 4 + sizes.size();
    const size_t found = file_.read_some(sizes.data(), sizes.size());
    if (found < sizes.size()) {
      file_.refuse("it ends within its header", std::to_string(header_bytes_) + " bytes",
                   std::to_string(4 + found) + " bytes");
    }
    int64_t bytes = sdk::size_of(file.dtype);
    for (size_t d = 0; d < rank; ++d) {
      const unsigned char* at = &sizes[d * 4];
      const int64_t size =
          int64_t{at[0]} << 24 | int64_t{at[1]} << 16 | int64_t{at[2]} << 8 | at[3];
      file.shape.push_back(size);
      if (size != 0 && bytes > kMaxBytes / size) {
        file_.refuse("its sizes multiply to too many bytes",
                     "at most " + std::to_string(kMaxBytes) + " bytes",
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
      const size_t piece = std::min(wanted - total, std::max(total, DataFile::kPiece));
      file.bytes.resize(total + piece);
      const size_t got = file_.read_some(file.bytes.data() + total, piece);
      total += got;
      if (got < piece) break;
    }
    unsigned char more = 0;
    const bool longer = total == wanted && file_.read_some(&more, 1) == 1;
    if (total < wanted || longer) {
      const std::string expected = std::to_string(header_bytes_ + wanted) + " bytes";
      const std::string found = longer ? "more" : std::to_string(header_bytes_ + total) + " bytes";
      file_.refuse(longer ? "bytes follow the last element" : "it is too short", expected,
                   file_.size_text(found));
    }
  }

  static constexpr int64_t kMaxBytes = int64_t{1} << 62;
  DataFile file_;
  size_t header_bytes_ = 4;
};

}  // namespace tenon::data
