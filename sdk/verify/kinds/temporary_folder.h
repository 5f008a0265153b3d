// SPDX-License-Identifier: Apache-2.0
// sdk/verify/kinds/temporary_folder.h: a folder for files that are written to be read again.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "program.h"

namespace tenon::verify {

class TemporaryFolder {
 public:
  // In memory where the system has such a place: files are flushed to the disk else, which takes
  // most of the time.
  TemporaryFolder() {
    const std::filesystem::path memory = "/dev/shm";
    const std::filesystem::path root =
        access(memory.c_str(), W_OK) == 0 ? memory : std::filesystem::temp_directory_path();
    std::string name = (root / "tenon-verify-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw tools::Failure{name + ": no folder can be made there"};
    }
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline std::string bytes_of(const std::string& file) {
  std::ostringstream bytes;
  bytes << std::ifstream(file, std::ios::binary).rdbuf();
  return bytes.str();
}

}  // namespace tenon::verify
