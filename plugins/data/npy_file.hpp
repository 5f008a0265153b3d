// SPDX-License-Identifier: Apache-2.0
// plugins/data/npy_file.hpp: reads one .npy file, plain or gzip-compressed, and checks all of it.
#pragma once

#include <cstring>

#include "data_file.hpp"
#include "npy_header.hpp"

namespace tenon::data {

struct NpyFile {
  tenon_dtype dtype = TENON_DTYPE_NONE;
  std::vector<int64_t> shape;
  std::string bytes;  // elements in this machine's byte order
};

class NpyReader {
 public:
  explicit NpyReader(const std::string& path) : file_("npy", path) {}

  NpyFile read() {
    const NpyHeader header = read_header();
    NpyFile npy{header.dtype, header.shape, file_.read_rest()};
    if (npy.bytes.size() != header.bytes) {
      file_.refuse("its length does not fit its shape " + sdk::shape_text(header.shape),
                   std::to_string(header.bytes) + " bytes of elements",
                   std::to_string(npy.bytes.size()));
    }
    to_host_order(header.big_endian, sdk::size_of(npy.dtype),
                  reinterpret_cast<unsigned char*>(npy.bytes.data()), npy.bytes.size());
    return npy;
  }

 private:
  NpyHeader read_header() {
    unsigned char start[12];
    if (file_.read_some(start, 10) < 10 || std::memcmp(start, "\x93NUMPY", 6) != 0) {
      file_.refuse("it does not start as npy files do", "\\x93NUMPY, a version and a length",
                   "something else");
    }
    const unsigned char version = start[6];
    if (version < 1 || version > 3 || start[7] != 0) {
      file_.refuse("its version is unknown", "1.0, 2.0 or 3.0",
                   std::to_string(version) + "." + std::to_string(start[7]));
    }
    size_t length = size_t{start[8]} | size_t{start[9]} << 8;
    if (version > 1) {
      if (file_.read_some(start + 10, 2) < 2) refuse_cut();
      length |= size_t{start[10]} << 16 | size_t{start[11]} << 24;
    }
    constexpr size_t longest = 1 << 16;  // NumPy itself writes some hundred bytes
    if (length > longest) {
      file_.refuse("its header is too long", "at most " + std::to_string(longest) + " bytes",
                   std::to_string(length));
    }
    std::string text(length, ' ');
    if (file_.read_some(reinterpret_cast<unsigned char*>(text.data()), length) < length) {
      refuse_cut();
    }
    try {
      return NpyHeaderParser(text).parse();
    } catch (const sdk::Failure& failure) {
      file_.refuse(failure.what, failure.expected, failure.found);
    }
  }

  [[noreturn]] void refuse_cut() const {
    file_.refuse("it ends within its header", "the whole header", "the end of the file");
  }

  DataFile file_;
};

}  // namespace tenon::data
