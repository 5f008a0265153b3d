// SPDX-License-Identifier: Apache-2.0
// core/files/replacement.h: new contents for a file, which take the old ones' place all at once.
#pragma once

#include <cstdint>
#include <string>

#include "core/files/descriptor.h"

namespace tenon::files {

// Written to `.<name>.partial` beside the file, with a number for a long name. Until `commit` has
// returned, and if it is never called, the file is what it was. The partial file is locked, so that
// of two writers one is told; one that a killed process has left is locked by nobody and written
// over.
class Replacement : NoCopy {
 public:
  // Throws Error{TENON_E_IO} with words that name the path, as everything here.
  explicit Replacement(const std::string& path);
  ~Replacement();

  void write(const void* bytes, uint64_t length);
  // To the disk, then in the file's place.
  void commit();

 private:
  void follow_links();
  void open_partial();
  bool lock_partial();
  void take_over_permissions();
  [[noreturn]] void fail(const char* doing, int why) const;
  [[noreturn]] void refuse(const char* doing, const std::string& words) const;

  std::string path_;    // as the caller named it, for words
  std::string target_;  // links followed, also to nothing yet
  std::string partial_;
  std::string folder_;
  bool renamed_ = false;
  Descriptor file_;
};

}  // namespace tenon::files
