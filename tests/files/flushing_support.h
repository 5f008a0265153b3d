// SPDX-License-Identifier: Apache-2.0
// tests/files/flushing_support.h: which files are flushed and renamed, in what order; a flush fails
// where a test wants it to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::tests {

struct Flushing {
  std::string what;  // "flush" or "rename"
  std::string path;  // of a rename, the new one
  uint64_t bytes = 0;
};

// While it lives, in one thread.
class WatchedFlushing {
 public:
  WatchedFlushing();
  ~WatchedFlushing();
  WatchedFlushing(const WatchedFlushing&) = delete;
  WatchedFlushing& operator=(const WatchedFlushing&) = delete;

  std::vector<Flushing> seen;
  size_t failing = SIZE_MAX;  // which of them fails, a flush
  int error = 0;              // with this
};

}  // namespace tenon::tests
