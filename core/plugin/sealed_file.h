// SPDX-License-Identifier: Apache-2.0
// core/plugin/sealed_file.h: a library's bytes in memory that nobody can change any more.
#pragma once

#include <string>

#include "core/files/descriptor.h"

namespace tenon::plugin {

// A copy of `path` in a sealed memory file whose bytes have the given hash; throws
// Error{TENON_E_PLUGIN} if they do not. The copy is what was hashed, so it does not matter what
// becomes of the file meanwhile.
class SealedFile : NoCopy {
 public:
  SealedFile(const std::string& path, const std::string& sha256);
  const std::string& sha256() const { return sha256_; }
  std::string path() const;  // below /proc/self/fd; good while the descriptor is open
  // The descriptor now belongs to the process: the loader knows the library by path().
  void keep_open() { static_cast<void>(file_.take()); }

 private:
  std::string sha256_;
  files::Descriptor file_;
};

}  // namespace tenon::plugin
