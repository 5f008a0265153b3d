// SPDX-License-Identifier: Apache-2.0
// core/files/image.h: the bytes of a file, mapped or read into memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/no_copy.h"

namespace tenon::files {

class Image : NoCopy {
 public:
  // Throws Error{TENON_E_IO} with words that name the path, Error{TENON_E_DATA} for a pointer of
  // Git LFS, which stands where a repository was taken without its large files.
  Image(const std::string& path, bool in_memory);
  ~Image();

  const unsigned char* data() const { return data_; }
  uint64_t size() const { return size_; }

 private:
  void map(int descriptor, const std::string& path);
  void read(int descriptor, const std::string& path);
  void unmap();
  bool is_pointer() const;

  const unsigned char* data_ = nullptr;
  uint64_t size_ = 0;
  bool mapped_ = false;
  std::vector<unsigned char> memory_;
};

}  // namespace tenon::files
