// SPDX-License-Identifier: Apache-2.0
// sdk/tools/idx_header.h: what an idx file (plain or gzip) says about itself. The format is
// described in plugins/data/idx_file.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::tools {

struct IdxHeader {
  std::string dtype;
  std::vector<uint64_t> shape;
  uint64_t data_bytes = 0;  // found after the header, uncompressed
  bool compressed = false;
  std::string problem;  // empty if length and header agree
};

// Does the file begin as idx files do?
bool is_idx(const std::string& path);

// Only for files that is_idx accepts. Throws Failure.
IdxHeader read_idx_header(const std::string& path);

}  // namespace tenon::tools
