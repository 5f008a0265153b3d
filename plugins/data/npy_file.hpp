// SPDX-License-Identifier: Apache-2.0
// plugins/data/npy_file.hpp: reads one .npy file, plain or gzip-compressed, and checks all of it.
#pragma once

#include <tenon/sdk/plugin/npy.hpp>

#include "data_file.hpp"

namespace tenon::data {

struct NpyFile {
  tenon_dtype dtype = TENON_DTYPE_NONE;
  std::vector<int64_t> shape;
  std::string bytes;  // row-major elements in this machine's byte order
};

class NpyReader {
 public:
  explicit NpyReader(const std::string& path) : file_("npy", path) {}

  NpyFile read() {
    std::string front(sdk::files::kMaxNpyPrefixBytes, '\0');
    front.resize(file_.read_some(reinterpret_cast<unsigned char*>(front.data()), front.size()));
    const sdk::files::NpyHeader header = read_header(front);
    const tenon_meta& meta = header.meta;
    NpyFile npy{meta.dtype, {meta.shape, meta.shape + meta.rank}, front.substr(header.data_begin)};
    npy.bytes += file_.read_rest();
    if (npy.bytes.size() != header.data_bytes) {
      file_.refuse("its length does not fit its shape " + sdk::shape_text(npy.shape),
                   std::to_string(header.data_bytes) + " bytes of elements",
                   std::to_string(npy.bytes.size()));
    }
    if (npy.dtype == TENON_DTYPE_BOOL) check_bools(npy.bytes);
    if (header.swap) {
      sdk::files::swap_elements(npy.bytes.data(), npy.bytes.size(), sdk::size_of(npy.dtype));
    }
    return npy;
  }

 private:
  void check_bools(const std::string& bytes) const {
    const size_t wrong = bytes.find_first_not_of(std::string_view("\0\1", 2));
    if (wrong == std::string::npos) return;
    file_.refuse("element " + std::to_string(wrong) + " is not a bool", "0 or 1",
                 std::to_string(static_cast<unsigned char>(bytes[wrong])));
  }

  sdk::files::NpyHeader read_header(const std::string& front) const {
    sdk::files::NpyHeader header;
    try {
      header = sdk::files::NpyParser(front, "its array").read();
    } catch (sdk::Failure& failure) {
      failure.what = file_.words() + ": " + failure.what;
      throw;
    }
    if (header.column_major && header.meta.rank > 1) {
      file_.refuse("its first index is the fastest",
                   "fortran_order False, as numpy.ascontiguousarray gives it", "True");
    }
    return header;
  }

  DataFile file_;
};

}  // namespace tenon::data
