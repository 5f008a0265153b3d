// SPDX-License-Identifier: Apache-2.0
// sdk/tools/sha256.h: the hash of a file, by the system's libcrypto. That is opened when first
// needed: the command works without it, and then says what it could not do.
#pragma once

#include <string>

namespace tenon::tools {

struct Hash {
  std::string digits;   // 64 lowercase hexadecimal digits; empty if there is a problem
  std::string problem;  // "libcrypto.so.3 is not installed ..."
};

// Throws Failure if the file cannot be read.
Hash sha256_of(const std::string& path);

// The same, with a problem as a Failure.
std::string must_sha256_of(const std::string& path);

}  // namespace tenon::tools
