// SPDX-License-Identifier: Apache-2.0
// core/plugin/sealed_file.h: a library's bytes in memory that nobody can change any more.
#pragma once

#include <string>

#include "core/base/no_copy.h"

namespace tenon::plugin {

// A copy of `path` in a sealed memory file whose bytes have the given hash; throws
// Error{TENON_E_PLUGIN} if they do not. The copy is what was hashed, so it does not matter what
// becomes of the file meanwhile.
class SealedFile : NoCopy {
 public:
  SealedFile(const std::string& path, const std::string& sha256);
  ~SealedFile();
  const std::string& sha256() const { return sha256_; }
  std::string path() const;  // below /proc/self/fd; good while the descriptor is open
  // The descriptor now belongs to the process: the loader knows the library by path().
  void keep_open() const { kept_ = true; }

 private:
  std::string sha256_;
  int descriptor_ = -1;
  mutable bool kept_ = false;
};

}  // namespace tenon::plugin
