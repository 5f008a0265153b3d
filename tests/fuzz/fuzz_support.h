// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/fuzz_support.h: what the targets for data files share.
#pragma once

#include <sys/mman.h>
#include <unistd.h>
#include <tenon/sdk/plugin/base.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace tenon::fuzz {

inline void require(bool holds) {
  if (!holds) __builtin_trap();
}

// A file in memory that holds the bytes.
struct MemoryFile {
  MemoryFile(const uint8_t* data, size_t size) : number(memfd_create("fuzz", MFD_CLOEXEC)) {
    require(number >= 0);
    require(write(number, data, size) == static_cast<ssize_t>(size));
  }
  ~MemoryFile() { close(number); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(number); }
  const int number;
};

// Bytes may be refused, but only in words.
template <class Read>
void read_or_refuse(Read&& read) {
  try {
    read();
  } catch (const sdk::Failure& failure) {
    const bool fits = failure.status == TENON_E_DATA || failure.status == TENON_E_UNSUPPORTED ||
                      failure.status == TENON_E_IO;
    require(fits && !failure.what.empty());
  }
}

}  // namespace tenon::fuzz
